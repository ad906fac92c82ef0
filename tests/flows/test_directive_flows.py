"""What supervisors ask for: through a person into the task or a task of its own; cleanups wait for the polishing."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.errors import PressRefused
from agents.domain.planning.work_kind import WorkKind
from agents.domain.supervision.directive import Became
from agents.domain.supervision.tuning import SupervisorSettings, SupervisorTuning
from agents.domain.task.task import TaskState
from agents.domain.work.work import SubtaskState
from agents.flows.supervision.address import AddressAnswer, missing_in
from store.streams import audit
from tests.builders.supervision import STYLE_SAYS
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import Workshop
from tests.flows.test_supervision_flows import Watched, answers
from tests.flows.world import ANA, planning
from tests.scenarios.plans import Says, subtask

TWO: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [
        subtask("Write the form", files=["form.py"]),
        subtask("Store logins", 1, files=["src/app.py"]),
        subtask("Put both together", 2, files=["app.py"], phase=2),
        subtask("Explain it", 3, files=["notes.md"], phase=2),
    ],
}


def asks(*wanted: dict[str, Any]) -> dict[str, Any]:
    directives = [{"type": "functional", **each} for each in wanted]
    return {"directives": directives, "summary": "The store is built in another way than the rest."}


TABLE = {"description": "Store it in a table", "rationale": "Lists are slow here", "files": ["src/app.py"]}


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    llm = ScriptedLlm(always=answers(decompose=TWO, address=no_answer("nobody can tell")))
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        quiet = SupervisorTuning(enabled=False)
        office = replace(plan.office, supervisors=SupervisorSettings(enabled=True, assessor=quiet))
        made = Watched(office, plan.llm, plan.task, workshop=Workshop())
        made.model = llm
        yield made


async def asked_at_phase(watched: Watched, *wanted: dict[str, Any], approve: str = "approve", words: str = "") -> None:
    """The first phase has ended, and the Design Supervisor asks for these."""
    watched.model.then("design", asks(*wanted))
    await watched.run_next("intake", "decompose", "review")
    await watched.press(Kind.PLAN, approve, words)
    await watched.run_until("run_supervisors")
    await watched.run_until("address")


async def titles(watched: Watched) -> list[str]:
    draft = (await watched.now()).plan.draft
    assert draft
    return [step.title for step in draft.subtasks]


async def whole(watched: Watched) -> bool:
    return not await watched.office.database.read(lambda tx: audit.examine(tx.db).apart)


async def ended(watched: Watched) -> list[e.DirectiveEnded]:
    return await watched.of_project(e.DirectiveEnded)


async def test_a_person_adds_what_is_asked_for_ahead_of_what_is_planned(watched: Watched) -> None:
    await asked_at_phase(watched, TABLE)
    with pytest.raises(PressRefused, match="not_yours"):
        await watched.press(Kind.DIRECTIVES, "add_1", by=ANA)
    await watched.press(Kind.DIRECTIVES, "add_1")
    task = await watched.now()
    assert (await titles(watched))[2:5] == ["Put both together", "Store it in a table", "Explain it"]
    added = task.plan.subtask(6)
    assert (added.kind, added.why, task.plan.number) == (WorkKind.FIX, "Lists are slow here", 2)
    assert task.plan.accepted == task.plan.draft.hash if task.plan.draft else False
    [one] = await ended(watched)
    assert (one.became, one.subtask) == (Became.SUBTASK, 6) and one.by
    await watched.settle()
    task = await watched.now()
    assert [work.state for work in task.work.subtasks] == [SubtaskState.DONE] * 6 and task.of_kind(Kind.MERGE)
    assert await whole(watched) and (await watched.project()).supervision.pending == ()


async def test_a_normal_directive_holds_up_nothing(watched: Watched) -> None:
    await asked_at_phase(watched, TABLE)
    assert (await watched.now()).work.on(3).queued
    await watched.settle()
    task = await watched.office.database.read(lambda tx: tx.log.in_thread(watched.task))
    assert task.of_kind(Kind.MERGE) and task.of_kind(Kind.DIRECTIVES)
    with pytest.raises(PressRefused, match="whole"):
        await watched.press(Kind.DIRECTIVES, "add_1")
    await watched.press(Kind.DIRECTIVES, "dismiss_1")
    assert (await watched.project()).supervision.pending == ()


async def test_a_critical_one_lets_nothing_new_start_until_a_person_decides(watched: Watched) -> None:
    await asked_at_phase(watched, {**TABLE, "priority": "critical"})
    task = await watched.now()
    assert task.supervision.critical and not task.work.on(3).queued
    assert await watched.settle() == ["go_on_without"] or not await watched.settle()
    assert (await watched.now()).work.on(3).state is SubtaskState.PENDING
    await watched.press(Kind.DIRECTIVES, "add_1")
    task = await watched.now()
    assert not task.supervision.critical
    assert task.plan.subtask(3).blocked_by == (2, 6), "what waits comes after it"
    assert task.work.on(6).queued and not task.work.on(3).queued


async def test_each_of_several_is_decided_by_itself_on_one_card(watched: Watched) -> None:
    other = {"description": "Name the form after its page", "files": ["src/app.py"]}
    await asked_at_phase(watched, TABLE, {**other, "priority": "critical"})
    task = await watched.office.database.read(lambda tx: tx.log.in_thread(watched.task))
    card = task.of_kind(Kind.DIRECTIVES)
    assert card and card.plain_evidence[0].startswith("Name the form"), "critical first"
    assert [o.value for o in card.options] == ["add_1", "own_1", "dismiss_1", "add_2", "own_2", "dismiss_2"]
    await watched.press(Kind.DIRECTIVES, "dismiss_1")
    assert not (await watched.now()).supervision.critical
    await watched.press(Kind.DIRECTIVES, "own_1")
    assert [each.became for each in await ended(watched)] == [Became.DISMISSED, Became.TASK]
    [proposal] = await watched.office.database.read(lambda tx: tx.proposals.to_carry_out())
    assert proposal.proposal.title == "Store it in a table" and await whole(watched)


async def test_what_was_allowed_with_the_plan_is_added_without_a_card(watched: Watched) -> None:
    outside = {"description": "Rewrite the readme", "files": ["README.md"]}
    second = {"description": "Check the form", "files": ["src/app.py"]}
    third = {"description": "Check the app", "files": ["src/app.py"]}
    await asked_at_phase(watched, TABLE, outside, second, third, approve="approve_add", words="up to 2")
    task = await watched.office.database.read(lambda tx: tx.log.in_thread(watched.task))
    assert task.plan.may_add == 0 and len(task.work.subtasks) == 7
    assert {"Store it in a table", "Check the form"} < set(await titles(watched))
    card = task.of_kind(Kind.DIRECTIVES)
    assert card and [line.split(" (")[0] for line in card.plain_evidence] == ["Rewrite the readme", "Check the app"]
    assert [each.by for each in await ended(watched)] == [None, None]
    assert "PlanAmended" in await watched.facts()


async def test_nothing_is_added_without_a_card_unless_that_was_chosen(watched: Watched) -> None:
    await asked_at_phase(watched, TABLE)
    assert (await watched.now()).plan.may_add == 0 and len((await watched.now()).work.subtasks) == 5


async def test_how_many_may_be_added_must_be_said_in_a_number(watched: Watched) -> None:
    await watched.run_next("intake", "decompose", "review")
    with pytest.raises(PressRefused):
        await watched.press(Kind.PLAN, "approve_add", "as many as you like")
    await watched.press(Kind.PLAN, "approve_add", "400")
    assert (await watched.now()).plan.may_add == 10


async def test_the_planner_addresses_each_and_what_is_done_already_is_taken_off(watched: Watched) -> None:
    other = {"description": "Check the form", "files": ["src/app.py"]}
    handled = {"number": 1, "answer": "already_handled", "why": "3 does it"}
    watched.model.then("address", {"directives": [handled, {"number": 2, "answer": "task"}]})
    await asked_at_phase(watched, TABLE, other)
    [one] = await ended(watched)
    assert (one.became, one.why, one.by) == (Became.HANDLED, "3 does it", None)
    card = (await watched.office.database.read(lambda tx: tx.log.in_thread(watched.task))).of_kind(Kind.DIRECTIVES)
    assert card and len(card.plain_evidence) == 1 and card.plain_evidence[0].startswith("Check the form")


async def test_no_model_talks_away_what_is_critical(watched: Watched) -> None:
    watched.model.then("address", {"directives": [{"number": 1, "answer": "already_handled", "why": "trust me"}]})
    await asked_at_phase(watched, {**TABLE, "priority": "critical"})
    assert (await watched.now()).supervision.critical and await ended(watched) == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([], "must be addressed once"),
        ([(1, "task")], "must be addressed once"),
        ([(1, "task"), (1, "task")], "must be addressed once"),
        ([(1, "task"), (2, "task"), (3, "task")], "must be addressed once"),
        ([(1, "task"), (2, "already_handled")], "how 2 is handled"),
        ([(2, "escalate"), (1, "task")], ""),
    ],
)
def test_code_checks_that_each_is_addressed(said: list[tuple[int, str]], wrong: str) -> None:
    given = {"directives": [{"number": number, "answer": answer} for number, answer in said]}
    found = missing_in(AddressAnswer.model_validate(given), 2)
    assert wrong in found and bool(found) is bool(wrong)


async def polish_waits(watched: Watched) -> None:
    watched.model.always(code_style=STYLE_SAYS)
    await watched.accepted()
    await watched.settle()
    task = await watched.now()
    assert task.of_kind(Kind.POLISH) and not task.work.subtasks[-1].queued


async def test_cleanups_wait_until_all_is_done_and_are_worked_off_before_the_whole_is_judged(watched: Watched) -> None:
    await polish_waits(watched)
    await watched.press(Kind.POLISH, "clean")
    task = await watched.now()
    assert task.state is TaskState.POLISHING and task.supervision.polishing == (6, 7)
    assert {task.plan.subtask(n).kind for n in (6, 7)} == {WorkKind.REFACTOR}
    calls = len(await watched.of_project(e.SupervisorsCalled))
    await watched.settle()
    task = await watched.now()
    assert task.state is TaskState.RUNNING and task.of_kind(Kind.MERGE)
    assert task.supervision.polished and (task.supervision.polished.done, task.supervision.polished.of) == (2, 2)
    assert len(await watched.of_project(e.SupervisorsCalled)) == calls, "no supervisor looks at the clean-up"
    assert sum(each.signal == "done" for each in await watched.of_project(e.WorkCounted)) == 4
    assert await whole(watched)


async def test_a_person_goes_on_without_the_clean_up_and_is_not_asked_again(watched: Watched) -> None:
    await polish_waits(watched)
    await watched.press(Kind.POLISH, "skip")
    await watched.settle()
    task = await watched.now()
    assert task.of_kind(Kind.MERGE) and task.supervision.polishing == ()


async def test_one_phase_has_at_most_as_many_cleanups_as_is_set(watched: Watched) -> None:
    watched.office = replace(watched.office, supervisors=SupervisorSettings(enabled=True, polish_subtasks=1))
    await polish_waits(watched)
    await watched.press(Kind.POLISH, "clean")
    assert (await watched.now()).supervision.polishing == (6,)


async def test_the_clean_up_starts_by_itself_where_that_was_allowed_with_the_plan(watched: Watched) -> None:
    watched.model.always(code_style=STYLE_SAYS)
    await watched.run_next("intake", "decompose", "review")
    await watched.press(Kind.PLAN, "approve_add", "1")
    await watched.settle()
    task = await watched.now()
    assert task.supervision.polishing == (6,) and task.plan.may_add == 0 and task.of_kind(Kind.MERGE)


async def test_a_task_that_is_stopped_while_it_is_cleaned_up_goes_on_with_that(watched: Watched) -> None:
    await polish_waits(watched)
    await watched.press(Kind.POLISH, "clean")
    await watched.stop()
    assert (await watched.now()).in_work
    await watched.press(Kind.STOPPED, "resume", by=ANA)
    assert (await watched.now()).state is TaskState.POLISHING
    await watched.settle()
    assert (await watched.now()).of_kind(Kind.MERGE)
