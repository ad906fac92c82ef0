"""Runs the gates that a step wants, one after another: of each package that the change touches, until one says no."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial

from agents.domain.checks.evaluation import INTERFACES, ExtraGate, GateRun, Score
from agents.domain.errors import OverlordError
from agents.domain.models.failure import failure_of_step
from agents.domain.text.sanitize import one_line
from agents.workspace.gates import gate_steps, scoring
from agents.workspace.gates.agreed.interface_gate import judge_interfaces
from agents.workspace.gates.comparing.new_tests import NEW_TESTS
from agents.workspace.gates.comparing.suite_runs import SuiteRuns
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.package_folders import by_package

LONGEST = 600  # characters of a reason
Wanted = Mapping[str, ExtraGate | None]  # gates in their order, and the command of those that are one
Suites = dict[str, SuiteRuns | None]  # of a package, by its folder
_Gate = tuple[str, Callable[[], Awaitable[GateRun | None]]]  # a name, and what runs it; None: there is nothing to say


async def run_all(runner: GateRunner, wanted: Wanted) -> tuple[list[GateRun], float | None]:
    """The rows, and the coverage: of several packages the lowest."""
    gates, suites = list[GateRun](), Suites()
    parts = by_package(runner)
    for name, gate in wanted.items():
        for title, run in _gates(name, gate, runner, parts, suites):
            if because := why_stopped(gates):
                gates.append(left_out(title, because))
            elif row := await _guarded(title, run):
                gates.append(row)
    tested = [suite.tested for suite in suites.values() if suite and suite.tested]
    measured = [outcome.coverage for outcome in tested if outcome.coverage is not None]
    return gates, min(measured, default=None)


def _gates(
    name: str, gate: ExtraGate | None, runner: GateRunner, parts: Sequence[GateRunner], suites: Suites
) -> Iterator[_Gate]:
    """Tests of each package in its own folder; a command that the operator wrote is one for all of them."""
    if gate is not None:
        yield name, partial(gate_steps.extra, runner, gate)
    elif name == INTERFACES:
        yield name, partial(judge_interfaces, runner)
    elif name == gate_steps.LINT:
        yield from _lints(runner, parts)
    else:
        run = {gate_steps.TESTS: _test, NEW_TESTS: _test_new}.get(name, _test_originals)
        for part in with_tests(runner, parts):
            yield part.title(name), partial(run, part, suites)


def with_tests(runner: GateRunner, parts: Sequence[GateRunner]) -> Sequence[GateRunner]:
    """The packages whose tests are run."""
    known = [part for part in parts if part.case.way or gate_steps.own_of(part).tests]
    if runner.commands.tests or not known:
        return (runner,)
    return [part for part in known if part.title(gate_steps.TESTS) not in runner.case.candidate.without]


def _lints(runner: GateRunner, parts: Sequence[GateRunner]) -> Iterator[_Gate]:
    own = [] if runner.commands.lint else [part for part in parts if gate_steps.linted_apart(part)[1]]
    apart = frozenset(path for part in own for path in gate_steps.linted_apart(part)[1])
    if not own or frozenset(runner.case.changed_files) - apart:
        yield gate_steps.LINT, partial(gate_steps.lint, runner, apart)
    for part in own:
        if (title := part.title(gate_steps.LINT)) not in runner.case.candidate.without:
            yield title, partial(gate_steps.lint_package, part)


def _suite(runner: GateRunner, suites: Suites) -> SuiteRuns | None:
    if runner.case.package not in suites:
        suites[runner.case.package] = gate_steps.suite_of(runner)
    return suites[runner.case.package]


async def _test(runner: GateRunner, suites: Suites) -> GateRun:
    return (await gate_steps.tests(runner, _suite(runner, suites))).row


async def _test_originals(runner: GateRunner, suites: Suites) -> GateRun:
    return await gate_steps.original_tests(runner, _suite(runner, suites))


async def _test_new(runner: GateRunner, suites: Suites) -> GateRun:
    return await gate_steps.new_tests(runner, _suite(runner, suites))


async def _guarded(name: str, run: Callable[[], Awaitable[GateRun | None]]) -> GateRun | None:
    try:
        return await run()
    except OverlordError as problem:
        return cannot_run(name, problem)


def why_stopped(rows: Sequence[GateRun]) -> str:
    """Why nothing more is run; empty if something is."""
    failed = next((row for row in rows if row.score is Score.FAIL), None)
    if failed is not None:
        return f"{failed.name} failed"
    return next(("nothing was changed" for row in rows if row.name == "loop" and row.score is not Score.PASS), "")


def left_out(name: str, because: str) -> GateRun:
    if because:
        return scoring.not_run(name, because)
    return GateRun(name=name, score=Score.PASS, why="nothing was changed")


def cannot_run(name: str, problem: OverlordError) -> GateRun:
    """A gate that cannot run is a no, with what to do."""
    error = failure_of_step(problem).error
    return GateRun(name=name, score=Score.FAIL, why=one_line(str(problem), LONGEST), error=error.value)
