"""Rules and gates: what code finds of the work, and what commands say in the gate sandbox."""

from agents.domain.checks.evaluation import COMMIT, RULES, Checked, GateRun, Score
from agents.domain.planning.decomposition import Subtask
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work.dispatching import key_of
from agents.domain.work.stepping import role_of, workflow_pinned
from agents.domain.work.work import Waiver
from agents.flows.steps.step_run import StepRun
from agents.ports import Candidate

LONGEST = 600  # characters of a reason
TESTS, COVERAGE = "tests", "coverage"


async def run_rules(run: StepRun) -> Checked:
    """What cannot be committed goes back to whoever left it there; there is nothing else to judge."""
    if run.work.uncommitted:
        why = one_line(run.work.uncommitted, LONGEST)
        return Checked(gates=(GateRun(name=COMMIT, score=Score.NEEDS_REVISION, why=why),))
    return await _judge(run, RULES)


async def run_gate(run: StepRun) -> Checked:
    """One command, or one check of the project; nothing where the project has no such check. What people went on
    without is not run, and its row says so."""
    waived = await _waivers(run)
    without = frozenset(waiver.check for waiver in waived)
    found = await _judge(run, run.step.name if run.step.command else str(run.step.config["check"]), without)
    least = run.step.config.get("coverage")
    if least is not None and without.isdisjoint({TESTS, COVERAGE}):
        found = found.plus(Checked(gates=(_coverage(found.coverage, int(least)),)))
    return found.plus(Checked(gates=tuple(map(_waived, waived))))


async def _waivers(run: StepRun) -> tuple[Waiver, ...]:
    """Of this step: in this attempt, or for the very same files as another subtask."""
    others = [work for work in run.task.work.subtasks if work.waived and work.number != run.work.number]
    tree = await run.ports.checkouts.tree(run.task.project or "", run.commit) if others else ""
    same = (work for work in others if work.evaluation is not None and work.evaluation.tree == tree)
    known = {waiver.check: waiver for work in (*same, run.work) for waiver in work.waived}
    return tuple(waiver for waiver in known.values() if waiver.step == run.step.name)


def _waived(waiver: Waiver) -> GateRun:
    return GateRun(name=waiver.check, score=Score.PASS, why=f"waived: {one_line(waiver.why, LONGEST)}", skipped=True)


def _coverage(measured: float | None, least: int) -> GateRun:
    if measured is None:
        return GateRun(name=COVERAGE, score=Score.NEEDS_REVISION, why=f"not measured; {least} % is wanted")
    score = Score.PASS if measured >= least else Score.NEEDS_REVISION
    return GateRun(name=COVERAGE, score=score, why=f"{measured:.0f} %, {least} % is wanted")


def changes_tests(task: Task, subtask: Subtask) -> bool:
    """As the approved plan says it; of the whole, where it says so of a part."""
    parts = task.plan.draft.subtasks if task.plan.draft and subtask.closing else (subtask,)
    return any(part.changes_tests for part in parts)


async def _judge(run: StepRun, check: str, without: frozenset[str] = frozenset()) -> Checked:
    task, work, subtask = run.task, run.work, run.task.plan.subtask(run.work.number)
    candidate = Candidate(
        project=task.project or "",
        base=work.base,
        commit=run.commit,
        scope=work.scope,
        since=task.work.base,
        earlier=work.trees,  # the same tree again is the same work again
        log=key_of(task, work),
        role=role_of(task, work),
        check=check,
        command=run.step.command,
        without=without,
        kind=subtask.kind,
        changes_tests=changes_tests(task, subtask),
        require_tests=workflow_pinned(task).require_tests,
        accepted=frozenset(key for each in task.work.subtasks for some in each.tests_accepted for key in some.keys),
        known=task.ground.baseline,
    )
    judged = await run.ports.gates.judge(candidate, run.ports.live(task.id, work.number))
    return Checked(gates=judged.gates, coverage=judged.coverage, sandbox=judged.sandbox)
