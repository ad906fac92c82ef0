"""What every engine of minions does alike, whatever powers it: the port `agents.ports.Minions`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.errors import BudgetReached, OverlordError
from agents.domain.limits import Limits
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import EngineName
from agents.minions.by_role import ENGINES
from agents.ports import Asked, Finished, GaveUp, Outcome, Sandbox, WantsScope
from tests.conformance.cli_rig import is_here
from tests.conformance.minions_rig import (
    BEATS,
    RIGS,
    Act,
    Ask,
    Block,
    Finish,
    MinionsRig,
    OutOfMoney,
    Run,
    WantScope,
    Write,
    minions,
)
from tests.minions.field import Field, laid_out

NEW = "shortlinks/new.py"
WHOLE = "OVERLORD_TEST_PROGRAMS"  # set: programs of others play everything, which takes minutes


class Ground:
    """One subtask and the engine that works on it."""

    def __init__(self, engine: EngineName, field: Field) -> None:
        self.engine, self.field = engine, field
        self.rigs: list[MinionsRig] = []

    async def play(self, *acts: Act, **work: object) -> tuple[Outcome, MinionsRig]:
        rig = RIGS[self.engine](acts)
        self.rigs.append(rig)
        run = minions(self.engine, rig, self.field)
        return await run.run(self.field.brief(**work), self.field.watch), rig

    def close(self) -> None:
        for rig in self.rigs:
            rig.close()

    def read(self, path: str) -> str:
        file = self.field.root / path
        return file.read_text() if file.exists() else ""

    async def grows(self, path: str) -> bool:
        """Whether somebody still writes there."""
        before = self.read(path)
        await asyncio.sleep(0.4)
        return self.read(path) != before


@pytest.fixture(params=sorted(RIGS))
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ground]:
    if request.param is not EngineName.BUILTIN:
        if not is_here(request.param):
            pytest.skip(f"{request.param} is not installed: `make bench ARGS='--only engines'` installs and runs it")
        if not os.environ.get(WHOLE) and request.function not in SAMPLE:
            pytest.skip(f"runs on {request.param} in `make bench ARGS='--only engines'`")
    async with laid_out(tmp_path) as field:
        ground = Ground(request.param, field)
        yield ground
        await asyncio.to_thread(ground.close)


def test_every_engine_is_held_to_the_port() -> None:
    assert ENGINES.keys() == RIGS.keys() == set(EngineName)
    assert all(engine.name is name and engine.title for name, engine in ENGINES.items())


async def test_it_hands_in_work(ground: Ground) -> None:
    outcome, _ = await ground.play(Write(NEW, "a = 1\n"), Finish("It is done."))
    assert isinstance(outcome, Finished) and outcome.summary == "It is done."
    assert ground.read(NEW) == "a = 1\n"


async def test_an_end_that_nobody_recorded_is_told_again_and_nothing_is_done_twice(ground: Ground) -> None:
    outcome, _ = await ground.play(Write(NEW, "a = 1\n"), Finish("It is done."))
    again, rig = await ground.play()
    assert again == outcome and rig.turns() == 0


async def test_it_asks_and_goes_on_after_the_answer(ground: Ground) -> None:
    outcome, _ = await ground.play(Write(NEW, "a = 1\n"), Ask("Which name?", ("A", "B")))
    assert isinstance(outcome, Asked)
    assert (outcome.question, outcome.options) == ("Which name?", ("A", "B"))
    waiting, rig = await ground.play()
    assert waiting == outcome and rig.turns() == 0, "it waits for a person"
    outcome, rig = await ground.play(
        Finish("It is B."), answer="Take B, please.", questions=1, since=("Take B, please.",)
    )
    assert outcome == Finished(summary="It is B.", note="")
    assert "Take B, please." in rig.told()
    assert ground.read(NEW) == "a = 1\n"


async def test_it_gives_up_with_its_reason(ground: Ground) -> None:
    outcome, _ = await ground.play(Block("There is no database here."))
    assert outcome == GaveUp(ending=Ending.BLOCKED, problem="There is no database here.")


async def test_a_stopped_run_leaves_its_files_and_nothing_of_it_runs_on(ground: Ground) -> None:
    running = asyncio.create_task(ground.play(Write(NEW, "a = 1\n"), BEATS))
    while not ground.read("shortlinks/beats.txt"):  # noqa: ASYNC110  a program writes it
        await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not await ground.grows("shortlinks/beats.txt")
    outcome, rig = await ground.play(Finish("It went on."), since=("Go on, please.",))
    assert isinstance(outcome, Finished) and "Go on, please." in rig.told()
    assert ground.read(NEW) == "a = 1\n"


async def test_it_is_resumed_after_a_kill(ground: Ground, tmp_path: Path) -> None:
    program = (sys.executable, "-m", "tests.conformance.minions_rig", ground.engine, str(tmp_path))
    child = await asyncio.create_subprocess_exec(*program)
    try:
        while not ground.read("shortlinks/beats.txt"):
            assert child.returncode is None, "it ended by itself"
            await asyncio.sleep(0.05)
    finally:
        child.kill()
        await child.wait()
    assert ground.read("shortlinks/first.py") == "first = 1\n"
    outcome, rig = await ground.play(Finish("It went on."), interrupted="The bot was restarted.")
    assert isinstance(outcome, Finished) and "The bot was restarted." in rig.told()
    assert ground.field.progress[-1].turns > 1, "turns before the kill count"
    assert not await ground.grows("shortlinks/beats.txt")


async def test_what_is_out_of_scope_is_not_written(ground: Ground) -> None:
    before = ground.read("pyproject.toml")
    outcome, _ = await ground.play(Write("pyproject.toml", "mine"), Write(NEW, "a = 1\n"), Finish("Done."))
    assert isinstance(outcome, Finished)
    assert ground.read("pyproject.toml") == before and ground.read(NEW) == "a = 1\n"


async def test_it_may_ask_for_more_scope(ground: Ground) -> None:
    outcome, _ = await ground.play(WantScope(("pyproject.toml",), "a new dependency"))
    assert outcome == WantsScope(paths=("pyproject.toml",), why="a new dependency")


async def test_it_gives_up_after_its_turns(ground: Ground) -> None:
    ground.field.limits = Limits(minion_turns=2)
    outcome, rig = await ground.play(Run("true"), Run("true"), Finish("Too late."))
    assert isinstance(outcome, GaveUp) and outcome.ending is Ending.TURNS and rig.turns() == 2


async def test_it_gives_up_after_its_time_and_so_does_what_it_started(ground: Ground) -> None:
    ground.field.limits = Limits(minion_seconds=1.5)
    outcome, _ = await ground.play(BEATS)
    assert isinstance(outcome, GaveUp) and outcome.ending is Ending.TIMEOUT
    assert not await ground.grows("shortlinks/beats.txt")


async def test_a_budget_that_is_used_up_is_raised_and_not_an_outcome(ground: Ground) -> None:
    with pytest.raises(BudgetReached):
        await ground.play(Write(NEW, "a = 1\n"), OutOfMoney())
    outcome, _ = await ground.play(Finish("There was money again."))
    assert isinstance(outcome, Finished) and ground.read(NEW) == "a = 1\n"


async def test_it_tells_of_each_turn_and_hears_what_people_say_meanwhile(ground: Ground) -> None:
    ground.field.heard = [["Use tabs."], []]
    _, rig = await ground.play(Write(NEW, "a = 1\n"), Run("true"), Finish("Done."))
    turns = [progress.turns for progress in ground.field.progress]
    assert turns == [1, 2, 3, 4][: len(turns)] and len(turns) >= 3  # a program may have to be told before it is done
    assert {progress.changed for progress in ground.field.progress} == {1}
    assert all(progress.doing for progress in ground.field.progress[:2])
    assert "Use tabs." in rig.told()


async def test_without_a_sandbox_nothing_is_run(ground: Ground) -> None:
    async def none() -> Sandbox:
        raise OverlordError("bubblewrap: not installed", next_step="Install it.")

    rig = RIGS[ground.engine]([Write(NEW, "a = 1\n"), Finish("Done.")])
    ground.rigs.append(rig)
    run = minions(ground.engine, rig, ground.field)
    run = replace(run, services=replace(run.services, sandbox=none))
    outcome = await run.run(ground.field.brief(), ground.field.watch)
    assert outcome == GaveUp(ending=Ending.NO_SANDBOX, problem="bubblewrap: not installed. Install it.")
    assert rig.turns() == 0 and not ground.read(NEW)


SAMPLE = (test_it_hands_in_work, test_it_asks_and_goes_on_after_the_answer)  # of what programs of others play
