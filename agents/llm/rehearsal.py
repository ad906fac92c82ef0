"""An offline model that plays planner, reviewers and minions on the sample project. It is honest: it only rehearses."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from typing import Any

from agents.llm.answers import NONCE

MODEL = "rehearsal/sample"
Script = Mapping[str, Any]
Message = Mapping[str, Any]
Call = tuple[str, Mapping[str, Any]]
_ALIKE = 0.8  # how much of a request must be as in the script: people correct themselves and are polite
_ASKS = re.compile(
    r"(?:how|what|why|where|which|when|who|whose|is|are|was|were|does|do|did|has|have)\b"
    r"(?! about| if| not|n't| we ).*\?$",
    re.IGNORECASE | re.DOTALL,
)
_DENIES = frozenset({"not", "no", "never", "without", "stop", "don"})


class Rehearsal:
    """Answers questions of the program by script. Which answer comes next, the question and the talk so far tell."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self._scripts = {_plain(str(script["request"])): script for script in scripts}
        self._names = [str(script["request"]) for script in scripts if "shows" in script]
        self._questions = [str(script["request"]) for script in scripts if "ask" in script]

    def answer(self, question: str, request: str, turn: int) -> dict[str, Any]:
        """The scripted answer for the turn-th time this is asked (from 0)."""
        script = self._script(request)
        if script is None:
            return self._unknown(question)
        plain = question.rstrip("_0123456789")  # code_review_3, where subtask 3 has lines of its own
        answers = script.get(question) or script.get(plain) or DEFAULTS.get(plain, [{}])
        return dict(answers[min(turn, len(answers) - 1)])

    def _script(self, request: str) -> Script | None:
        """The one that is asked for, also where somebody changed words or added some; not where they denied it."""
        said = _plain(request)
        if said in self._scripts:
            return self._scripts[said]
        alike, known = max(((_likeness(known, said), known) for known in self._scripts), default=(0.0, ""))
        return None if alike < _ALIKE or _denies(said, known) else self._scripts[known]

    def route(self, said: str) -> dict[str, Any]:
        """What it cannot play is a request, unless it is plainly a question."""
        script = self._script(said)
        asks = "ask" in script if script else bool(_ASKS.match(said.strip()))
        return {"route": "question" if asks else "change", "confidence": 1.0}

    def read(self, said: str, messages: Sequence[Message]) -> list[Call]:
        """The tools that are called next to answer a question about the code."""
        turns = (self._script(said) or {}).get("ask", ())
        if not turns:
            known = " Without one I can answer this: " + " ".join(f"“{each}”" for each in self._questions)
            return [("give_answer", {"answer": NO_READER + (known if self._questions else "")})]
        asked = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=0)
        return _calls(turns[min(_lines_played(turns, messages[asked:]), len(turns) - 1)])

    def work(self, told: Mapping[str, Any], messages: Sequence[Message]) -> list[Call]:
        """The tools that a minion calls next in this attempt, after all that was said in it."""
        script = self._script(str(told.get("request", ""))) or {}
        played = next((w for w in script.get("work", ()) if w["title"] == told.get("title")), None)
        if played is None:
            return [("task_blocked", {"reason": NO_SCRIPT})]
        attempts, attempt = played["attempts"], int(told.get("attempt", 1))
        if attempt > len(attempts):
            return [("task_blocked", {"reason": NO_MORE})]
        turns, heard = attempts[attempt - 1], _heard(messages)
        at = _lines_played(turns, messages)
        if at < len(turns):
            return _calls(_choose(turns[at], heard))
        return [_once_more(call) for call in _calls(_choose(turns[-1], heard))] if turns else [("task_blocked", AT_END)]

    def _unknown(self, question: str) -> dict[str, Any]:
        if question != "decompose":
            return dict(DEFAULTS.get(question, [{}])[0])
        lines = ["No model is configured, so I can only rehearse these requests on the sample project:"]
        lines += [f"“{name}”" for name in self._names]
        lines.append(
            "For anything else give me a model: set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or name one in "
            "OVERLORD_MODELS__PRIMARY. Then restart me; `overlord doctor` says which one serves and why."
        )
        return {"status": "BLOCKED", "reason": "\n".join(lines)}


NO_SCRIPT = (
    "This is a rehearsal without a model, and I have no script for this subtask. Give me a model and restart me: set "
    "ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or name one in OVERLORD_MODELS__PRIMARY."
)
NO_MORE = (
    "This is a rehearsal without a model, and nobody wrote lines for another attempt at this subtask. Take the branch "
    "over, drop the subtask, or give me a model and restart me."
)
NO_READER = (
    "No model is configured, so nobody can read the code for you: this is a rehearsal. Give me a model and restart me: "
    "set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or name one in OVERLORD_MODELS__PRIMARY."
)
NOTHING_NEW = "Nothing new, as far as a script can tell."
AT_END = {"reason": "This is a rehearsal, and my script for this subtask is at its end."}
NOT_HEEDED = " This is a rehearsal: what was said since I first finished is not worked in."


def _lines_played(turns: Sequence[Any], messages: Sequence[Message]) -> int:
    """How many turns of the script were played. Words of people in between count for nothing."""
    at = 0
    for message in messages:
        names = [call["function"]["name"] for call in message.get("tool_calls") or ()]
        if names and at < len(turns) and names in (_names(calls) for calls in _choices(turns[at])):
            at += 1
    return at


def _heard(messages: Sequence[Message]) -> str:
    """All that was said to the minion since it last spoke: by tools, and by people."""
    since: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "assistant":
            break
        since.insert(0, str(message.get("content")))
    return "\n".join(since)


def _once_more(call: Call) -> Call:
    """Somebody spoke after the last line: it is said again, honestly."""
    name, given = call
    return (name, {**given, "summary": f"{given['summary']}{NOT_HEEDED}"}) if "summary" in given else call


def _choices(turn: Any) -> Iterator[Any]:
    """A turn is a list of calls, or a map from words that were heard to such lists."""
    yield from turn.values() if isinstance(turn, Mapping) else (turn,)


def _choose(turn: Any, heard: str) -> Any:
    """Words to look for may be several, with a bar between them."""
    if not isinstance(turn, Mapping):
        return turn
    said = heard.casefold()
    found = (calls for words, calls in turn.items() if any(w.strip().casefold() in said for w in words.split("|")))
    return next(found, turn["else"])


def _calls(turn: Any) -> list[Call]:
    return [(name, given or {}) for call in turn for name, given in call.items()]


def _names(calls: Any) -> list[str]:
    return [name for name, _ in _calls(calls)]


DEFAULTS: dict[str, list[dict[str, Any]]] = {
    "critic": [{"verdict": "no_verdict"}],
    "custodiet": [{"verdict": "no_verdict"}],
    "code_review": [{"status": "no_verdict"}],
    "specialist": [{"concerns": [], "suggestions": []}],
    "intent": [{"intent": "other", "confidence": 1.0}],
    "project": [{"confidence": 0.0}],
    "setup": [{"commands": []}],
    "code_style": [{"summary": NOTHING_NEW}],
    "design": [{"summary": NOTHING_NEW}],
    "internaliser": [{"summary": NOTHING_NEW}],
    "draft_skill": [{"name": "", "description": "", "instructions": ""}],  # nobody wrote one for this request
    "wish": [{"contradicts": False, "confidence": 0.0}],  # a script cannot tell
}


# Enough to rehearse a talk about a plan; a real model reads what people really say.
_MEANT: tuple[tuple[str, str], ...] = (
    ("why", r"\bwhy\b|\breasons?\b|how come"),
    ("cost", r"\bcosts?\b|\bexpensive\b|\bhow much\b"),
    ("status", r"\bhow far\b|\bprogress\b|\bstatus\b|what.s up|\bhow is it\b"),
    ("change", r"\binstead\b|\brather\b|\bwithout\b|\bleave\b|\bdrop\b|\bremove\b|\bchange\b|\badd\b|\bno need\b"
               r"|\bdo not\b|\bdon.t\b|\bskip\b|\bsmaller\b|\bsimpler\b|\balso\b|\buse\b"),
    ("approve", r"\blooks good\b|\bgo ahead\b|\bdo it\b|\byes\b|\bapproved?\b|\bsounds good\b|\bfine by me\b"),
)  # fmt: skip


def guess_intent(said: str) -> dict[str, Any]:
    for intent, pattern in _MEANT:
        if re.search(pattern, said, re.IGNORECASE):
            return {"intent": intent, "confidence": 0.9}
    return {"intent": "other", "confidence": 0.9}


def _likeness(known: str, said: str) -> float:
    """From 0 to 1. Letters bear a typing mistake; words in their order bear a greeting before and a wish after them."""
    letters = SequenceMatcher(None, known, said, autojunk=False).ratio()
    words = sum(block.size for block in _common_words(known, said)) / max(1, len(known.split()))
    return max(letters, words)


def _denies(said: str, known: str) -> bool:
    """Whether it says the opposite. What stands after the request itself, as in "no hurry", denies nothing."""
    blocks = [block for block in _common_words(known, said) if block.size]
    end = blocks[-1].b + blocks[-1].size if blocks else None
    return _DENIES & set(said.split()[:end]) != _DENIES & set(known.split())


def _common_words(known: str, said: str) -> list[Match]:
    return SequenceMatcher(None, known.split(), said.split(), autojunk=False).get_matching_blocks()


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


def provider(scripts: Sequence[Script]) -> Any:
    """The rehearsal as a litellm provider: the same way in and out as any other model, without a network."""
    from litellm import CustomLLM, ModelResponse

    played = Rehearsal(scripts)

    class RehearsalProvider(CustomLLM):
        async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
            told = _metadata(kwargs)
            if told.get("question") == "work":
                return ModelResponse(model=MODEL, choices=[_turn(played, told, kwargs.get("messages") or args[1])])
            if told.get("question") == "ask":
                calls = played.read(str(told.get("said", "")), kwargs.get("messages") or args[1])
                return ModelResponse(model=MODEL, choices=[_in_calls(calls, f"ask_{told.get('turn')}")])
            question, turn = _place_in_script(str(told.get("question", "")), str(told.get("step", "")))
            said = played.answer(question, str(told.get("request", "")), turn)
            if question == "intent":
                said = guess_intent(str(told.get("said", "")))
            if question == "route":
                said = played.route(str(told.get("said", "")))
            answer = {**said, NONCE: told.get("tag", "")}
            message = {"role": "assistant", "content": json.dumps(answer)}
            return ModelResponse(model=MODEL, choices=[{"message": message, "finish_reason": "stop", "index": 0}])

    return RehearsalProvider()


def _turn(played: Rehearsal, told: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    return _in_calls(played.work(told, messages), str(told.get("turn")))


def _in_calls(wanted: Sequence[Call], turn: str) -> dict[str, Any]:
    calls = [
        {"id": f"call_{turn}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for at, (name, given) in enumerate(wanted)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"message": message, "finish_reason": "tool_calls", "index": 0}


def _metadata(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = (kwargs.get("litellm_params") or {}).get("metadata") or {}
    told = metadata.get("overlord") or {}
    return told if isinstance(told, Mapping) else {}


def _place_in_script(question: str, step: str) -> tuple[str, int]:
    """Which list of the script, and which answer in it: a step ends in the numbers of its versions and rounds."""
    numbers = [int(part) for part in step.split(":") if part.isdigit()]
    if question == "debate":
        side = step.split(":")[1] if ":" in step else ""
        return f"debate_{side}", max(0, numbers[-1] - 1) if numbers else 0
    if question == "decompose":
        return question, max(numbers, default=0)
    if question == "code_review" and len(numbers) > 1:
        return f"{question}_{numbers[0]}", max(0, numbers[1] - 1)
    return question, max(0, (numbers[0] if numbers else 1) - 1)
