"""A talk with tools as a provider is told it and as it is kept: schemas, sizes, cache marks, turns as text."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from pydantic import TypeAdapter

from agents.domain.ids import fingerprint
from agents.domain.models.failure import ErrorClass, Failure
from agents.llm.answers import plain_schema
from agents.llm.gateway import Message, Reply
from agents.ports import Said, Tool

_SAID = TypeAdapter(Said)
_KEEP: dict[str, object] = {"cache_control": {"type": "ephemeral"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchemas:
    text: str  # JSON
    fingerprint: str


@lru_cache(maxsize=16)
def tool_schemas(tools: tuple[Tool, ...]) -> ToolSchemas:
    """As OpenAI writes functions; made once, for the same tools come with every turn."""
    made = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.does, "parameters": _parameters(tool)},
        }
        for tool in tools
    ]
    text = json.dumps(made)
    return ToolSchemas(text=text, fingerprint=fingerprint(text))


def _parameters(tool: Tool) -> dict[str, object]:
    schema: dict[str, object] = json.loads(plain_schema(tool.takes))
    return {**schema, "type": "object", "properties": schema.get("properties", {}), "additionalProperties": False}


def read_said(reply: Reply) -> tuple[Said | None, Failure | None]:
    if not reply.calls and not (reply.text or "").strip():
        return None, Failure(error=ErrorClass.PARSING, message="it is empty")
    return Said(text=reply.text or "", calls=reply.calls), None


def text_of(said: Said) -> str:
    kept = {"text": said.text, "calls": [asdict(call) for call in said.calls]}
    return json.dumps(kept)  # in ASCII: half a character that a model wrote must not break the store


def said_of(text: str) -> Said:
    """What was kept was said before."""
    told = json.loads(text)
    return _SAID.validate_python({**told, "calls": tuple(told["calls"]), "again": True})


def size_of(messages: Sequence[Message]) -> int:
    """Bytes, roughly; nothing is encoded for it where it is plain."""
    return sum(_size(message) for message in messages)


def _size(message: Message) -> int:
    content = message.get("content")
    size = _bytes(content) if isinstance(content, str) else 0
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        size += sum(_bytes(call["function"]["arguments"]) + 60 for call in calls)
    return size


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def marked_talk(messages: Sequence[Message]) -> list[Message]:
    """Marks at the end of what never changes and at the end of what was said so far. The messages stay as they are."""
    made = list(messages)
    for place in {0, 1, len(made) - 1} if len(made) > 1 else {0}:
        made[place] = _mark(made[place])
    return made


def _mark(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, str) or not content or message.get("tool_calls"):
        return message
    if message.get("role") == "tool":
        return {**message, **_KEEP}
    return {**message, "content": [{"type": "text", "text": content, **_KEEP}]}
