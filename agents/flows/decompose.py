"""Have the planner split a request into PR-sized subtasks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from agents.domain.checks.evaluation import Change, RiskLevel
from agents.domain.context.papers import choose_papers
from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer
from agents.domain.events import Event
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Decomposition, Level
from agents.domain.planning.planning import Draft, Drafted
from agents.domain.reason import Cause
from agents.domain.supervision.directive import in_order
from agents.domain.task.task import Task, TaskState
from agents.domain.workflow.steps import Step
from agents.domain.workflow.workflow import Resolved
from agents.flows.asking.before import tell_before
from agents.flows.asking.looks import CONTINUES, with_look, without_look
from agents.flows.plan_answer import PlanSays
from agents.flows.retrying import run_by_policy
from agents.flows.supervision.inputs import describe
from agents.ports import Ask, ForgeFailed, Ports, Spent


async def decompose(event: Event, ports: Ports) -> None:
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.DECOMPOSING):
        await ports.store.record(seen.id, planning.nothing)
        return
    await ports.projects.require_usable(seen.project or "")
    files, into = await ports.projects.files(seen.project or ""), await _branch_for(seen, ports)
    seen, found = await _find_workflow(seen, into, ports)
    chosen = bool(seen.request.role) and found.workflow.implement.role == seen.request.role
    roles = {} if chosen else ports.worker_roles()  # where a person chose who works, a planner does not
    brought = planning.brought_plan(seen)
    made = Draft(says=brought) if brought else await _drafted(seen, found.workflow.plan, files, roles, ports)
    draft = replace(
        made,
        files=files or None,
        into=into,
        roles=tuple(roles),
        unfit=_unfit(made.says, ports),
        workflow=found.workflow,
        risk=_risk(made.says, files, ports),
    )

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return [] if planning.overtaken(seen, task) else planning.after_draft(task, draft, moment)

    await ports.store.record(seen.id, decide)


async def _drafted(seen: Task, step: Step, files: Sequence[str], roles: Mapping[str, str], ports: Ports) -> Draft:
    """By the planner, who may look at the code first."""
    asked, turns = await _question(seen, step, files, roles, ports), ports.limits.planner_turns
    async with with_look(asked, ports, role=step.role, turns=turns, continues=CONTINUES) as asked:
        says, spent, why = await run_by_policy(step, seen, ports, partial(_ask_planner, asked, seen, ports))
    look = None if spent.rehearsal else asked.look
    read = (*look.read, *_papers(seen, files)) if look else ()
    return Draft(
        says=_with_read(says.to_draft(), read),
        rehearsal=spent.rehearsal,
        level=Level.SIMPLIFIED if why else Level.PRIMARY,
        why=why,
        looked=look.turns if look else 0,
    )


async def _question(seen: Task, step: Step, files: Sequence[str], roles: Mapping[str, str], ports: Ports) -> Ask:
    return Ask(
        question="decompose",
        role="primary",
        step=f"decompose:{seen.plan.number}:{seen.plan.tries}",
        task=seen,
        about={"files": files, "roles": roles, **await _directives(seen, ports), **await tell_before(seen, ports)},
        policy=step.retry_policy,
        persona=step.role,
        refuse=PlanSays.contradiction,
    )


def _unfit(drafted: Drafted, ports: Ports) -> tuple[int, ...]:
    named = [each for each in drafted.subtasks if each.role] if isinstance(drafted, Decomposition) else []
    return tuple(subtask.number for subtask in named if ports.unfit(subtask.role, subtask))


async def _directives(seen: Task, ports: Ports) -> dict[str, object]:
    """What supervisors ask for of its work, in the order of code; a task that none looked at has no such part."""
    found = list[str]()

    def look(task: Task, moment: Moment) -> Sequence[Event]:
        found.extend(map(describe, in_order(moment.watching(task).state.directives_of(task.id))))
        return []

    if seen.supervision.call:
        await ports.store.note(seen.id, look)
    return {"directives": list(dict.fromkeys(found))} if found else {}


def _risk(drafted: Drafted, files: Collection[str], ports: Ports) -> RiskLevel | None:
    """By paths alone, as if all of it were tested: the risk of the work itself is reckoned once there is some."""
    if not isinstance(drafted, Decomposition):
        return None
    changes = [Change(path=path, status="M" if path in files else "A", added=1) for path in drafted.paths]
    return ports.risk(changes, 100.0).level


def _papers(task: Task, files: Sequence[str]) -> tuple[str, ...]:
    return tuple(paper.path for paper in choose_papers(files, task.request.text))


def _with_read(drafted: Drafted, read: Sequence[str]) -> Drafted:
    """Code knows what was opened, whatever a planner says of itself."""
    return replace(drafted, read=tuple(dict.fromkeys(read))) if isinstance(drafted, Decomposition) else drafted


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
        return *await ports.llm.ask(replace(without_look(asked), step=f"{asked.step}:brief", brief=True), PlanSays), why
    except NoAnswer as none:
        what = f"{why}. Asked again with less to read: {none.what}"
        raise type(none)(what, next_step=none.next_step, error=none.error) from none
