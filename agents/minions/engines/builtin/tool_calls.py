"""What a model wants done, read strictly; and its turn, made fit to be kept and sent again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.domain.text.sanitize import clean, cut, strictly
from agents.ports import Said, ToolCall

MOST_CALLS = 20  # in one turn
LONGEST_TEXT = 20_000
LONGEST_ARGUMENTS = 400_000
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NO_NAME = "unknown_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """One call of a tool. `problem`: why it cannot even be looked at."""

    id: str
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    arguments: str = "{}"  # as the model wrote them, or an empty object where that is none
    problem: str = ""


def parse_calls(said: Said, turn: int) -> list[ParsedCall]:
    """Every call with an id of its own; a provider wants a result for each."""
    made: list[ParsedCall] = []
    for at, call in enumerate(said.calls[:MOST_CALLS]):
        taken = {each.id for each in made}
        id = call.id if _ID.fullmatch(call.id) and call.id not in taken else f"call_{turn}_{at}"
        made.append(_read(call, id))
    return made


def message_of(said: Said, parsed: list[ParsedCall]) -> dict[str, object]:
    """The turn as it stands in the talk from now on. What a provider would refuse to read again is not in it."""
    text = cut(_whole(said.text), LONGEST_TEXT)
    if not parsed:
        return {"role": "assistant", "content": text or "(nothing)"}
    calls = [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
        for each in parsed
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _read(call: ToolCall, id: str) -> ParsedCall:
    """A name or arguments of any length and any content are an answer to the model, no more."""
    if not _NAME.fullmatch(call.name):
        shown = cut(clean(call.name), 80)
        return ParsedCall(id=id, name=NO_NAME, problem=f"There is no tool named {shown!r}.")
    if len(call.arguments) > LONGEST_ARGUMENTS:
        problem = f"The arguments have {len(call.arguments):,} characters, {LONGEST_ARGUMENTS:,} are the most."
        return ParsedCall(id=id, name=call.name, problem=problem)
    arguments = _whole(call.arguments).strip() or "{}"
    try:
        given = strictly(arguments)
    except (ValueError, RecursionError) as error:
        problem = f"The arguments are not JSON ({cut(clean(str(error)), 200)}). Send one JSON object."
        return ParsedCall(id=id, name=call.name, problem=problem)
    if not isinstance(given, dict):
        return ParsedCall(id=id, name=call.name, problem="The arguments are not a JSON object.")
    return ParsedCall(id=id, name=call.name, given=given, arguments=arguments)


def _whole(text: str) -> str:
    """Half a character cannot be written down."""
    return text if text.isascii() else text.encode(errors="replace").decode()
