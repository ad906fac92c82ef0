"""Judge handed-in work ourselves, step by step as its workflow says: one flow runs every step by its type."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, Score
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.work import dispatching, stepping
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import GATE, REVIEW, RULES
from agents.flows.controls import control_facts
from agents.flows.outcomes import unless_ended
from agents.flows.retrying import run_by_policy
from agents.flows.steps.awaiting import begin_wait, push_for_checks, waits_for_forge
from agents.flows.steps.gates import run_gate, run_rules
from agents.flows.steps.reviews import run_review
from agents.flows.steps.step_run import StepRun, fault_in, keep_evidence, keep_same_evidence, result_of_step
from agents.ports import Ports

RUNNERS: dict[str, Callable[[StepRun], Awaitable[Checked]]] = {
    RULES.name: run_rules,
    GATE.name: run_gate,
    REVIEW.name: run_review,
}


async def evaluate(event: Event, ports: Ports) -> None:
    """Work was handed in: the first step that looks at it is due."""
    assert isinstance(event, e.WorkHandedIn)
    task = await ports.store.task(event.task)
    is_whole = task.plan.is_closing(event.subtask) and event.commit
    tree = await ports.checkouts.tree(task.project or "", event.commit) if is_whole else ""
    mine = task.work.on(event.subtask)
    if same := stepping.judged_before(task, mine, tree):
        await keep_same_evidence(task, mine, event.commit, same, ports)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        work = now.work.on(event.subtask)
        if not _is_judged(now, event):
            return []
        twin = stepping.judged_before(now, work, tree)
        return stepping.take_over(now, work, twin, moment) if twin else stepping.begin_checks(now, work, moment)

    await ports.store.record(event.task, decide)


def _is_judged(task: Task, event: e.AboutWork) -> bool:
    work = task.work.on(event.subtask)
    return task.in_work and work.attempt == event.attempt and work.state is SubtaskState.EVALUATING


def _is_due(task: Task, event: e.StepDue) -> bool:
    work = task.work.on(event.subtask)
    return _is_judged(task, event) and work.step == event.step and work.visits.get(event.step) == event.visit


async def run_step(event: Event, ports: Ports) -> None:
    assert isinstance(event, e.StepDue)
    task = await ports.store.task(event.task)
    if not _is_due(task, event):
        await ports.store.record(task.id, lambda now, moment: [])
        return
    work = task.work.on(event.subtask)
    commit = work.commit or await _by_hand(task, work, ports)
    run = StepRun(
        task=task, work=work, step=stepping.workflow_pinned(task).step(event.step), commit=commit, ports=ports
    )
    checked = await unless_ended(task.id, ports, _checked(run))
    if checked is None:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    result = await result_of_step(run, checked)
    waits = result.score is Score.PASS and waits_for_forge(run)
    push = partial(push_for_checks, run)
    shown = await run_by_policy(run.step, task, ports, push) if waits else None
    patch = "" if waits else await keep_evidence(run, result)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        tried = control_facts(now, run.controls, moment)
        if not _is_due(now, event):
            return tried
        if waits:
            return [*tried, *begin_wait(now, run, checked, shown, moment)]
        return [*tried, *stepping.after_step(now, replace(now.work.on(event.subtask), patch=patch), result, moment)]

    await ports.store.record(task.id, decide)


async def _checked(run: StepRun) -> Checked:
    return await run_by_policy(run.step, run.task, run.ports, partial(RUNNERS[run.step.type], run), fault_in)


async def _by_hand(task: Task, work: Work, ports: Ports) -> str:
    """What a person made of the branch where they work; else what we have of it."""
    project, branch = task.project or "", dispatching.persons_branch(task, work)
    return await ports.forge.fetch_branch(project, branch) or await ports.checkouts.tip(project, branch)
