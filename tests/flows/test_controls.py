"""Control questions: one in so many, about the real thing, and two misses of the last ten cost a model its voice."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.errors import BudgetReached
from agents.domain.ids import ProjectId
from agents.domain.models.control import LAST, Tried, is_believed, is_drawn, remember_try
from agents.domain.planning.decomposition import Decomposition
from agents.domain.planning.planted import LINES, STEPS, plant_in_diff, plant_in_plan
from agents.flows.controls import why_not_believed
from agents.flows.plan_answer import PlanSays
from agents.llm.answers import NONCE, read_answer
from agents.ports import Ask, Llm, Shape, Spent
from bot.cards.status import why_card
from tests.fakes.llm import SEES, ScriptedLlm, no_answer
from tests.flows.world import Planning, planning
from tests.scenarios.plans import GO, OK, plan

BLIND: dict[str, dict[str, Any]] = {"critic": GO, "custodiet": OK, "code_review": {"status": "approved"}}


class Tempted(ScriptedLlm):
    """Says of control questions what it is told to; an exception is raised."""

    def __init__(self, says: dict[str, Any], **scripts: list[Any]) -> None:
        super().__init__(always={"critic": GO, "custodiet": OK, "decompose": plan("Show a form")}, **scripts)
        self.says = says
        self.controls: list[Ask] = []

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        if not asked.step.endswith(":control"):
            return await super().ask(asked, shape)
        self.controls.append(asked)
        said = self.says[asked.question]
        if isinstance(said, Exception):
            raise said
        return read_answer(json.dumps({**said, NONCE: "t"}), shape, "t"), Spent(model="scripted")


@asynccontextmanager
async def always_drawn(place: Path, llm: Llm) -> AsyncIterator[Planning]:
    async with planning(place, lambda office: lambda job: llm) as world:
        world.office = replace(world.office, limits=replace(world.office.limits, control_every=1))
        yield world


async def reviewed(world: Planning) -> None:
    await world.run_next("intake", "decompose", "review")


async def tries(world: Planning) -> tuple[Tried, ...]:
    found = await world.office.database.read(lambda tx: tx.log.project(ProjectId("P-shop")))
    return found.tried if found else ()


async def test_a_control_question_is_a_review_of_the_real_plan_with_one_step_more(tmp_path: Path) -> None:
    llm = Tempted(SEES)
    async with always_drawn(tmp_path, llm) as world:
        await reviewed(world)
        task = await world.now()
    assert task.of_kind(Kind.PLAN), "the real answers count"
    assert {asked.question for asked in llm.controls} == {"critic", "custodiet"}
    for asked in llm.controls:
        real = next(each for each in llm.asked if each.question == asked.question)
        assert asked.about.keys() == real.about.keys() - {"looks"}
        assert asked.role == real.role and asked.task.plan.draft and task.plan.draft
        *mine, more = asked.task.plan.draft.steps
        assert [step.title for step in mine] == [step.title for step in task.plan.draft.steps]
        assert more.title in {step.title for step in STEPS} and not any(
            "control" in str(v) for v in asked.about.values()
        )


async def test_two_misses_cost_a_model_its_verdict_and_the_card_says_so(tmp_path: Path) -> None:
    llm = Tempted(BLIND)
    async with always_drawn(tmp_path, llm) as world:
        await reviewed(world)
        task = await world.now()
        assert (await tries(world)) == (Tried(model="scripted", missed=(True, True)),)
        assert task.of_kind(Kind.PLAN) is None and task.of_kind(Kind.DEBATE), "a person decides"
        assert task.plan.review is not None
        assert task.plan.review.critic.why_none == "scripted missed 2 of its last 10 control questions"
        told = str(why_card(task, str).rows)
        assert "control questions" in told and not any(step.title in told for step in STEPS)


async def test_one_miss_costs_nothing_yet(tmp_path: Path) -> None:
    llm = Tempted({**SEES, "custodiet": OK})
    async with always_drawn(tmp_path, llm) as world:
        await reviewed(world)
        assert (await world.now()).of_kind(Kind.PLAN)
        assert sum((await tries(world))[0].missed) == 1


@pytest.mark.parametrize("fault", [no_answer(), BudgetReached("month", limit=1, spent=1, wanted=1)])
async def test_a_control_question_that_nobody_answers_holds_nothing_up(tmp_path: Path, fault: Exception) -> None:
    llm = Tempted({"critic": fault, "custodiet": fault})
    async with always_drawn(tmp_path, llm) as world:
        await reviewed(world)
        assert (await world.now()).of_kind(Kind.PLAN) and not await tries(world)


async def test_what_cannot_be_read_did_not_see_it(tmp_path: Path) -> None:
    unread = no_answer()
    unread.error, unread.model = "parsing", "scripted"
    llm = Tempted({"critic": unread, "custodiet": {"verdict": "no_verdict"}})
    async with always_drawn(tmp_path, llm) as world:
        await reviewed(world)
        assert (await tries(world)) == (Tried(model="scripted", missed=(True, True)),)


def test_one_in_five_is_drawn_and_a_replay_draws_the_same() -> None:
    drawn = [is_drawn(5, f"T-{number}", "critic:1") for number in range(2_000)]
    assert 300 < sum(drawn) < 500 and drawn == [is_drawn(5, f"T-{number}", "critic:1") for number in range(2_000)]
    assert not any(is_drawn(0, f"T-{number}") for number in range(100))


def test_only_the_last_ten_count_and_each_model_by_itself() -> None:
    known: tuple[Tried, ...] = ()
    for missed in (True, True, *[False] * (LAST - 1)):
        known = remember_try(known, "one", missed=missed)
    known = remember_try(known, "two", missed=True)
    assert is_believed(known, "one") and is_believed(known, "two") and is_believed((), "")
    assert not is_believed(remember_try(known, "two", missed=True), "two")


def test_a_verdict_of_several_models_counts_where_all_of_them_are_believed() -> None:
    known = (Tried(model="one", missed=(False,)), Tried(model="two", missed=(True, True)))
    assert why_not_believed(known, "one") == why_not_believed(known) == ""
    assert why_not_believed(known, "one", "two") == "two missed 2 of its last 10 control questions"


def test_what_is_planted_is_the_same_for_a_replay() -> None:
    draft = read_answer(json.dumps({**plan("Show a form", "Check it"), NONCE: "t"}), PlanSays, "t").to_draft()
    assert isinstance(draft, Decomposition) and plant_in_plan(draft, "T-1:1") == plant_in_plan(draft, "T-1:1")
    titles = {plant_in_plan(draft, f"T-{n}").steps[-1].title for n in range(40)}
    assert titles == {step.title for step in STEPS}


def test_a_line_is_planted_among_added_ones_and_nowhere_else() -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n def f():\n-    return 1\n+    return 2\n"
    planted = plant_in_diff(diff, "code_review:1:1")
    [line] = set(planted.split("\n")) - set(diff.split("\n"))
    assert line.startswith("+    ") and line[5:] in LINES
    assert planted.replace(f"{line}\n", "") == diff
    assert plant_in_diff("-    return 1\n+++ b/x.py\n", "key") == ""
