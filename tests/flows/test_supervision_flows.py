"""Supervisors run between subtasks where they are due, cost what they cost, and never hold up work that runs."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.knowledge.note import Folder
from agents.domain.project.project import Project
from agents.domain.supervision.facts import Occasion
from agents.domain.supervision.tuning import SupervisorSettings, SupervisorTuning
from agents.domain.task.task import TaskState
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import GaveUp
from bot.running.jobs import launch
from store.running.jobs import Job
from store.running.leases import Lease
from tests.builders.supervision import CODE_STYLE, DESIGN, DESIGN_SAYS, INTERNALISER, KEEPS, SILENT, STYLE_SAYS
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import Workshop, failing, says
from tests.flows.work import APPROVED, Work
from tests.flows.world import ANA, planning
from tests.scenarios.plans import GO, OK, Says, subtask

SIX: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [subtask(f"Do part {n}", *([n - 1] if n > 1 else []), files=[f"part_{n}.py"]) for n in range(1, 7)],
}


class Watched(Work):
    """Subtasks one after the other, with supervisors."""

    model: ScriptedLlm

    def tune(self, **own: Any) -> None:
        """These alone look, so tuned."""
        off = SupervisorTuning(enabled=False)
        quiet = SupervisorSettings(enabled=True, code_style=off, design=off, internaliser=off, assessor=off)
        self.office = replace(self.office, supervisors=replace(quiet, **own))

    async def project(self) -> Project:
        found = await self.office.database.read(lambda tx: tx.log.project(project_id("shop")))
        assert found
        return found

    async def of_project(self, kind: type[Event]) -> list[Any]:
        recorded = await self.office.database.read(lambda tx: tx.log.facts(project_id("shop"), kinds=(kind,)))
        return [each.event for each in recorded]

    async def run_until(self, flow: str) -> None:
        """Run jobs until one of this flow is next; that one too."""
        while (job := await self.any_job()) and job.flow != flow:
            await self.run(job)
        assert job, f"{flow} was never asked for"
        await self.run(job)

    async def two_jobs(self) -> list[Job]:
        """The next two, held by one holder."""
        await self.office.database.write(launch)
        now = self.office.clock.now()
        lease = Lease(owner="both", at=now, until=now + self.office.limits.within("job_lease"))
        jobs = await self.office.database.write(lambda tx: tx.jobs.claim(lease, self.office.limits, 2))
        return sorted(jobs, key=lambda job: job.flow, reverse=True)

    async def done(self) -> int:
        return sum(state is SubtaskState.DONE for state in await self.states())


def answers(**own: Any) -> dict[str, Any]:
    always = {
        "assess": {"verdict": "aligned"},
        "decompose": SIX,
        "critic": GO,
        "custodiet": OK,
        "code_review": APPROVED,
        **SILENT,
    }
    return {**always, **own}


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    llm = ScriptedLlm(always=answers())
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        office = replace(plan.office, supervisors=SupervisorSettings(enabled=True))
        made = Watched(office, plan.llm, plan.task, workshop=Workshop())
        made.model = llm
        yield made


def asked(work: Watched) -> list[str]:
    return [each.question for each in work.model.asked if each.question in SILENT]


async def test_those_due_run_after_the_third_and_the_fifth_subtask_and_at_the_end(watched: Watched) -> None:
    await watched.accepted()
    await watched.settle()
    called = await watched.of_project(e.SupervisorsCalled)
    assert [(each.supervisors, each.occasion) for each in called] == [
        ((INTERNALISER,), Occasion.INTERVAL),
        ((CODE_STYLE,), Occasion.INTERVAL),
        ((CODE_STYLE, DESIGN, INTERNALISER), Occasion.PHASE),
    ]
    assert asked(watched) == ["internaliser", "code_style", "code_style", "design", "internaliser"]
    task = await watched.now()
    assert task.of_kind(Kind.MERGE) and not task.supervision.awaited
    state = (await watched.project()).supervision
    assert (state.finished, [each.by for each in state.log]) == (
        6,
        [INTERNALISER, CODE_STYLE, CODE_STYLE, DESIGN, INTERNALISER],
    )


async def test_the_next_subtask_waits_for_them_and_one_that_runs_does_not(watched: Watched) -> None:
    await watched.accepted()
    while await watched.done() < 3:
        await watched.run(await watched.next_job())
    task = await watched.now()
    assert task.supervision.awaited == (INTERNALISER,)
    assert [work.queued for work in task.work.subtasks][3] is False
    await watched.run_until("run_supervisors")
    task = await watched.now()
    assert not task.supervision.awaited and task.work.on(4).queued
    [report] = task.supervision.reports
    assert (report.by, report.summary, report.skipped) == (INTERNALISER, "Nothing.", "")


async def test_a_cleanup_of_the_last_run_is_worked_off_before_the_whole_is_judged(watched: Watched) -> None:
    """What is asked for at the very end of the work waits for nothing but a person."""
    watched.model.always(decompose={**SIX, "subtasks": SIX["subtasks"][:1]}, code_style=STYLE_SAYS)
    await watched.accepted()
    await watched.settle()
    task = await watched.now()
    assert task.of_kind(Kind.POLISH) and not task.of_kind(Kind.MERGE)
    await watched.press(Kind.POLISH, "clean")
    await watched.settle()
    task = await watched.now()
    assert task.supervision.polished and (task.supervision.polished.done, task.supervision.polished.of) == (2, 2)
    assert task.of_kind(Kind.MERGE)


async def test_after_a_minute_the_work_goes_on_without_them_and_what_they_find_still_counts(watched: Watched) -> None:
    watched.model.always(internaliser=KEEPS)
    watched.office = replace(watched.office, supervisors=SupervisorSettings(enabled=True, wait=0))
    await watched.accepted()
    while await watched.done() < 3:
        await watched.run(await watched.next_job())
    held, late = await watched.two_jobs()
    assert (held.flow, late.flow) == ("run_supervisors", "go_on_without")
    await watched.run(late)
    task = await watched.now()
    assert task.supervision.late and task.work.on(4).queued
    await watched.run(held)
    assert (await watched.now()).supervision.reports[-1].notes == 1
    assert (await watched.facts()).count("SubtaskReady") == 4, "nothing was started twice"


async def test_what_they_find_is_kept_with_what_it_cost(watched: Watched) -> None:
    watched.model.always(code_style=STYLE_SAYS, internaliser=KEEPS, design=DESIGN_SAYS)
    await watched.accepted()
    await watched.settle()
    [style, *_] = [each for each in await watched.of_project(e.SupervisorRan) if each.by is CODE_STYLE]
    assert [each.description for each in style.directives] == [
        "Use one name for the logger",
        "Sort the imports of the form",
    ]
    assert [note.name for note in style.notes] == ["conventions/errors"] and style.bootstrap
    files = [each.files for each in style.directives]
    assert files == [("src/app.py",), ("src/app.py",)], "a path that is not in the project names nothing"
    assert (style.cost, style.model) == (0.01, "scripted")
    kept = [
        note for each in await watched.of_project(e.SupervisorRan) for note in each.notes if each.by is INTERNALISER
    ]
    assert {note.folder for note in kept} == {Folder.LESSONS}
    report = next(each for each in (await watched.now()).supervision.reports if each.by is CODE_STYLE)
    assert (report.cleanup, report.functional, report.notes) == (2, 0, 1)


async def test_without_a_model_each_is_skipped_with_a_reason_and_the_work_goes_on(watched: Watched) -> None:
    watched.model.always(**dict.fromkeys(SILENT, no_answer("no model answers")))
    await watched.accepted()
    await watched.settle()
    task = await watched.now()
    assert task.of_kind(Kind.MERGE) and task.state is TaskState.RUNNING
    skipped = await watched.of_project(e.SupervisorSkipped)
    assert len(skipped) == 5 and {each.why for each in skipped} == {"no model answers"}
    assert await watched.of_project(e.SupervisorRan) == []
    assert all(report.skipped for report in task.supervision.reports)


async def test_a_dropped_subtask_calls_all_of_them_at_once(watched: Watched) -> None:
    stuck = GaveUp(ending=Ending.TURNS, problem="it runs in circles")
    watched.workshop.minions.scripts = {2: [says(stuck)]}
    await watched.accepted()
    await watched.settle()
    assert await watched.of_project(e.SupervisorsCalled) == []
    await watched.press(Kind.ESCALATION, "drop")
    [called] = await watched.of_project(e.SupervisorsCalled)
    assert (called.supervisors, called.occasion) == ((CODE_STYLE, DESIGN, INTERNALISER), Occasion.URGENT)
    assert (await watched.project()).supervision.urgency == 1.0
    await watched.settle()
    assert (await watched.project()).supervision.urgency == 0.0


async def test_work_that_is_cancelled_counts_as_an_abort_and_is_looked_at(watched: Watched) -> None:
    await watched.accepted()
    while await watched.done() < 2:
        await watched.run(await watched.next_job())
    await watched.stop()
    await watched.press(Kind.STOPPED, "cancel", "we buy one", by=ANA)
    [called] = await watched.of_project(e.SupervisorsCalled)
    assert (called.supervisors, called.occasion) == ((CODE_STYLE, DESIGN, INTERNALISER), Occasion.URGENT)
    undo = {"type": "functional", "description": "Undo the form"}
    watched.model.always(design={**DESIGN_SAYS, "directives": [undo]}, address=no_answer("nobody can tell"))
    await watched.settle()
    task = await watched.office.database.read(lambda tx: tx.log.in_thread(watched.task))
    assert task.state is TaskState.CANCELLED and not task.supervision.awaited
    assert task.supervision.reports and (await watched.project()).supervision.urgency == 0.0
    card = task.of_kind(Kind.DIRECTIVES)
    assert card and [option.value for option in card.options] == ["own_1", "dismiss_1"], "nothing is left to add it to"


async def test_a_plan_that_is_cancelled_before_work_is_no_abort(watched: Watched) -> None:
    await watched.run_next("intake", "decompose", "review")
    await watched.press(Kind.PLAN, "cancel", "not now")
    assert await watched.of_project(e.SupervisorsCalled) == await watched.of_project(e.WorkCounted) == []


async def test_what_a_reviewer_found_everywhere_is_proposed_once_supervisors_have_looked(watched: Watched) -> None:
    flag = {"kind": "tool_fix", "what": "Nothing checks types", "action": "Run a type checker"}
    watched.model.always(code_review={**APPROVED, "systemic": [flag]})
    await watched.accepted()
    await watched.run_until("run_supervisors")
    [made] = await watched.of_project(e.ProposalMade)
    assert made.proposal.proposed_action == "Run a type checker" and await watched.done() == 3
    await watched.settle()
    assert len(await watched.of_project(e.ProposalMade)) == 1, "and not again with each run"


async def test_checks_that_fail_add_up_until_they_run_at_once(watched: Watched) -> None:
    watched.workshop.gates.says = {f"T-1.{n}-{a}": (failing(),) for n, a in ((1, 1), (1, 2), (2, 1), (2, 2))}
    await watched.accepted()
    await watched.settle()
    urgent = [each for each in await watched.of_project(e.SupervisorsCalled) if each.occasion is Occasion.URGENT]
    assert len(urgent) == 1
    at = [each for each in await watched.of_project(e.WorkCounted)]
    assert sum(each.signal == "check_failed" for each in at) == 4


async def test_where_nobody_switched_them_on_nothing_is_asked_or_counted(watched: Watched) -> None:
    watched.office = replace(watched.office, supervisors=SupervisorSettings(enabled=False))
    await watched.accepted()
    await watched.settle()
    assert asked(watched) == []
    assert await watched.office.database.read(lambda tx: tx.log.project(project_id("shop"))) is None


async def test_the_same_answer_read_twice_makes_the_same_directives(watched: Watched) -> None:
    """A job that died before it recorded anything is run again."""
    watched.model.always(code_style=STYLE_SAYS)
    await watched.accepted()
    while await watched.done() < 5:
        await watched.run(await watched.next_job())
    await watched.run_until("run_supervisors")
    [ran] = [each for each in await watched.of_project(e.SupervisorRan) if each.by is CODE_STYLE]
    assert len({each.id for each in ran.directives}) == 2 and all(each.id for each in ran.directives)
