"""Real processes in the real sandbox that end as command lines of models do: each of the six classes is met."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.models.failure import Action, ErrorClass
from agents.domain.models.program_end import EndedBy, ProgramEnd, failure_of_program
from agents.ports import Ran, Room
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.scoring import score_run
from tests.sandbox.bombs import MANY_PROCESSES
from tests.sandbox.yard import SMALL, Yard

E = ErrorClass
# What a fake command line does, what that is, and what is done about it.
ENDS: dict[str, tuple[str, ErrorClass, Action]] = {
    "not_there": ("exec /nowhere/at/all", E.RESOURCE, Action.ESCALATE),
    "not_executable": ("exec /etc/passwd", E.RESOURCE, Action.ESCALATE),
    "no_key": ("echo 'API Error: 401 authentication_error' >&2; exit 1", E.RESOURCE, Action.ESCALATE),
    "no_quota": ("echo '429 insufficient_quota' >&2; exit 1", E.RESOURCE, Action.ESCALATE),
    "busy": ("echo 'unexpected status 429 Too Many Requests' >&2; exit 1", E.NETWORK, Action.RETRY_SAME),
    "cut_off": ("echo 'read ECONNRESET' >&2; exit 1", E.NETWORK, Action.RETRY_SAME),
    "wrong_shape": ("echo 'Output does not match the schema' >&2; exit 1", E.VALIDATION, Action.RETRY_WITH_FEEDBACK),
    "no_shape": ("echo 'Invalid JSON at line 1' >&2; exit 1", E.PARSING, Action.RETRY_WITH_FEEDBACK),
    "gave_up": ("echo 'BLOCKED: no file is named' >&2; exit 1", E.LOGIC, Action.RETRY_WITH_FEEDBACK),
    "hoards": ('exec python3 -c "bytearray(1 << 40)"', E.RESOURCE, Action.ESCALATE),
    "crashed": ("kill -SEGV $$", E.CLI_ERROR, Action.RETRY_ONCE),
    "unknown": ("exit 3", E.CLI_ERROR, Action.RETRY_ONCE),
    # Words of the work, not of the program: what it prints as its answer is never read as an error of its own.
    "talks": ("echo 'BLOCKED: 401 invalid json'; exit 3", E.CLI_ERROR, Action.RETRY_ONCE),
}


def write_programs(folder: Path) -> None:
    for name, (script, _, _) in ENDS.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


async def run(room: Room, folder: Path, name: str) -> tuple[Ran, ProgramEnd]:
    """As an engine would: its error channel goes elsewhere than its answer."""
    ran = await room.run(["sh", "-c", f"exec ./{name} 2>errors.txt"])
    errors = (folder / "errors.txt").read_text()
    return ran, ProgramEnd(program=name, ended_by=ran.ended_by, exit_code=ran.exit_code, errors=errors)


async def test_each_class_is_met_by_a_process_that_ends_so(yard: Yard) -> None:
    folder = yard.workspace.path
    write_programs(folder)
    met = {}
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        for name in ENDS:
            _, end = await run(room, folder, name)
            failure = failure_of_program(end)
            assert failure is not None and failure.message
            met[name] = (failure.error, failure.action)
    assert met == {name: (error, action) for name, (_, error, action) in ENDS.items()}
    assert {error for error, _ in met.values()} == set(ErrorClass)


LOOP = "import time; time.sleep(60)"
FLOOD = "while True: print('x' * 65536)"


@pytest.mark.parametrize(
    ("code", "by", "error"),
    [
        (LOOP, EndedBy.TIMEOUT, E.NETWORK),
        (MANY_PROCESSES, EndedBy.MEMORY, E.RESOURCE),
        (FLOOD, EndedBy.OUTPUT, E.RESOURCE),
    ],
    ids=["time", "memory", "output"],
)
async def test_what_the_sandbox_ends_has_a_class_without_a_word(
    yard: Yard, code: str, by: EndedBy, error: ErrorClass
) -> None:
    short = Yard(yard.sandbox, yard.workspace, replace(SMALL, seconds=1 if by is EndedBy.TIMEOUT else 20))
    ran = await short.python(code)
    failure = failure_of_program(ProgramEnd(program="codex", ended_by=ran.ended_by, exit_code=ran.exit_code))
    assert ran.ended_by is by and failure is not None
    assert failure.error is error and failure.message == f"codex: {by}"


async def test_what_dies_with_its_sandbox_is_tried_once_more(yard: Yard) -> None:
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        running = asyncio.ensure_future(room.run(["sleep", "60"]))
        await asyncio.sleep(0.3)
    ran = await running
    failure = failure_of_program(ProgramEnd(ended_by=ran.ended_by, exit_code=ran.exit_code))
    assert ran.ended_by is EndedBy.KILLED and failure is not None
    assert (failure.error, failure.action) == (E.CLI_ERROR, Action.RETRY_ONCE)


async def test_a_gate_reads_the_same_table_and_holds_words_and_limits_against_the_work(yard: Yard) -> None:
    write_programs(yard.workspace.path)
    found = {}
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        for name in ("not_there", "not_executable", "no_key"):
            ran, _ = await run(room, yard.workspace.path, name)
            found[name] = score_run("tests", Command(argv=(name,), shown=name), ran, yard.profile).error
    assert found == {"not_there": "resource", "not_executable": "resource", "no_key": ""}
