"""Runs linters and checks of the project's own; a change that sets them up anew is judged by the old settings, too."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import GateRun, Score
from agents.workspace.gates import scoring
from agents.workspace.gates.commands import Command
from agents.workspace.gates.detect import Look
from agents.workspace.gates.gate_runner import AS_COMMITTED, GateRunner, Outcome
from agents.workspace.gates.originals import Restored, check_settings, few

_RUFF_BROKE = 2
_PLACE = re.compile(r":\d+:\d+:")  # line and column, which move when something is added above


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`command` looks at these files in a tree that is set up like this."""

    name: str
    command: Callable[[Sequence[str], Look], Command]
    files: Sequence[str] = ()  # none: the command says itself what it looks at
    is_ruff: bool = False  # it runs nothing of the project, so its findings can be told apart


async def run_check(runner: GateRunner, check: Check) -> GateRun:
    """No change chooses how it is judged: what passes only because settings changed does not pass."""
    case, back = runner.case, check_settings(runner.case.differing)
    row = await _run_once(runner, check, case.after)
    if row.score is not Score.PASS or not back.changes_anything:
        return row
    before = await _run_once(runner, replace(check, name=f"{check.name} as before"), case.before, back)
    if before.score is Score.PASS or await _failed_before(runner, check):
        return row
    return replace(before, name=check.name, why=f"{before.why}, with {few(back.names)} as before the change")


async def _run_once(runner: GateRunner, check: Check, look: Look, back: Restored = AS_COMMITTED) -> GateRun:
    outcome = await runner.run(check.name, check.command(check.files, look), restored=back)
    row = replace(outcome.row, output=scoring.head(outcome.said)) if check.files else outcome.row
    if check.is_ruff and row.exit_code in (1, _RUFF_BROKE):
        return await _only_new(runner, check, outcome, row, look)
    return row


async def _failed_before(runner: GateRunner, check: Check) -> bool:
    """Without the change, too. Ruff's findings were compared one by one already."""
    known = _known(runner, check)
    if check.is_ruff or (check.files and not known):
        return False
    asked = check.command(known, runner.case.before)
    return (await runner.run(f"{check.name} of the base", asked, base=True)).row.score is not Score.PASS


async def _only_new(runner: GateRunner, check: Check, outcome: Outcome, row: GateRun, look: Look) -> GateRun:
    """What was there before is not held against the work."""
    known = _known(runner, check)
    found = Counter(_findings(outcome.said))
    if known:
        before = await runner.run(f"{check.name} of the base", check.command(known, look), base=True)
        if row.exit_code == before.row.exit_code == _RUFF_BROKE:
            return replace(row, score=Score.FAIL, why="ruff does not run without the change either: mend its settings")
        found -= Counter(_findings(before.said))
    if row.exit_code == _RUFF_BROKE:
        return row
    if not found:
        return replace(row, score=Score.PASS, why="only what was there before")
    lines = [line for line in outcome.said.splitlines() if _PLACE.sub(":", line, count=1) in found]
    return replace(row, why=f"{found.total()} new", output=scoring.head("\n".join(lines)))


def _known(runner: GateRunner, check: Check) -> list[str]:
    return [path for path in check.files if path in runner.case.before.paths]


def _findings(said: str) -> list[str]:
    return [_PLACE.sub(":", line, count=1) for line in said.splitlines() if _PLACE.search(line)]
