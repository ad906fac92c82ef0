"""Rules and gates: what code finds of the work, and what commands say in the gate sandbox."""

from agents.domain.checks.evaluation import COMMIT, RULES, Checked, GateRun, Score
from agents.domain.checks.file_kinds import is_code, is_test
from agents.domain.planning.decomposition import Subtask
from agents.domain.task.locking import fence_of
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
    if isinstance(least, int) and without.isdisjoint({TESTS, COVERAGE}):
        found = await _held_to(run, least, found, without)
    return found.plus(Checked(gates=tuple(map(_waived, waived))))


async def run_gates_of(run: StepRun, role: str) -> Checked:
    """What must pass before a role reads the work; but for what people went on without."""
    waived = await _waivers(run)
    without = frozenset(waiver.check for waiver in waived)
    found = Checked()
    for name in run.ports.gates_of(role):
        if name not in without:
            found = found.plus(await _judge(run, name, role=role))
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


async def _held_to(run: StepRun, least: int, found: Checked, without: frozenset[str]) -> Checked:
    """Of what tests can reach, once they pass: how much of what changed they run."""
    changes = await run.ports.checkouts.changes(run.task.project or "", run.work.base, run.commit)
    if not any(is_code(each.path) and not is_test(each.path) and each.status != "D" for each in changes):
        return found
    if found.coverage is None and run.step.command:  # a command of the workflow says nothing of it
        found = found.plus(await _judge(run, TESTS, without))
    if any(gate.score is not Score.PASS for gate in found.gates):
        return found
    return found.plus(Checked(gates=(_coverage(found.coverage, least),)))


def _coverage(measured: float | None, least: int) -> GateRun:
    """What cannot be measured no attempt mends: a person may go on without."""
    if measured is None:
        return GateRun(name=COVERAGE, score=Score.FAIL, why=f"it cannot be measured here; {least} % is wanted")
    score = Score.PASS if measured >= least else Score.NEEDS_REVISION
    return GateRun(name=COVERAGE, score=score, why=f"{measured:.0f} %, {least} % is wanted")


def changes_tests(task: Task, subtask: Subtask) -> bool:
    """As the approved plan says it; of the whole, where it says so of a part."""
    parts = task.plan.draft.subtasks if task.plan.draft and subtask.closing else (subtask,)
    return any(part.changes_tests for part in parts)


async def _judge(run: StepRun, check: str, without: frozenset[str] = frozenset(), role: str = "") -> Checked:
    """`role`: whose gates are known beside the project's; empty: of whoever worked."""
    task, work, subtask = run.task, run.work, run.task.plan.subtask(run.work.number)
    candidate = Candidate(
        project=task.project or "",
        base=work.base,
        commit=run.commit,
        scope=work.scope if subtask.closing else fence_of(task, work),  # the whole has what the opening one wrote
        since=task.work.base,
        earlier=work.trees,  # the same tree again is the same work again
        log=key_of(task, work),
        role=role or role_of(task, work),
        check=check,
        command="" if role else run.step.command,
        without=without,
        kind=subtask.kind,
        changes_tests=changes_tests(task, subtask),
        require_tests=workflow_pinned(task).require_tests,
        accepted=frozenset(key for each in task.work.subtasks for some in each.tests_accepted for key in some.keys),
        known=task.ground.baseline,
        skill=task.skill.spec if task.skill else None,
    )
    judged = await run.ports.gates.judge(candidate, run.ports.live(task.id, work.number))
    return Checked(gates=judged.gates, coverage=judged.coverage, sandbox=judged.sandbox)
