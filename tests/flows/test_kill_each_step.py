"""Every job of a walk dies once before it has recorded, and once after what it noted: nothing is lost or doubled.

Real processes are killed in tests/faults/test_kill_work.py; here it is each step of each workflow, one after the other.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agents.catalog.library import Catalog, Declared, load_catalog
from agents.catalog.workflows import CHOSEN
from agents.catalog.yaml import Value
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event, StepDue
from agents.domain.ids import Account, PersonId, TaskId
from agents.domain.task.task import Task, TaskState
from agents.domain.workflow.workflow import Workflow
from agents.flows import FLOWS
from agents.ports import Decide, History, Later, Ports, Store, Surroundings
from store.running.jobs import Job
from store.streams import audit
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.flows.work import APPROVED, Work
from tests.flows.world import planning
from tests.scenarios.plans import GO, OK
from tests.scenarios.working import ONE

DESIGN: dict[str, Value] = {
    "type": "worker",
    "level": "task",
    "role": "implementer",
    "position": "after plan_review",
    "config": {"files": "d/"},
}


class Killed(BaseException):
    """The process is gone; nobody catches this."""


@dataclass
class MortalStore:
    """Dies with the first thing that a job wants written: before it is, or right after."""

    store: Store
    after_notes: bool

    async def task(self, id: TaskId) -> Task:
        return await self.store.task(id)

    async def name(self, person: PersonId) -> str:
        return await self.store.name(person)

    async def accounts(self, person: PersonId) -> Sequence[Account]:
        return await self.store.accounts(person)

    async def history(self, id: TaskId) -> History:
        return await self.store.history(id)

    async def surroundings(self, id: TaskId) -> Surroundings:
        return await self.store.surroundings(id)

    async def until(self, id: TaskId, holds: Callable[[Task], bool]) -> Task:
        return await self.store.until(id, holds)

    async def note(self, id: TaskId, decide: Decide) -> Task:
        if not self.after_notes:
            return await self.store.note(id, decide)
        await self.store.note(id, decide)
        raise Killed

    async def record(self, id: TaskId, decide: Decide) -> None:
        if not self.after_notes:
            raise Killed
        await self.store.record(id, decide)

    async def record_or_wait(self, id: TaskId, decide: Callable[[Task, Moment], Sequence[Event] | Later]) -> None:
        if not self.after_notes:
            raise Killed
        await self.store.record_or_wait(id, decide)


def catalog_with_opening() -> Catalog:
    return load_catalog(Declared(workflow=CHOSEN.read({"steps": {"design": {**DESIGN, "config": {"files": "docs/"}}}})))


CATALOGS = {
    **dict.fromkeys(("default", "mvp", "open_source", "security_critical"), load_catalog),
    "opening": catalog_with_opening,
}


@pytest.fixture(params=CATALOGS)
def walk(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    catalog = CATALOGS[request.param]()
    workflow = catalog.workflows.get(request.param, catalog.workflow)

    async def walked(kill: str) -> tuple[Counter[str], Work, Workflow | None]:
        llm = ScriptedLlm(always={"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED})
        place = tmp_path / (kill or "calm")
        place.mkdir()
        async with planning(place, lambda office: lambda job: llm) as plan:
            office = replace(plan.office, catalog=lambda: replace(catalog, workflow=workflow))
            work = Work(office, plan.llm, plan.task, workshop=Workshop())
            return await walk_to_merge(work, kill), work, (await work.now()).plan.workflow

    return walked


async def walk_to_merge(work: Work, kill: str) -> Counter[str]:
    """To the merge, with each job killed once; what happened, with the step and subtask it happened to."""
    killed = set[str]()
    for _ in range(400):
        if job := await work.any_job():
            await _run(work, job, kill if job.id not in killed else "")
            killed.add(job.id)
        elif not await _press(work):
            break
    task = await work.now()
    assert task.state is TaskState.DONE, task.problem
    apart = await work.office.database.read(lambda tx: audit.examine(tx.db).apart)
    assert apart == (), "what is stored follows from the facts"
    recorded = await work.office.database.read(lambda tx: tx.log.facts(work.task))
    return Counter(_named(each.event) for each in recorded)


async def _run(work: Work, job: Job, kill: str) -> None:
    ports: Ports = work.ports(job)
    if kill:
        ports = replace(ports, store=MortalStore(ports.store, after_notes=kill == "after notes"))
    with suppress(Killed):
        await FLOWS[job.flow](job.event, ports)


async def _press(work: Work) -> bool:
    wanted = {
        **{Kind.PLAN: "approve", Kind.QUESTION: "", Kind.GATE: "pass"},
        **{Kind.OUTSIDE_REVIEW: "over", Kind.MERGE: "merge"},
    }
    task = await work.now()
    for kind, value in wanted.items():
        if decision := task.of_kind(kind):
            choice = next(o.value for o in decision.options if value in o.value)
            await work.press(kind, choice)
            return True
    return False


def _named(event: Event) -> str:
    about = [str(getattr(event, name)) for name in ("subtask", "attempt", "step", "visit") if hasattr(event, name)]
    return " ".join([type(event).__name__, *about])


async def test_a_job_that_dies_at_any_step_is_done_once(walk: Callable[..., Any]) -> None:
    calm, _, workflow = await walk("")
    steps = {name for name in calm if name.startswith(StepDue.__name__)}
    looked_at = {step.name for step in workflow.steps if step.kind.looks}
    assert {name.split()[3] for name in steps} == looked_at, "every step that looks at work was due"
    assert all(count == 1 for name, count in calm.items() if name in steps)
    for kill in ("before it records", "after notes"):
        again, work, _ = await walk(kill)
        differs = {name.split()[0] for name in calm.keys() | again.keys() if calm[name] != again[name]}
        went_on = {"MinionStarted", "MinionProgressed"}
        assert differs <= went_on, "a minion that goes on says so, and nothing else is told again"
        assert len(work.workshop.forge.merged) == 1 and len(work.workshop.forge.pulls) == 1
        assert len(set(work.workshop.checkouts.joined)) == len(calm_joins(calm))


def calm_joins(calm: Counter[str]) -> list[str]:
    """Parts beside others are joined by a commit; to a single one, and to the closing one, the branch moves forward."""
    done = sorted((name for name in calm if name.startswith("SubtaskDone")), key=lambda name: int(name.split()[1]))
    return done[:-1] if len(done) > 2 else []
