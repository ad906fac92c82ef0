"""What came back from litellm, read: a whole answer or turn, or why it is none; and what it took."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.text.sanitize import count_of
from agents.domain.text.written_calls import read_written_calls
from agents.ports import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`fault`: why the text is not a whole answer, though it was paid for."""

    text: str | None
    fault: Failure | None
    calls: tuple[ToolCall, ...] = ()
    cost: float
    tokens_in: int
    tokens_out: int
    cached_tokens: int
    asking: float = 0.0  # seconds of it that are counted elsewhere: where a program asked


@lru_cache(maxsize=16)
def names_of(tools: str) -> frozenset[str]:
    """As JSON, in the form of functions."""
    return frozenset(each["function"]["name"] for each in json.loads(tools or "[]"))


def read_reply(raw: Any, *, tools: Collection[str]) -> Reply:
    """`tools`: the names of those that it was given."""
    usage = getattr(raw, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    text, calls, fault = _whole(raw, tools)
    return Reply(
        text=text,
        fault=fault,
        calls=calls,
        cost=_told_cost(raw, usage),
        tokens_in=count_of(getattr(usage, "prompt_tokens", 0)),
        tokens_out=count_of(getattr(usage, "completion_tokens", 0)),
        cached_tokens=count_of(getattr(details, "cached_tokens", 0)),
    )


def _told_cost(raw: Any, usage: Any) -> float:
    """As litellm reckons it, or as the provider itself says."""
    reckoned = (getattr(raw, "_hidden_params", None) or {}).get("response_cost")
    told = getattr(usage, "cost", None)
    return max(0.0, float(reckoned or (told if isinstance(told, int | float) else 0.0)))


def _whole(raw: Any, tools: Collection[str]) -> tuple[str | None, tuple[ToolCall, ...], Failure | None]:
    """The text and the calls, if they are all there and nothing else came with them."""
    choices = getattr(raw, "choices", None) or []
    if len(choices) != 1:
        return None, (), Failure(error=ErrorClass.PARSING, message=f"it has {len(choices)} choices instead of one")
    choice = choices[0]
    message = getattr(choice, "message", None)
    text = getattr(message, "content", None)
    text = text if isinstance(text, str) else None
    called = getattr(message, "tool_calls", None) or []
    reason = getattr(choice, "finish_reason", None)
    if reason in ("stop", "tool_calls") and not called and (text or reason == "stop"):
        return _words(message, text, tools)
    if reason in ("stop", "tool_calls") and tools and called:
        return text, tuple(_call(each) for each in called), None
    other = Failure(error=ErrorClass.PARSING, message=f"it ended with {reason} instead of an answer")
    return text, (), _UNFINISHED.get(str(reason), other)


def _words(
    message: Any, text: str | None, tools: Collection[str]
) -> tuple[str | None, tuple[ToolCall, ...], Failure | None]:
    """An answer without calls; or one whose calls, refusal or thoughts stand elsewhere."""
    if text and tools:
        return (*_split_calls(text, tools), None)
    said = text or _refusal(message)
    if not said and getattr(message, "reasoning_content", None):
        return None, (), Failure(error=ErrorClass.PARSING, message="it only thought, and gave no answer")
    return said, (), None


def _split_calls(text: str, tools: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """Calls that stand in the text, as servers leave them there that do not know how their model writes them."""
    before, calls = read_written_calls(text, tools)
    return before, tuple(ToolCall(id="", name=name, arguments=json.dumps(given)) for name, given in calls)


def _refusal(message: Any) -> str | None:
    """In its own field where a model will not answer."""
    said = getattr(message, "refusal", None) or (getattr(message, "provider_specific_fields", None) or {}).get(
        "refusal"
    )
    return said if isinstance(said, str) else None


_UNFINISHED: dict[str, Failure] = {
    "length": Failure(error=ErrorClass.PARSING, message="it was cut off in the middle; be shorter", cut_off=True),
    "content_filter": Failure(error=ErrorClass.RESOURCE, message="the provider's content filter stopped it"),
}


def _call(raw: Any) -> ToolCall:
    """As the model wrote it; whoever runs tools judges it."""
    function = getattr(raw, "function", None)
    arguments = getattr(function, "arguments", None)
    return ToolCall(
        id=str(getattr(raw, "id", None) or ""),
        name=str(getattr(function, "name", None) or ""),
        arguments=arguments if isinstance(arguments, str) else "",
    )
