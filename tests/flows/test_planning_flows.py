"""The flows of planning by themselves: side by side, never paid twice, and silent about what is over."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from agents.domain.decisions.authority import Kind
from agents.domain.errors import BudgetReached
from agents.domain.task.task import TaskState
from agents.ports import Ask, Llm
from bot.cards.status import state_of, why_card
from bot.services import Services
from store import tables
from store.running.calls import CallState
from store.running.jobs import Job
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.model_server import ModelServer, Says
from tests.flows.planning import served
from tests.flows.world import Planning, planning
from tests.llm.rig import LOADED
from tests.scenarios.plans import GO, KEEPS, OK, REVISE, WARN, plan

PATIENCE = 60.0  # seconds; machines are shared


def scripted(llm: ScriptedLlm) -> Callable[[Services], Callable[[Job], Llm]]:
    return lambda office: lambda job: llm


async def test_reviewers_think_side_by_side(tmp_path: Path) -> None:
    meeting = asyncio.Barrier(2)

    async def once_both_are_asked(asked: Ask) -> dict[str, Any]:
        await meeting.wait()
        return GO if asked.question == "critic" else OK

    llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[once_both_are_asked], custodiet=[once_both_are_asked])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake", "decompose")
        async with asyncio.timeout(PATIENCE):
            await world.run(await world.next_job())
        assert (await world.now()).state is TaskState.AWAITING_APPROVAL


async def test_what_minions_need_is_made_ready_while_reviewers_read(tmp_path: Path) -> None:
    """So that an approval starts them at once."""
    llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[GO], custodiet=[OK])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake", "decompose")
        assert world.workshop.minions.prepared == 0
        await world.run_next("review")
        assert world.workshop.minions.prepared == 1
        assert (await world.now()).state is TaskState.AWAITING_APPROVAL


async def test_a_review_that_dies_between_critic_and_custodiet_does_not_pay_the_critic_twice(tmp_path: Path) -> None:
    await LOADED.warm()
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("decompose", plan("Show a form"))
        server.answers("critic", GO)
        server.answers("custodiet", Says(value=OK, wait=60))
        await world.run_next("intake", "decompose")
        dying = asyncio.create_task(world.run(await world.next_job()))
        await until_answered(world, "critic")
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        assert server.count("critic") == server.count("custodiet") == 1

        server.answers("custodiet", OK)
        await world.run_next("review")
        assert (await world.now()).of_kind(Kind.PLAN)
        assert server.count("critic") == 1, "what was answered is never paid again"
        assert server.count("custodiet") == 2, "only the step in flight is repeated"


async def until_answered(world: Planning, question: str) -> None:
    async with asyncio.timeout(30):
        while True:
            calls = await world.office.database.read(lambda tx: tx.db.execute(select(tables.calls)).all())
            if any(row.state == CallState.DONE and row.role == question for row in calls):
                return
            await asyncio.sleep(0.01)


async def test_an_answer_that_comes_after_the_task_was_cancelled_records_nothing(tmp_path: Path) -> None:
    thought, asked = asyncio.Event(), asyncio.Event()

    async def late(question: Ask) -> dict[str, Any]:
        asked.set()
        await thought.wait()
        return plan("Show a form")

    llm = ScriptedLlm(decompose=[late])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake")
        running = asyncio.create_task(world.run(await world.next_job()))
        await asked.wait()
        await world.cancel()
        before = await world.facts()
        thought.set()
        await running
        assert await world.facts() == before and (await world.now()).state is TaskState.CANCELLED


async def test_a_job_that_begins_after_the_task_was_cancelled_asks_no_model(tmp_path: Path) -> None:
    llm = ScriptedLlm()
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake")
        await world.cancel()
        before = await world.facts()
        await world.run_next("decompose")
        assert llm.count("decompose") == 0 and await world.facts() == before


async def test_a_reviewer_that_is_not_paid_does_not_waste_what_the_other_says(tmp_path: Path) -> None:
    """Both are waited for: an answer that is under way when the money ends is kept for the next run."""
    broke = BudgetReached("task T-1", limit=1, spent=1, wanted=1)
    finished = []

    async def slow(asked: Ask) -> dict[str, Any]:
        await asyncio.sleep(0.05)
        finished.append(asked.question)
        return GO

    llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[slow], custodiet=[broke])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake", "decompose")
        job = await world.next_job()
        (problem,) = await asyncio.gather(world.run(job), return_exceptions=True)
        assert problem is broke and finished == ["critic"]


async def test_a_debate_without_money_ends_by_the_table_and_one_without_answers_with_a_person(tmp_path: Path) -> None:
    broke = BudgetReached("task T-1", limit=1, spent=1, wanted=1)
    for name, critic, custodiet, problem, kind in (
        ("go", GO, WARN, broke, Kind.PLAN),
        ("silent", REVISE, OK, no_answer(), Kind.DEBATE),
    ):
        place = tmp_path / name
        place.mkdir()
        llm = ScriptedLlm(
            decompose=[plan("Show a form")], critic=[critic], custodiet=[custodiet], always={"debate": problem}
        )
        async with planning(place, scripted(llm)) as world:
            await world.run_next("intake", "decompose", "review", "debate")
            assert (await world.now()).of_kind(kind), name


async def test_a_remark_is_read_with_what_is_known_and_without_a_model_stays_one(tmp_path: Path) -> None:
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("decompose", plan("Show a form"))
        server.answers("critic", GO)
        server.answers("custodiet", OK)
        server.answers("intent", {"intent": "change", "confidence": 0.9})
        await world.run_next("intake", "decompose", "review")
        await world.remark("please send a code by mail instead")
        await world.run_next("understand")
        assert (await world.facts())[-1] == "PlanChangeRequested"
        seen = next(seen for seen in server.seen if seen.question == "intent")
        assert "please send a code by mail instead" in seen.text and "Open for a person to decide: plan" in seen.text


async def test_a_debate_that_dies_goes_on_after_the_last_round_that_was_noted(tmp_path: Path) -> None:
    second, alive = asyncio.Event(), asyncio.Event()

    async def argue(asked: Ask) -> dict[str, Any]:
        if asked.about["round"] == 2:
            second.set()
            await alive.wait()
        return KEEPS

    llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[REVISE], custodiet=[OK], always={"debate": argue})
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake", "decompose", "review")
        disagreed = await world.now()
        assert state_of(disagreed) == "The critic and the scope guard argue, round 1 of 2"
        dying = asyncio.create_task(world.run(await world.next_job()))
        await second.wait()
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        cut_short = await world.now()
        assert state_of(cut_short) == "The critic and the scope guard argue, round 2 of 2"
        assert (await world.facts())[-2:] == ["ReviewersDisagreed", "DebateRoundHeld"]
        assert [row.label for row in why_card(cut_short, str).rows if "ebate" in row.label] == [], "it is not over"

        alive.set()
        await world.run_next("debate")
        assert (await world.facts()).count("DebateRoundHeld") == 2
        assert [asked.about["round"] for asked in llm.asked if asked.question == "debate"] == [1, 1, 2, 2, 2, 2]
        ended = await world.now()
        assert ended.of_kind(Kind.DEBATE) and ended.plan.debate and ended.plan.debate.cost == pytest.approx(0.04)
        shown = llm.asked[-1].task
        assert shown and shown.plan.debate and len(shown.plan.debate.rounds) == 1, "they read what was said before"


async def test_nobody_argues_on_about_a_plan_that_is_not_wanted_any_more(tmp_path: Path) -> None:
    async with planning(tmp_path, lambda office: lambda job: llm) as world:

        async def argue(asked: Ask) -> dict[str, Any]:
            if asked.role == "critic":
                await world.cancel()
            return KEEPS

        llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[REVISE], custodiet=[OK], always={"debate": argue})
        await world.run_next("intake", "decompose", "review", "debate")
        assert llm.count("debate") == 2 and "DebateRoundHeld" not in await world.facts()


@pytest.mark.parametrize(
    ("critic", "custodiet"),
    [
        ({"verdict": "no_verdict"}, OK),
        ({"verdict": "halt"}, OK),
        ({"verdict": "revise", "issues": ["…"]}, OK),
        (GO, {"verdict": "block"}),
        (GO, {"verdict": "warn", "asks_for_change": True}),
        (GO, {"verdict": "no_verdict"}),
    ],
)
async def test_a_reviewer_that_gives_no_verdict_never_counts_as_one_that_agrees(
    tmp_path: Path, critic: dict[str, Any], custodiet: dict[str, Any]
) -> None:
    llm = ScriptedLlm(decompose=[plan("Show a form")], critic=[critic], custodiet=[custodiet])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake", "decompose", "review")
        task = await world.now()
        assert task.state is TaskState.AWAITING_APPROVAL and task.of_kind(Kind.PLAN) is None
        assert task.of_kind(Kind.DEBATE) is not None, "a person decides with what there is"
        review = task.plan.review
        assert review is not None
        assert "no_verdict" in (review.critic.verdict, review.custodiet.verdict)
        assert review.critic.why_none or review.custodiet.why_none
