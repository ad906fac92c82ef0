"""The assessor compares the work with what was asked for, after supervisors; where it drifted, people decide."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.errors import PressRefused
from agents.domain.ids import PersonId
from agents.domain.supervision.directive import DirectiveType
from agents.domain.supervision.facts import Drift
from agents.domain.supervision.tuning import SupervisorSettings, SupervisorTuning
from agents.domain.work.remaining import amend_for
from agents.domain.work.work import Ending, SubtaskState
from agents.flows.supervision.assess import RemainderAnswer
from agents.ports import GaveUp
from store.codec import Cause
from store.streams import audit
from store.transaction import Transaction
from tests.builders.supervision import directive
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import Workshop, says
from tests.flows.test_directive_flows import TWO
from tests.flows.test_supervision_flows import Watched, answers
from tests.flows.world import ANA, planning

ALIGNED: dict[str, Any] = {"verdict": "aligned"}
MINOR: dict[str, Any] = {"verdict": "minor_drift", "why": "2 stores more than was asked for"}
MAJOR: dict[str, Any] = {"verdict": "major_divergence", "why": "nobody can log out any more"}
REST: dict[str, Any] = {
    "add": [{"title": "Let people log out", "why": "it was asked for", "files": ["out.py"], "test": "one logs out"}],
    "drop": [{"number": 4, "why": "nobody asked to explain it"}],
    "summary": "Logging out comes in.",
}
ASSESSING = SupervisorSettings(enabled=True, assessor=SupervisorTuning())


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    """The first phase has two subtasks; nothing but the assessor looks."""
    llm = ScriptedLlm(always=answers(decompose=TWO, assess=ALIGNED, remainder=REST))
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        made = Watched(plan.office, plan.llm, plan.task, workshop=Workshop())
        made.tune(assessor=SupervisorTuning())
        made.model = llm
        yield made


async def judged(watched: Watched) -> list[Drift]:
    recorded = await watched.office.database.read(lambda tx: tx.log.facts(watched.task, kinds=(e.DriftJudged,)))
    return [each.event.drift for each in recorded if isinstance(each.event, e.DriftJudged)]


async def drifted(watched: Watched) -> None:
    watched.model.then("assess", MAJOR)
    await watched.accepted()
    await watched.run_until("replan")


async def test_it_looks_at_the_end_of_a_phase_and_work_goes_on_where_it_is_aligned(watched: Watched) -> None:
    await watched.accepted()
    ran = await watched.settle()
    assert ran.count("assess") == 1 and await judged(watched) == [Drift.ALIGNED]
    assert (await watched.now()).of_kind(Kind.MERGE)


async def test_supervisors_come_before_it_and_it_sees_what_they_found(watched: Watched) -> None:
    watched.office = replace(watched.office, supervisors=ASSESSING)
    await watched.accepted()
    ran = await watched.settle()
    assert ran.index("run_supervisors") < ran.index("assess")
    asked = next(each for each in watched.model.asked if each.question == "assess")
    assert "design: Nothing." in str(asked.about["log"])
    assert (await watched.facts()).count("SubtaskReady") == 5


async def test_it_looks_again_after_so_many_subtasks(watched: Watched) -> None:
    watched.tune(assessor=SupervisorTuning(interval=1))
    await watched.accepted()
    assert (await watched.settle()).count("assess") == 3, "after the last nothing is left to be changed"


async def test_a_dropped_subtask_has_it_look(watched: Watched) -> None:
    watched.workshop.minions.scripts = {3: [says(GaveUp(ending=Ending.TURNS, problem="in circles"))]}
    watched.tune(assessor=SupervisorTuning(interval=0))
    watched.model.then("decompose", {**TWO, "subtasks": [{**s, "needs": [], "phase": 1} for s in TWO["subtasks"]]})
    await watched.accepted()
    while (await watched.states())[2] is not SubtaskState.NEEDS_HUMAN:
        await watched.run(await watched.next_job())
    await watched.press(Kind.ESCALATION, "drop")
    assert "AssessmentDue" in await watched.facts()


async def test_minor_drift_adds_to_the_urgency_and_work_goes_on(watched: Watched) -> None:
    watched.model.then("assess", MINOR)
    await watched.accepted()
    await watched.settle()
    assert (await watched.project()).supervision.urgency == 0.5
    assert (await watched.now()).of_kind(Kind.MERGE)


async def test_major_divergence_holds_new_starts_until_a_person_takes_another_plan(watched: Watched) -> None:
    await drifted(watched)
    task = await watched.now()
    asked = task.of_kind(Kind.REPLAN)
    assert asked and not task.work.on(3).queued
    assert asked.plain_evidence == (
        "+ 6. Let people log out (out.py)",
        "- 4. Explain it: nobody asked to explain it",
        "files: out.py",
    ), "what the work grows by is said"
    with pytest.raises(PressRefused, match="not_yours"):
        await watched.press(Kind.REPLAN, "take", by=ANA)
    await watched.press(Kind.REPLAN, "take")
    task = await watched.now()
    assert task.work.on(4).state is SubtaskState.CANCELLED and task.work.on(3).queued
    assert (task.plan.number, task.plan.subtask(6).title) == (2, "Let people log out")
    await watched.settle()
    task = await watched.now()
    assert task.work.on(6).state is SubtaskState.DONE and task.of_kind(Kind.MERGE)
    assert not await watched.office.database.read(lambda tx: audit.examine(tx.db).apart)


async def test_a_person_keeps_the_plan_or_has_the_rest_planned_again(watched: Watched) -> None:
    await drifted(watched)
    await watched.press(Kind.REPLAN, "again", "and keep the notes")
    await watched.run_until("replan")
    asked = [each for each in watched.model.asked if each.question == "remainder"]
    assert len(asked) == 2 and "and keep the notes" in str(asked[1].about["why"])
    await watched.press(Kind.REPLAN, "keep")
    await watched.settle()
    task = await watched.now()
    assert task.of_kind(Kind.MERGE) and task.plan.number == 1


async def test_a_plan_for_the_rest_is_not_taken_over_a_change_that_came_between(watched: Watched) -> None:
    await drifted(watched)
    await amend_meanwhile(watched)
    with pytest.raises(PressRefused, match="changed"):
        await watched.press(Kind.REPLAN, "take")
    await watched.press(Kind.REPLAN, "again", "on top of that")
    await watched.run_until("replan")
    await watched.press(Kind.REPLAN, "take")
    task = await watched.now()
    assert [(n, task.plan.subtask(n).title) for n in (6, 7)] == [(6, "Check the form"), (7, "Let people log out")]
    assert task.plan.number == 3


async def amend_meanwhile(watched: Watched) -> None:
    """A person adds what a supervisor asked for, while another plan for the rest waits."""

    def transaction(tx: Transaction) -> None:
        task = tx.log.task(watched.task)
        wanted = directive("Check the form", type=DirectiveType.FUNCTIONAL, files=("form.py",))
        amended = amend_for(task, [wanted], (PersonId("lead"),), watched.office.clock.now())
        tx.log.append(task.id, [amended], Cause(actor="console:lead", delivery="job:x"))

    await watched.office.database.write(transaction)


async def test_where_nobody_can_plan_the_rest_a_person_is_asked_all_the_same(watched: Watched) -> None:
    watched.model.always(remainder=no_answer("no model answers"))
    await drifted(watched)
    asked = (await watched.now()).of_kind(Kind.REPLAN)
    assert asked and [o.value for o in asked.options] == ["again", "keep"]
    await watched.press(Kind.REPLAN, "keep")
    assert (await watched.now()).work.on(3).queued


async def test_without_an_assessor_work_goes_on(watched: Watched) -> None:
    watched.model.always(assess=no_answer("no model answers"))
    await watched.accepted()
    await watched.settle()
    assert await judged(watched) == [Drift.UNKNOWN] and (await watched.now()).of_kind(Kind.MERGE)


async def test_what_somebody_has_begun_with_can_neither_be_dropped_nor_moved(watched: Watched) -> None:
    await drifted(watched)
    asked = next(each for each in watched.model.asked if each.question == "remainder")

    assert "1 is no subtask that waits" in asked.refuse(RemainderAnswer(order=(1, 3)))
    assert asked.refuse(RemainderAnswer()) == "it changes nothing"
    assert "no path" in asked.refuse(
        RemainderAnswer.model_validate({"add": [{"title": "a", "why": "b", "files": ["../x"]}]})
    )
