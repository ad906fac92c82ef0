"""The check `interfaces`: files that define interfaces, validated by real tools; what has no tool here is said."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from agents.domain.checks.evaluation import INTERFACES, GateRun, Score
from agents.domain.checks.scope import matches
from agents.domain.context.kinds_of_files import is_interface
from agents.workspace.environments.tree_environment import own_tools
from agents.workspace.gates.agreed import openapi_faults, validators
from agents.workspace.gates.detect import Look
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.gate_steps import Check, run_check
from agents.workspace.gates.originals import few

MOST = 200  # files
NOT_RUN = "not run: "


@cache
def _script() -> str:
    """One text for `python -c`: the sandbox shows nothing of ours."""
    return "\n".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (openapi_faults, validators))


async def judge_interfaces(runner: GateRunner) -> GateRun:
    """All of them, not only those that changed: an implementation that drifts changes none. What was so before the
    change does not count."""
    locked = runner.case.candidate.scope.locked
    files = [path for path in sorted(runner.case.has) if is_interface(path) or any(matches(path, p) for p in locked)]
    if not files:
        return GateRun(name=INTERFACES, score=Score.PASS, why="there are no files of interfaces", skipped=True)
    ours, shown = own_tools(runner.tools.venv)
    around = replace(runner.environment, readable=tuple(dict.fromkeys((*runner.environment.readable, *shown))))
    python, script = runner.environment.python, _script()

    def command(paths: Sequence[str], look: Look) -> Command:
        said = "mypy, tsc --noEmit, JSON Schema, OpenAPI and SQL, each on its files"
        other = "" if ours == python else ours
        return Command(argv=(python, "-c", script, other, *paths), shown=said, needs="Python")

    row = await run_check(
        replace(runner, environment=around), Check(name=INTERFACES, command=command, files=files[:MOST])
    )
    left = [line.removeprefix(NOT_RUN) for line in row.output.splitlines() if line.startswith(NOT_RUN)]
    left += [f"{len(files) - MOST} more files"] if len(files) > MOST else []
    return replace(row, why=f"{row.why}; not validated: {few(left)}") if left else row
