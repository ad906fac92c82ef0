"""One turn of a minion: its calls in order, each with a result, until one of them ends this part of the run."""

from collections.abc import Callable

from agents.domain.text.sanitize import cut
from agents.minions.engines.builtin.executor import LONGEST, Done, ToolExecutor
from agents.minions.engines.builtin.tool_calls import MOST_CALLS, ParsedCall, message_of, parse_calls
from agents.minions.engines.builtin.transcript import Ended, Message, Talk, Turn
from agents.ports import Asked, Said, WantsScope

MARGIN = 2_000  # a tool's own note on what it cut stays
USE_THE_TOOLS = (
    "You called no tool, so nothing happened. Go on with a tool; end with task_complete, or with task_blocked and why."
)
_WAITS = (Asked, WantsScope)  # their results come from people, later


async def play(said: Said, executor: ToolExecutor, talk: Talk, redact: Callable[[str], str]) -> Turn:
    """Raises NoRoom."""
    calls = parse_calls(said, talk.turns + 1)
    turn = Turn(message=message_of(said, calls), errors=talk.errors, doing=talk.doing)
    if not calls:
        turn.errors += 1
        turn.results.append({"role": "user", "content": USE_THE_TOOLS})
        return turn
    failed = False
    for call in calls:
        done = _not_now(turn, failed, call) or await executor.run(call)
        failed = failed or done.error
        _note(turn, call, done, redact)
    turn.doing = executor.doing
    dropped = len(said.calls) - len(calls)
    if dropped and turn.results:  # in a result, for nothing may stand between a call and what answers it
        turn.results[-1]["content"] += f"\n({dropped} further calls were not looked at: {MOST_CALLS} are the most.)"
    return turn


def _not_now(turn: Turn, failed: bool, call: ParsedCall) -> Done | None:
    """What comes after an end is not done, and nothing is complete while a call beside it failed."""
    if turn.ended:
        return Done(text="Not done: the call before it ended this part of the run.")
    if failed and call.name == "task_complete":
        return Done(text="Not taken: a call before it in this turn failed. Look at that first.", error=True)
    return None


def _note(turn: Turn, call: ParsedCall, done: Done, redact: Callable[[str], str]) -> None:
    if done.outcome is not None:
        turn.ended = Ended(call=call.id, outcome=done.outcome)
    if done.wrote and done.wrote not in turn.wrote:
        turn.wrote.append(done.wrote)
    if done.skill and done.skill not in turn.skills:
        turn.skills.append(done.skill)
    turn.fixes += done.sent_back
    turn.errors = turn.errors + 1 if done.error else 0
    if not isinstance(done.outcome, _WAITS):
        turn.results.append(result(call.id, cut(redact(done.text), LONGEST + MARGIN)))


def result(call: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call, "content": text or "(nothing)"}
