"""Tries a command-line agent once, as minions would run it: whether it starts, answers through the gateway, and what
that costs."""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from agents.domain.task.task import Task
from agents.minions.engines.cli.program import Cli, Launch, read_output
from agents.minions.engines.cli.starting import play
from agents.ports import ADDRESS, Act, Door, Lender, Loan, Program, Room, Workspace

PROMPT = "Answer with the one word `ready` and call no tool: the connection is being tried."
SECONDS = 120.0
Opens = Callable[[Workspace, Door], AbstractAsyncContextManager[Room]]  # with this door, for SECONDS at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """`problem` is empty where it answered."""

    seconds: float
    calls: int
    problem: str = ""


async def try_program(cli: Cli, program: Program, lender: Lender, task: Task, open: Opens) -> Tried:
    """Raises OverlordError where nothing could be started."""

    async def no_tools(body: bytes) -> bytes | None:
        return None

    async def go_on(acts: Sequence[Act]) -> str:
        return ""

    lent = lender.lend(Loan(engine=cli.name, run="doctor", task=task, tools=no_tools, next_turn=go_on))
    launch = Launch(
        cli=cli,
        program=program,
        model=lent.model,
        token=lent.token,
        address=ADDRESS,
        tools="",
        turns=2,
        seconds=SECONDS,
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="overlord-try-") as made:
        ran = await play(launch, PROMPT, Workspace(path=Path(made)), lambda at: open(at, lent))
    end, errors = read_output(cli, ran.output)
    failure = lent.last_failure
    said = failure.message if failure else "" if end.over else end.problem or errors or f"it ended by {ran.ended_by}"
    return Tried(seconds=time.monotonic() - began, calls=lent.calls, problem=said)
