"""What the runner of a step is given, and what becomes of what it found."""

from dataclasses import dataclass, field

from agents.domain.checks.evaluation import Change, Checked, Evaluation, comments_of, comments_on, sum_up
from agents.domain.checks.risk import not_low
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.skills.drafting import risk_of_change
from agents.domain.task.task import Task
from agents.domain.work import stepping
from agents.domain.work.dispatching import key_of
from agents.domain.work.stepping import StepResult
from agents.domain.work.work import Work
from agents.domain.workflow.steps import Step
from agents.domain.workflow.workflow import Ask, Go
from agents.flows.controls import Control
from agents.flows.outcomes import keep_outputs, keep_patch
from agents.ports import Ports

KEPT = 200  # changes that a fact holds


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    task: Task
    work: Work
    step: Step
    commit: str  # what it looks at
    ports: Ports
    controls: list[Control | None] = field(default_factory=list)  # how control questions beside it ended


def fault_in(checked: Checked) -> Failure | None:
    """The first gate that could not run, or reviewer whose model gave no answer."""
    said = [*((gate.error, gate.why) for gate in checked.gates), *((r.error, r.why_none) for r in checked.reviews)]
    return next((Failure(error=ErrorClass(error), message=why) for error, why in said if error), None)


async def result_of_step(run: StepRun, checked: Checked) -> StepResult:
    project, work = run.task.project or "", run.work
    changes = tuple(await run.ports.checkouts.changes(project, work.base, run.commit))
    tree = await run.ports.checkouts.tree(project, run.commit)
    evaluation = build_evaluation(work, run.commit, tree, changes, work.checked.plus(checked))
    by_files = run.ports.risk(changes, evaluation.coverage)  # all of them, not only those that the fact keeps
    risk = not_low(risk_of_change(run.task, changes, by_files), evaluation.gates, changes)
    return StepResult(step=run.step, checked=checked, evaluation=evaluation, risk=risk)


async def keep_evidence(run: StepRun, result: StepResult) -> str:
    """What people may want to read of a judgement: the diff and what reviewers said. The name of the patch, if they
    are asked what to do."""
    if result.checked.reviews:
        await run.ports.artefacts.keep(f"{key_of(run.task, run.work)}.comments", comments_on(result.evaluation))
        await keep_outputs(run.task, run.work, run.step, map(comments_of, result.checked.reviews), run.ports)
    move = stepping.move_after(run.task, run.work, result)
    if isinstance(move, Go) and move.step is not None and move.step.kind.looks:
        return ""
    patch = await keep_patch(run.task, run.work, run.commit, run.ports)
    return patch if isinstance(move, Ask) else ""


async def keep_same_evidence(task: Task, work: Work, commit: str, judged: Evaluation, ports: Ports) -> None:
    """A judgement that is taken over is shown as this run's own, so what people may read of it has that name too."""
    await keep_patch(task, work, commit, ports)
    if judged.reviews:
        await ports.artefacts.keep(f"{key_of(task, work)}.comments", comments_on(judged))


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
