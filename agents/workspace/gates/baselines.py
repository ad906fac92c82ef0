"""Checks on a tree that nobody changed: what fails there, and what changes its mind, is not held against the work."""

import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from agents.domain.checks.evaluation import GateCommands, Score
from agents.domain.errors import OverlordError
from agents.domain.ids import fingerprint
from agents.domain.project.ground import NAMES_MOST, Baseline, CheckBaseline
from agents.domain.text.sanitize import one_line
from agents.workspace.files.artefacts import file_name
from agents.workspace.gates import gate_commands as commands, scoring
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.gate_runner import GateRunner, Outcome
from agents.workspace.gates.gate_sequence import with_tests
from agents.workspace.gates.gate_steps import LINT, TESTS, lint_whole, tests_command
from agents.workspace.gates.package_folders import by_package

RUNS = 3
_WHY = 300
_BASELINE = TypeAdapter(Baseline)


async def measure(runner: GateRunner, written: GateCommands) -> list[CheckBaseline]:
    """One check after another; each as often as it takes to see what is unsteady."""
    found = list[CheckBaseline]()
    for name, command in _checks(runner, written, by_package(runner)):
        if isinstance(command, OverlordError):
            found.append(cannot_run(name, command))
        else:
            found.append(await _measured(runner, name, command))
    return found


def _checks(
    runner: GateRunner, written: GateCommands, parts: Sequence[GateRunner]
) -> list[tuple[str, Command | OverlordError]]:
    wanted: list[tuple[str, str]] = [(gate.name, gate.command) for gate in written.extra]
    wanted += [(name, own) for name in ("type_check", "docs", "ci") if (own := written.of(name))]
    tests = [(part.title(TESTS), _made(partial(tests_command, part))) for part in with_tests(runner, parts)]
    linters = [(part.title(LINT), _made(partial(lint_whole, part))) for part in (runner, *_own(parts))]
    checks = [*tests, *linters, *((name, commands.shell(own)) for name, own in wanted)]
    return [(name, command) for name, command in checks if command is not None]


def _own(parts: Sequence[GateRunner]) -> list[GateRunner]:
    return [part for part in parts if part.case.package]


def _made(make: Callable[[], Command | None]) -> Command | OverlordError | None:
    try:
        return make()
    except OverlordError as problem:
        return problem


async def _measured(runner: GateRunner, name: str, command: Command) -> CheckBaseline:
    outcomes = [outcome async for outcome in _runs(runner, name, command)]
    return judge_runs(name, command.shown, outcomes, of_pytest=bool(command.report))


async def _runs(runner: GateRunner, name: str, command: Command) -> AsyncIterator[Outcome]:
    """What cannot be run at all is not tried again."""
    for _ in range(1 if name.startswith(LINT) else RUNS):  # a linter does not change its mind
        try:
            outcome = await runner.run(f"{name} of the base", command, base=True, again=True)
        except OverlordError as problem:
            yield Outcome(row=scoring.not_run(name, str(problem)))
            return
        yield outcome
        if outcome.row.score is Score.FAIL:
            return


def _cannot(outcome: Outcome, *, of_pytest: bool) -> bool:
    """Whether it did not come to say which tests fail."""
    row = outcome.row
    unread = of_pytest and row.exit_code in scoring.CANNOT_COLLECT
    return row.exit_code is None or row.score is Score.FAIL or unread


def judge_runs(name: str, shown: str, outcomes: Sequence[Outcome], *, of_pytest: bool = True) -> CheckBaseline:
    """A test that fails in every run is red; in some, unsteady. Without names the whole check is one or the other."""
    if all(_cannot(outcome, of_pytest=of_pytest) for outcome in outcomes):
        problem = _problem(outcomes[-1])
        return CheckBaseline(name=name, command=shown, runs=len(outcomes), failed=len(outcomes), problem=problem)
    failed = [outcome for outcome in outcomes if outcome.row.score is not Score.PASS]
    names = [set(outcome.report.names) if outcome.report else set() for outcome in outcomes]
    always, ever = set.intersection(*names), set.union(*names)
    return CheckBaseline(
        name=name,
        command=shown,
        runs=len(outcomes),
        failed=len(failed),
        red=tuple(sorted(always)[:NAMES_MOST]),
        unsteady=tuple(sorted(ever - always)[:NAMES_MOST]),
        tests=max((outcome.report.ran for outcome in outcomes if outcome.report), default=0),
        seconds=max(outcome.row.seconds or 0.0 for outcome in outcomes),
    )


def _problem(outcome: Outcome) -> str:
    said = outcome.row.output.strip().splitlines()
    why = outcome.row.why or "it does not come to its end"
    return one_line(f"{why}{f': {said[-1]}' if said else ''}", _WHY)


def cannot_run(name: str, problem: OverlordError) -> CheckBaseline:
    why = one_line(f"{problem.what}. {problem.next_step}", _WHY)
    return CheckBaseline(name=name, command="", runs=0, failed=0, problem=why)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file in the state folder, so that neither the next task nor `overlord doctor` measures again."""

    home: Path
    project: str
    tree: str
    key: str
    commands: GateCommands

    @property
    def path(self) -> Path:
        what = fingerprint("baseline 2", self.tree, self.key, repr(self.commands))
        return self.home.resolve() / "baselines" / file_name(self.project) / f"{what}.json"

    def read(self) -> Baseline | None:
        try:
            return _BASELINE.validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, baseline: Baseline) -> None:
        """Whole, or not at all. What could not be run may run the next time."""
        if any(check.problem for check in baseline.checks):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self.path.with_name(f".{os.urandom(6).hex()}")
        fresh.write_text(json.dumps(asdict(baseline)))
        fresh.rename(self.path)
