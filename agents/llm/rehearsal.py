"""An offline model that plays planner and reviewers on the sample project. It is honest: it only rehearses."""

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
        answers = script.get(question) or DEFAULTS.get(question, [{}])
        return dict(answers[min(turn, len(answers) - 1)])

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


DEFAULTS: dict[str, list[dict[str, Any]]] = {
    "critic": [{"probe": "halt", "verdict": "no_verdict"}],
    "custodiet": [{"verdict": "no_verdict"}],
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
            question, turn = _scripted(str(told.get("question", "")), str(told.get("step", "")))
            said = played.answer(question, str(told.get("request", "")), turn)
            if question == "intent":
                said = meant(str(told.get("said", "")))
            answer = {**said, NONCE: told.get("tag", "")}
            message = {"role": "assistant", "content": json.dumps(answer)}
            return ModelResponse(model=MODEL, choices=[{"message": message, "finish_reason": "stop", "index": 0}])

    return RehearsalProvider()


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
    return question, max(0, (numbers[0] if numbers else 1) - 1)
