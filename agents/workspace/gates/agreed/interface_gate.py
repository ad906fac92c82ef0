"""The check `interfaces`: files that define interfaces, validated by real tools; what has no tool here is said."""

from collections.abc import Sequence
from dataclasses import replace

from agents.domain.checks.evaluation import INTERFACES, GateRun, Score
from agents.domain.context.kinds_of_files import is_interface
from agents.workspace.gates.agreed.validator_script import SCRIPT
from agents.workspace.gates.detect import Look
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.gate_steps import Check, run_check
from agents.workspace.gates.originals import few

MOST = 200  # files
NOT_RUN = "not run: "


async def judge_interfaces(runner: GateRunner) -> GateRun:
    """All of them, not only those that changed: an implementation that drifts changes none. What was so before the
    change does not count."""
    files = [path for path in sorted(runner.case.has) if is_interface(path)][:MOST]
    if not files:
        return GateRun(name=INTERFACES, score=Score.PASS, why="there are no files of interfaces", skipped=True)
    python = runner.environment.python

    def command(paths: Sequence[str], look: Look) -> Command:
        shown = "mypy, tsc --noEmit, JSON Schema, OpenAPI and SQL, each on its files"
        return Command(argv=(python, "-c", SCRIPT, *paths), shown=shown, needs="Python")

    row = await run_check(runner, Check(name=INTERFACES, command=command, files=files))
    left = [line.removeprefix(NOT_RUN) for line in row.output.splitlines() if line.startswith(NOT_RUN)]
    return replace(row, why=f"{row.why}; not validated: {few(left)}") if left else row
