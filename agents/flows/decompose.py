"""Have the planner split a request into PR-sized subtasks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer
from agents.domain.events import Event
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Level
from agents.domain.planning.planning import Draft
from agents.domain.reason import Cause
from agents.domain.task.task import Task, TaskState
from agents.domain.workflow.workflow import Resolved
from agents.flows.plan_answer import PlanSays
from agents.flows.retrying import run_by_policy
from agents.ports import Ask, ForgeFailed, Ports, Spent


async def decompose(event: Event, ports: Ports) -> None:
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.DECOMPOSING):
        await ports.store.record(seen.id, planning.nothing)
        return
    await ports.projects.require_usable(seen.project or "")
    files, into = await ports.projects.files(seen.project or ""), await _branch_for(seen, ports)
    roles = ports.worker_roles()
    seen, found = await _find_workflow(seen, into, ports)
    step = found.workflow.plan
    asked = Ask(
        question="decompose",
        role="primary",
        step=f"decompose:{seen.plan.number}:{seen.plan.tries}",
        task=seen,
        about={"files": files, "roles": roles},
        policy=step.retry_policy,
        persona=step.role,
        refuse=PlanSays.contradiction,
    )
    says, spent, why = await run_by_policy(step, seen, ports, partial(_ask_planner, asked, seen, ports))
    drafted = says.to_draft()

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task):
            return []
        draft = Draft(
            says=drafted,
            files=files or None,
            rehearsal=spent.rehearsal,
            level=Level.SIMPLIFIED if why else Level.PRIMARY,
            why=why,
            into=into,
            roles=tuple(roles),
            workflow=found.workflow,
        )
        return planning.after_draft(task, draft, moment)

    await ports.store.record(seen.id, decide)


async def _find_workflow(seen: Task, into: str, ports: Ports) -> tuple[Task, Resolved]:
    """The one that the plan will be approved under; what a project adds to it is noted before the planner is asked."""
    found = await ports.resolve(seen, into)
    if found.left_out or seen.plan.workflow_left_out or found.workflow != ports.workflow(seen):
        seen = await ports.store.note(seen.id, partial(planning.note_workflow, seen, found))
    return seen, found


async def _branch_for(task: Task, ports: Ports) -> str:
    """The branch that the work will be merged into, for people to approve with the plan."""
    try:
        return await ports.forge.base(task.project) if task.project else ""
    except ForgeFailed:
        return ""  # it is asked for again before work begins, and nothing begins without it


async def _ask_planner(asked: Ask, seen: Task, ports: Ports) -> tuple[PlanSays, Spent, Cause]:
    """From all there is; where that cannot be taken or finished, once more from less, and why that was."""
    why = seen.plan.level_why if seen.plan.level is Level.SIMPLIFIED else ""
    if not why:
        try:
            return *await ports.llm.ask(asked, PlanSays), ""
        except NoAnswer as none:
            if not none.simpler_may_do:
                raise
            why = none.what
        await ports.store.note(seen.id, partial(planning.note_simplified, seen, why))
    try:
        return *await ports.llm.ask(replace(asked, step=f"{asked.step}:brief", brief=True), PlanSays), why
    except NoAnswer as none:
        what = f"{why}. Asked again with less to read: {none.what}"
        raise NoAnswer(what, next_step=none.next_step, error=none.error) from none
