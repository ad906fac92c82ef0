"""One turn of a minion: what its model wants done is read strictly, and done in order until a call ends the run."""

import json
import re
from collections.abc import Callable, Sequence

from agents.domain.text.sanitize import clean, cut
from agents.minions.engines.builtin.arguments import BadArguments, read_object
from agents.minions.engines.builtin.executor import LONGEST, Done, ParsedCall, ToolExecutor
from agents.minions.engines.builtin.transcript import Ended, Talk, Turn, result
from agents.ports import Asked, Said, ToolCall, WantsScope

MOST_CALLS = 20  # in one turn
LONGEST_TEXT = 20_000
LONGEST_ARGUMENTS = 400_000
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID = re.compile(r"[!-~]{1,10000}")  # sent back as it came: some carry in it what the model thought before the call
NO_NAME = "unknown_tool"
MARGIN = 2_000  # a tool's own note on what it cut stays
USE_THE_TOOLS = (
    "You called no tool, so nothing happened. Go on with a tool; end with task_complete, or with task_blocked and why."
)
COMPLETE = "task_complete"
_WAITS = (Asked, WantsScope)  # their results come from people, later


async def play(said: Said, executor: ToolExecutor, talk: Talk, redact: Callable[[str], str]) -> Turn:
    """Its calls in order, but the end last: what stands behind it belongs to the work too. A turn counts as failed
    only if every call in it failed. Raises NoRoom."""
    calls = parse_calls(said, talk.turns + 1)
    turn = Turn(message=message_of(said, calls), errors=talk.errors + 1, doing=talk.doing)
    if not calls:
        turn.results.append({"role": "user", "content": USE_THE_TOOLS})
        return turn
    came, failed = dict[str, Done](), list[str]()
    for call in sorted(calls, key=lambda call: _name_of(call, executor) == COMPLETE):
        came[call.id] = done = _not_now(turn, failed, call, executor) or await executor.run(call)
        failed += [call.name] if done.error else []
        _note(turn, call, done)
    for call in calls:
        if not isinstance(came[call.id].outcome, _WAITS):
            turn.results.append(result(call.id, cut(redact(came[call.id].text), LONGEST + MARGIN)))
    turn.errors = turn.errors if len(failed) == len(calls) else 0
    turn.doing = executor.doing
    dropped = len(said.calls) - len(calls)
    if dropped and turn.results:  # in a result, for nothing may stand between a call and what answers it
        turn.results[-1]["content"] += f"\n({dropped} further calls were not looked at: {MOST_CALLS} are the most.)"
    return turn


def _name_of(call: ParsedCall, executor: ToolExecutor) -> str:
    meant = executor.find(call.name)
    return meant.name if meant else call.name


def _not_now(turn: Turn, failed: Sequence[str], call: ParsedCall, executor: ToolExecutor) -> Done | None:
    """What comes after an end is not done, and nothing is complete while a call beside it failed. That is no failure
    of its own: whoever calls work done is not lost."""
    if turn.ended:
        return Done(text="Not done: the call before it ended this part of the run.")
    if failed and _name_of(call, executor) == COMPLETE:
        named = ", ".join(dict.fromkeys(failed))
        return Done(text=f"Not taken: in this turn {named} failed. Look at that first, then say it again.")
    return None


def _note(turn: Turn, call: ParsedCall, done: Done) -> None:
    if done.outcome is not None:
        turn.ended = Ended(call=call.id, outcome=done.outcome)
    if done.wrote and done.wrote not in turn.wrote:
        turn.wrote.append(done.wrote)
    if done.skill and done.skill not in turn.skills:
        turn.skills.append(done.skill)
    turn.fixes += done.sent_back
    turn.strays += done.strayed


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
    name = call.name if _NAME.fullmatch(call.name) else re.split(r"[.:/]", call.name)[-1]  # without a namespace
    if not _NAME.fullmatch(name):
        shown = cut(clean(call.name), 80)
        return ParsedCall(id=id, name=NO_NAME, problem=f"There is no tool named {shown!r}.")
    if len(call.arguments) > LONGEST_ARGUMENTS:
        problem = f"The arguments have {len(call.arguments):,} characters, {LONGEST_ARGUMENTS:,} are the most."
        return ParsedCall(id=id, name=name, problem=problem)
    arguments = _whole(call.arguments).strip() or "{}"
    try:
        given = read_object(arguments)
    except BadArguments as bad:
        return ParsedCall(id=id, name=name, problem=str(bad))
    plain = arguments.startswith("{")
    return ParsedCall(id=id, name=name, given=given, arguments=arguments if plain else json.dumps(given))


def _whole(text: str) -> str:
    """Half a character cannot be written down."""
    return text if text.isascii() else text.encode(errors="replace").decode()
