"""The suite on the work: what failed before the change, or changes its mind, is named and not held against it."""

from collections.abc import Sequence
from dataclasses import replace

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.checks.suite import Difference, difference
from agents.workspace.gates.comparing.lines import new_lines
from agents.workspace.gates.comparing.suite_runs import SuiteRuns, passes
from agents.workspace.gates.gate_runner import Outcome
from agents.workspace.gates.originals import few

SAID_BEFORE = "it says nothing that it did not say before the change"


async def judge_suite(suite: SuiteRuns, outcome: Outcome) -> Outcome:
    """What a run of the suite on the work comes to."""
    if outcome.row.score is not Score.NEEDS_REVISION or outcome.row.exit_code is None:
        return outcome
    if not suite.by_name:
        return replace(outcome, row=await _by_exit_code(suite, outcome))
    outcome = await suite.read_on(outcome.row.name, outcome)
    if outcome.report is None or len(outcome.report.names) < outcome.report.failed or not outcome.report.names:
        return outcome  # it is not told which failed
    found = difference(frozenset(outcome.report.names), await suite.before())
    chance = await suite.find_unsteady(found.newly) if found.newly else frozenset[str]()
    suite.unsteady |= set(found.unsteady)
    newly = [name for name in found.newly if name not in chance]
    notes = notes_on(found, sorted(chance))
    if not newly:
        told = outcome.report.ran - outcome.report.failed
        return replace(outcome, row=passes(outcome.row, "; ".join((f"{told} passed", *notes))))
    if not notes:
        return outcome
    why = "; ".join((f"{len(newly)} newly failing: {few(newly)}", *notes))
    return replace(outcome, row=replace(outcome.row, why=why))


def notes_on(found: Difference, chance: Sequence[str]) -> tuple[str, ...]:
    unsteady = (*found.unsteady, *chance)
    said = [f"{len(found.before)} failed before the change too: {few(found.before)}"] if found.before else []
    return (*said, *([f"unsteady: {few(unsteady)}"] if unsteady else []))


async def _by_exit_code(suite: SuiteRuns, outcome: Outcome) -> GateRun:
    """A runner that names no tests: compared by what it complains of."""
    row = outcome.row
    before = await suite.on_base()
    if before.row.exit_code in (0, None) or before.row.score is Score.FAIL:
        return await _once_more(suite, row)
    if found := new_lines(outcome.said, before.said, all_of_them=False):
        return replace(row, why=f"{row.why}, as before the change, and new: {few(found)}")
    return passes(row, f"{row.why}, as before the change: {SAID_BEFORE}")


async def _once_more(suite: SuiteRuns, row: GateRun) -> GateRun:
    for at in range(suite.runner.reruns):
        again = await suite.runner.run("tests again", suite.command, again=True)
        if again.row.score is Score.PASS:
            return passes(row, f"unsteady: it passed when it was run again ({at + 1}. time)")
    return row


def cannot_tell(row: GateRun) -> bool:
    """Whether it passed only as far as its words can tell: a person looks."""
    return row.score is Score.PASS and row.exit_code not in (0, None) and SAID_BEFORE in row.why
