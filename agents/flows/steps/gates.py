"""Rules and gates: what code finds of the work, and what commands say in the gate sandbox."""

from agents.domain.checks.evaluation import COMMIT, RULES, Checked, GateRun, Score
from agents.domain.text.sanitize import one_line
from agents.domain.work.dispatching import key_of
from agents.domain.work.stepping import worker_of
from agents.flows.steps.step_run import StepRun
from agents.ports import Candidate

LONGEST = 600  # characters of a reason


async def run_rules(run: StepRun) -> Checked:
    """What cannot be committed goes back to whoever left it there; there is nothing else to judge."""
    if run.work.uncommitted:
        why = one_line(run.work.uncommitted, LONGEST)
        return Checked(gates=(GateRun(name=COMMIT, score=Score.NEEDS_REVISION, why=why),))
    return await _judge(run, RULES)


async def run_gate(run: StepRun) -> Checked:
    """One command, or one check of the project; nothing where the project has no such check."""
    found = await _judge(run, run.step.name if run.step.command else str(run.step.config["check"]))
    least = run.step.config.get("coverage")
    if least is None:
        return found
    return found.plus(Checked(gates=(_coverage(found.coverage, int(least)),)))


def _coverage(measured: float | None, least: int) -> GateRun:
    if measured is None:
        return GateRun(name="coverage", score=Score.NEEDS_REVISION, why=f"not measured; {least} % is wanted")
    score = Score.PASS if measured >= least else Score.NEEDS_REVISION
    return GateRun(name="coverage", score=score, why=f"{measured:.0f} %, {least} % is wanted")


async def _judge(run: StepRun, check: str) -> Checked:
    task, work = run.task, run.work
    candidate = Candidate(
        project=task.project or "",
        base=work.base,
        commit=run.commit,
        scope=work.scope,
        earlier=work.trees,  # the same tree again is the same work again
        log=key_of(task, work),
        role=worker_of(task, work).role,
        check=check,
        command=run.step.command,
    )
    judged = await run.ports.gates.judge(candidate, run.ports.live(task.id, work.number))
    return Checked(gates=judged.gates, coverage=judged.coverage, sandbox=judged.sandbox)
