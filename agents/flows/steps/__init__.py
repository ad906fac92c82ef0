"""Judge handed-in work ourselves, step by step as its workflow says: one flow runs every step by its type."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Change, Checked, Evaluation, comments_of, comments_on, sum_up
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.work import dispatching, stepping
from agents.domain.work.dispatching import key_of
from agents.domain.work.stepping import StepResult
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import GATE, REVIEW, RULES
from agents.domain.workflow.workflow import Ask, Go
from agents.flows.outcomes import keep_outputs, keep_patch, unless_ended
from agents.flows.steps.gates import run_gate, run_rules
from agents.flows.steps.reviews import run_review
from agents.flows.steps.step_run import StepRun
from agents.ports import Ports

KEPT = 200  # changes that a fact holds

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
    result = await _result(run, checked)
    patch = await _keep_evidence(run, result)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not _is_due(now, event):
            return []
        return stepping.after_step(now, replace(now.work.on(event.subtask), patch=patch), result, moment)

    await ports.store.record(task.id, decide)


async def _checked(run: StepRun) -> Checked:
    return await RUNNERS[run.step.type](run)


async def _by_hand(task: Task, work: Work, ports: Ports) -> str:
    """What a person made of the branch where they work; else what we have of it."""
    project, branch = task.project or "", dispatching.persons_branch(task, work)
    return await ports.forge.fetch_branch(project, branch) or await ports.checkouts.tip(project, branch)


async def _result(run: StepRun, checked: Checked) -> StepResult:
    project, work = run.task.project or "", run.work
    changes = tuple(await run.ports.checkouts.changes(project, work.base, run.commit))
    tree = await run.ports.checkouts.tree(project, run.commit)
    evaluation = build_evaluation(work, run.commit, tree, changes, work.checked.plus(checked))
    risk = run.ports.risk(changes, evaluation.coverage)  # of all files, not only of those that the fact keeps
    return StepResult(step=run.step, checked=checked, evaluation=evaluation, risk=risk)


async def _keep_evidence(run: StepRun, result: StepResult) -> str:
    """What people may want to read of a judgement: the diff and what reviewers said. The name of the patch, if they
    are asked what to do."""
    if result.checked.reviews:
        await run.ports.artefacts.keep(f"{key_of(run.task, run.work)}.comments", comments_on(result.evaluation))
        await keep_outputs(run.task, run.work, run.step, map(comments_of, result.checked.reviews), run.ports)
    move = stepping.move_after(run.task, run.work, result)
    if isinstance(move, Go) and move.step is not None and move.step.type in RUNNERS:
        return ""
    patch = await keep_patch(run.task, run.work, run.commit, run.ports)
    return patch if isinstance(move, Ask) else ""


def build_evaluation(work: Work, commit: str, tree: str, changes: tuple[Change, ...], checked: Checked) -> Evaluation:
    score, feedback = sum_up(checked.gates, checked.reviews)
    return Evaluation(
        subtask=work.number,
        attempt=work.attempt,
        commit=commit,
        tree=tree,
        overall=score,
        gates=checked.gates,
        reviews=checked.reviews,
        changes=changes[:KEPT],
        files=len(changes),
        feedback=feedback,
        coverage=checked.coverage,
        sandbox=checked.sandbox,
        cost=sum(review.cost for review in checked.reviews),
        seconds=sum(gate.seconds for gate in checked.gates),
        silent=any(review.score is None for review in checked.reviews),
    )
