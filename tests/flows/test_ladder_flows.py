"""The ladder of planning, call by call: what a fault costs, what is asked next, and where a kill leaves it."""

import asyncio
from pathlib import Path

import pytest

from agents.domain.errors import NoAnswer
from agents.domain.limits import Limits
from agents.domain.models.failure import POLICIES
from agents.domain.planning.decomposition import Level
from agents.llm.tokens import Tokens
from bot.cards.reasons import put
from tests.fakes.model_server import Answer, Fails, ModelServer, Says, Seen, tag_of
from tests.flows.planning import served
from tests.flows.world import Planning, planning
from tests.llm.fault_table import BAD_ANSWERS, BAD_REPLIES, FAULTS, ONCE, SAY_NOTHING
from tests.llm.rig import LOADED
from tests.scenarios.plans import plan

GOOD = plan("Show a form")
CUT = Says(value=GOOD, finish="length")
PLAN_CALLS = POLICIES["default"].under(Limits()).attempts
SAME_TWICE = 2  # whoever gives the same bad answer again is not asked a third time
SIMPLER = (*ONCE, "cut by length")
# Those that break off or are long in coming are in the matrix of questions; here a few of each kind do.
TRIED = ("prose", "wrong types", "two choices", "no tag", "cut by length", *ONCE, "too many", "away")
count = Tokens()


def in_brief(seen: Seen) -> bool:
    return "Plan in short" in seen.text


def asked_in_brief(server: ModelServer) -> list[bool]:
    return [in_brief(seen) for seen in server.seen if seen.question != "route"]


async def planned(world: Planning) -> None:
    await LOADED.warm()
    await world.run_next("intake", "decompose")


@pytest.mark.parametrize("fault", TRIED)
async def test_each_step_makes_the_calls_of_its_policy(tmp_path: Path, fault: str) -> None:
    """The whole question by its policy; where a smaller one may do, that one by the same policy; then nothing."""
    calls = 1 if fault in ONCE else PLAN_CALLS if fault in (*BAD_REPLIES, *SAY_NOTHING) else SAME_TWICE
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("decompose", lambda seen: FAULTS[fault](GOOD, tag_of(seen.text)))
        with pytest.raises(NoAnswer):
            await planned(world)
        brief = [True] * calls if fault in SIMPLER else []
        assert asked_in_brief(server) == [False] * calls + brief
        assert ("PlanningSimplified" in await world.facts()) is bool(brief)
        assert (await world.now()).plan.draft is None


def test_every_fault_is_known_to_be_of_one_kind_or_the_other() -> None:
    assert set(TRIED) <= FAULTS.keys() and set(SIMPLER) <= {*BAD_ANSWERS, *BAD_REPLIES}


async def test_the_smaller_question_has_the_request_the_project_and_the_top_of_the_tree(tmp_path: Path) -> None:
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("decompose", lambda seen: GOOD if in_brief(seen) else CUT)
        await planned(world)
        whole, small = next(seen for seen in server.seen if seen.question == "decompose"), server.seen[-1]
        assert "add a login page" in small.text and "Project: shop" in small.text and "## Planner" in small.text
        assert "## Critic" in whole.text and "## Critic" not in small.text
        assert count(small.text) < 0.75 * count(whole.text)
        task = await world.now()
        assert (task.plan.level, task.plan.number) == (Level.SIMPLIFIED, 1)
        assert "cut off in the middle" in put(task.plan.level_why)


async def test_a_kill_after_the_first_step_goes_on_with_the_second(tmp_path: Path) -> None:
    waits = asyncio.Event()

    def answer(seen: Seen) -> Answer:
        if not in_brief(seen):
            return CUT
        waits.set()
        return Says(value=GOOD, wait=60)

    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        await LOADED.warm()
        server.answers("decompose", answer)
        await world.run_next("intake")
        dying = asyncio.create_task(world.run(await world.next_job()))
        await waits.wait()
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        assert (await world.now()).plan.level is Level.SIMPLIFIED, "it was noted before the question was asked"

        server.answers("decompose", GOOD)
        await world.run_next("decompose")
        assert asked_in_brief(server) == [False] * SAME_TWICE + [True, True], "the whole question is not paid again"
        assert (await world.now()).plan.level is Level.SIMPLIFIED


async def test_a_model_that_is_away_is_not_asked_for_less(tmp_path: Path) -> None:
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("decompose", Fails(status=503))
        with pytest.raises(NoAnswer):
            await planned(world)
        assert asked_in_brief(server) == [False] * PLAN_CALLS
