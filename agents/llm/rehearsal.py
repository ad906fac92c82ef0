"""An offline model that plays planner, reviewers and minions on the sample project. It is honest: it only rehearses."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.llm.answers import NONCE

NAME = "rehearsal"
MODEL = "rehearsal/sample"
Script = Mapping[str, Any]


class Rehearsal:
    """Answers questions of the program by script. Which answer comes next is told by the question's own step."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self._scripts = {_plain(str(script["request"])): script for script in scripts}
        self._names = [str(script["request"]) for script in scripts]

    def answer(self, question: str, request: str, turn: int) -> dict[str, Any]:
        """The scripted answer for the turn-th time this is asked (from 0)."""
        script = self._scripts.get(_plain(request))
        if script is None:
            return self._unknown(question)
        plain = question.rstrip("_0123456789")  # code_review_3, where subtask 3 has lines of its own
        answers = script.get(question) or script.get(plain) or DEFAULTS.get(plain, [{}])
        return dict(answers[min(turn, len(answers) - 1)])

    def work(self, told: Mapping[str, Any], heard: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tools that a minion calls in this turn of this attempt. `heard` is what the last tool said."""
        script = self._scripts.get(_plain(str(told.get("request", "")))) or {}
        about = (told.get("subtask"), told.get("title"))
        played = next((w for w in script.get("work", ()) if (w["subtask"], w["title"]) == about), None)
        if played is None:
            return [("task_blocked", {"reason": NO_SCRIPT})]
        attempts, attempt = played["attempts"], int(told.get("attempt", 1))
        if attempt > len(attempts):
            return [("task_blocked", {"reason": NO_MORE})]
        turns, at = attempts[attempt - 1], int(told.get("turn", 0))
        if at >= len(turns):
            return [("task_blocked", {"reason": "This is a rehearsal, and my script for this subtask is at its end."})]
        return [(name, given or {}) for call in _chosen(turns[at], heard) for name, given in call.items()]

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


def _chosen(turn: Any, heard: str) -> Any:
    """A turn is a list of calls, or a map from words that were heard to such lists."""
    if not isinstance(turn, Mapping):
        return turn
    return next((calls for words, calls in turn.items() if words.casefold() in heard.casefold()), turn["else"])


DEFAULTS: dict[str, list[dict[str, Any]]] = {
    "critic": [{"probe": "halt", "verdict": "no_verdict"}],
    "custodiet": [{"verdict": "no_verdict"}],
    "code_review": [{"probe": "rejected", "status": "no_verdict"}],
    "specialist": [{"concerns": [], "suggestions": []}],
    "intent": [{"intent": "other", "confidence": 1.0}],
    "project": [{"confidence": 0.0}],
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


def meant(said: str) -> dict[str, Any]:
    for intent, pattern in _MEANT:
        if re.search(pattern, said, re.IGNORECASE):
            return {"intent": intent, "confidence": 0.9}
    return {"intent": "other", "confidence": 0.9}


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


def provider(scripts: Sequence[Script]) -> Any:
    """The rehearsal as a litellm provider: the same way in and out as any other model, without a network."""
    from litellm import CustomLLM, ModelResponse

    played = Rehearsal(scripts)

    class RehearsalProvider(CustomLLM):
        async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
            told = _told(kwargs)
            if told.get("question") == "work":
                return ModelResponse(model=MODEL, choices=[_turn(played, told, kwargs.get("messages") or args[1])])
            question, turn = _scripted(str(told.get("question", "")), str(told.get("step", "")))
            said = played.answer(question, str(told.get("request", "")), turn)
            if question == "intent":
                said = meant(str(told.get("said", "")))
            answer = {**said, NONCE: told.get("tag", "")}
            message = {"role": "assistant", "content": json.dumps(answer)}
            return ModelResponse(model=MODEL, choices=[{"message": message, "finish_reason": "stop", "index": 0}])

    return RehearsalProvider()


def _turn(played: Rehearsal, told: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    heard = next((str(each.get("content")) for each in reversed(messages) if each.get("role") == "tool"), "")
    calls = [
        {"id": f"call_{told.get('turn')}_{at}", "type": "function", "function": {"name": name, "arguments": given}}
        for at, (name, given) in enumerate((name, json.dumps(given)) for name, given in played.work(told, heard))
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"message": message, "finish_reason": "tool_calls", "index": 0}


def _told(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = (kwargs.get("litellm_params") or {}).get("metadata") or {}
    told = metadata.get("overlord") or {}
    return told if isinstance(told, Mapping) else {}


def _scripted(question: str, step: str) -> tuple[str, int]:
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
