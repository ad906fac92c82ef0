"""The gates that run something: tests, lint, the project's own, and the original tests against the new code."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from agents.domain.checks.evaluation import ExtraGate, GateRun, PackageCommands, Rung, Score, Sign
from agents.domain.checks.findings import new_findings
from agents.workspace.gates import detect, gate_commands, scoring
from agents.workspace.gates.comparing import old_tests
from agents.workspace.gates.comparing.data_files import data_read, helpers_changed
from agents.workspace.gates.comparing.foul_code import why_not_believed, why_not_run
from agents.workspace.gates.comparing.lines import new_lines
from agents.workspace.gates.comparing.new_tests import NEW_TESTS, judge_new_tests
from agents.workspace.gates.comparing.newly_failing import cannot_tell, judge_suite
from agents.workspace.gates.comparing.quieting import quieting
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import SuiteRuns
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.gate_commands import Command, Place
from agents.workspace.gates.gate_runner import AS_COMMITTED, GateRunner, Outcome
from agents.workspace.gates.originals import Restored, check_settings, few
from agents.workspace.gates.planted.belief import Belief
from agents.workspace.gates.planted.runners import planted_beneath, planted_in

_RUFF_BROKE = 2
TESTS, LINT, ORIGINALS = "tests", "lint", old_tests.ORIGINALS


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`command` looks at these files in a tree that is set up like this."""

    name: str
    command: Callable[[Sequence[str], Look], Command]
    files: Sequence[str] = ()  # none: the command says itself what it looks at
    is_ruff: bool = False  # it runs nothing of the project, so its findings can be told apart


async def run_check(runner: GateRunner, check: Check) -> GateRun:
    """No change chooses how it is judged: what passes only because settings changed does not pass."""
    case, back = runner.case, check_settings((*runner.case.differing, *runner.case.shared))
    row = await _run_once(runner, check, case.after)
    asked_for = check.is_ruff and row.exit_code == 1  # by settings that perhaps came with the work
    if not back.changes_anything or (row.score is not Score.PASS and not asked_for):
        return row
    before = await _run_once(runner, replace(check, name=f"{check.name} as before"), case.before, back)
    if before.score is Score.PASS or await _check_failed_before(runner, check):
        return row if row.score is Score.PASS else _by_new_settings(row, back)
    return replace(before, name=check.name, why=f"{before.why}, with {few(back.names)} as before the change")


def _by_new_settings(row: GateRun, back: Restored) -> GateRun:
    return replace(row, score=Score.PASS, why=f"{row.why}, but not by {few(back.names)} as before the change")


async def _run_once(runner: GateRunner, check: Check, look: Look, back: Restored = AS_COMMITTED) -> GateRun:
    outcome = await runner.run(check.name, check.command(check.files, look), restored=back)
    row = replace(outcome.row, output=scoring.head(outcome.said)) if check.files else outcome.row
    if check.is_ruff and row.exit_code in (1, _RUFF_BROKE):
        return await _only_new(runner, check, outcome, row, look)
    if row.score is Score.NEEDS_REVISION and row.exit_code is not None and not check.is_ruff:
        return await _only_new_lines(runner, check, outcome, row, look)
    return row


async def _only_new_lines(runner: GateRunner, check: Check, outcome: Outcome, row: GateRun, look: Look) -> GateRun:
    """Of a check that says what it found in words of its own: what it says of the base as well does not count."""
    known = _known(runner, check)
    if check.files and not known:
        return row
    before = await runner.run(f"{check.name} of the base", check.command(known, look), base=True)
    if before.row.score is not Score.NEEDS_REVISION or before.row.exit_code is None:
        return row
    if found := new_lines(outcome.said, before.said, all_of_them=True):
        why = f"{row.why}, as before the change, and {len(found)} new: {few(found)}"
        return replace(row, why=why, output=scoring.head("\n".join(found)))
    return replace(row, score=Score.PASS, why=f"{row.why}, as before the change: only what was there before")


async def _check_failed_before(runner: GateRunner, check: Check) -> bool:
    """Without the change, too. Ruff's findings were compared one by one already."""
    known = _known(runner, check)
    if check.is_ruff or (check.files and not known):
        return False
    asked = check.command(known, runner.case.before)
    return (await runner.run(f"{check.name} of the base", asked, base=True)).row.score is not Score.PASS


async def _only_new(runner: GateRunner, check: Check, outcome: Outcome, row: GateRun, look: Look) -> GateRun:
    """What was there before is not held against the work."""
    known = _known(runner, check)
    said = ""
    if known:
        before = await runner.run(f"{check.name} of the base", check.command(known, look), base=True)
        if row.exit_code == before.row.exit_code == _RUFF_BROKE:
            return replace(row, score=Score.FAIL, why="ruff does not run without the change either: fix its settings")
        said = before.said
    if row.exit_code == _RUFF_BROKE:
        return row
    if not (found := new_findings(outcome.said, said)):
        return replace(row, score=Score.PASS, why="only what was there before")
    return replace(row, why=f"{len(found)} new", output=scoring.head("\n".join(found)))


def _known(runner: GateRunner, check: Check) -> list[str]:
    return [path for path in check.files if path in runner.case.had]


def suite_of(runner: GateRunner) -> SuiteRuns | None:
    """By the command that the base calls for: a change cannot choose how it is judged, unless there was none."""
    command = tests_command(runner)
    return SuiteRuns(runner=runner, command=command) if command else None


async def tests(runner: GateRunner, suite: SuiteRuns | None) -> Outcome:
    """Judged on the difference to the base."""
    command, name = tests_command(runner, measured=True), runner.title(TESTS)
    if suite is None or command is None or runner.case.is_gone:
        why = "the project has no tests" if command is None else "its folder is there no more"
        return Outcome(row=GateRun(name=name, score=Score.PASS, why=why, skipped=True))
    if why := why_not_run(runner):
        return Outcome(row=GateRun(name=name, score=Score.NEEDS_REVISION, why=why))
    outcome = await judge_suite(suite, await runner.run(name, command))
    if command.report:
        outcome = replace(outcome, row=await _at_fault(runner, outcome))
    if outcome.row.score is Score.PASS and (why := why_not_believed(runner)):
        outcome = replace(outcome, row=replace(outcome.row, score=Score.NEEDS_REVISION, why=why))
    if cannot_tell(outcome.row):
        outcome = replace(outcome, row=replace(outcome.row, signs=(Sign.UNTOLD,)))
    outcome = replace(outcome, row=replace(outcome.row, rungs=_rungs(command, outcome)))
    suite.tested = outcome
    return outcome


def _rungs(command: Command, outcome: Outcome) -> tuple[Rung, ...]:
    if outcome.row.exit_code is None:
        return ()
    told = Rung.BY_TEST if command.report else Rung.EXIT_CODE
    planted = command.plants and outcome.belief is Belief.BELIEVED
    return (Rung.PLANTED,) if planted and told is Rung.EXIT_CODE else (told, *([Rung.PLANTED] if planted else []))


async def lint(runner: GateRunner, apart: Collection[str] = ()) -> GateRun:
    """With a sign where comments were added that tell tools to look away."""
    row = await _lint_changed(runner, apart)
    return replace(row, signs=(Sign.QUIETED,)) if quieting(runner.case) else row


async def _lint_changed(runner: GateRunner, apart: Collection[str]) -> GateRun:
    """The changed files, but for those that are linted `apart`, in their packages."""
    case, own = runner.case, runner.commands.lint
    if own:
        by_command = Check(
            name=LINT, files=case.changed_files, command=lambda files, look: gate_commands.lint_by(own, files)
        )
        return await run_check(runner, by_command)
    way = detect.lint(case.before) or detect.lint(case.after)
    files = [path for path in case.changed_files if way and detect.LINTED[way].search(path) and path not in apart]
    if way is None or not files:
        why = "no linter is set up" if way is None else f"no changed file is one for {way}"
        return GateRun(name=LINT, score=Score.PASS, why=why, skipped=True)
    return await _lint_by(runner, way, files)


async def _lint_by(runner: GateRunner, way: Way, files: Sequence[str]) -> GateRun:
    command, by_ruff = partial(_lint, runner, way), gate_commands.lints_by_ruff(way, runner.environment)
    return await run_check(runner, Check(name=runner.title(LINT), files=files, command=command, is_ruff=by_ruff))


def own_of(runner: GateRunner) -> PackageCommands:
    """What settings say of the package."""
    return runner.commands.package(runner.case.package)


def _own_lint(runner: GateRunner, files: Sequence[str]) -> Command:
    command = gate_commands.lint_by(own_of(runner).lint, [runner.case.inside(path) for path in files])
    return replace(command, folder=runner.case.package)


def lint_whole(runner: GateRunner) -> Command | None:
    """Every file that the linter is for, as nobody has changed it. None: there is none. Raises NoEnvironment."""
    case, own = runner.case, runner.commands.lint
    if own:
        return None if case.package else gate_commands.lint_by(own, sorted(case.had))
    if own_of(runner).lint:
        return _own_lint(runner, sorted(filter(case.owns, case.had)))
    way = detect.lint(case.before, python=not case.package)
    files = sorted(path for path in case.had if way and detect.LINTED[way].search(path) and case.owns(path))
    return _lint(runner, way, files, case.before) if way and files else None


def linted_apart(runner: GateRunner) -> tuple[Way | None, list[str]]:
    """What a package lints in its own folder. Linters of Python find the settings nearest to a file by themselves."""
    case = runner.case
    if own_of(runner).lint:
        return None, list(case.changed_files)
    way = detect.lint(case.before, python=False) or detect.lint(case.after, python=False) if case.package else None
    return way, [path for path in case.changed_files if way and detect.LINTED[way].search(path)]


async def lint_package(runner: GateRunner) -> GateRun | None:
    """None: there is nothing in it that its own linter is for."""
    way, files = linted_apart(runner)
    if own_of(runner).lint:
        by_command = Check(name=runner.title(LINT), files=files, command=lambda some, look: _own_lint(runner, some))
        return await run_check(runner, by_command)
    return await _lint_by(runner, way, files) if way and files else None


async def extra(runner: GateRunner, gate: ExtraGate) -> GateRun:
    row = await run_check(runner, Check(name=gate.name, command=lambda files, look: gate_commands.shell(gate.command)))
    return replace(row, score=scoring.after(row.score, gate.on_fail))


async def original_tests(runner: GateRunner, suite: SuiteRuns | None) -> GateRun:
    if suite is None:
        return GateRun(name=runner.title(ORIGINALS), score=Score.PASS, why="none was changed")
    if suite.tested is None and not runner.case.is_gone:
        await tests(runner, suite)  # a workflow may ask for this check alone
    return await old_tests.judge_old_tests(suite, await suite_files(suite))


async def new_tests(runner: GateRunner, suite: SuiteRuns | None) -> GateRun:
    if suite is None or runner.case.is_gone:
        return GateRun(name=runner.title(NEW_TESTS), score=Score.PASS, why="the project has no tests", skipped=True)
    if suite.tested is None:
        await tests(runner, suite)
    return await judge_new_tests(suite, await suite_files(suite))


async def suite_files(suite: SuiteRuns) -> SuiteFiles:
    runner, case = suite.runner, suite.runner.case
    found = case.way if case.is_part else detect.tests(case.before) or detect.tests(case.after)
    if runner.commands.tests or own_of(runner).tests:
        found = Way.PYTEST if suite.by_name else None
    way = found
    return SuiteFiles(case=case, way=way, reads=await data_read(suite) | await helpers_changed(case))


def place_of(runner: GateRunner) -> Place:
    return Place(folder=runner.case.package, others=runner.case.others)


def tests_command(runner: GateRunner, *, measured: bool = False) -> Command | None:
    """None: there are none. Raises NoEnvironment."""
    case = runner.case
    if own := runner.commands.tests or own_of(runner).tests:
        return _tests_by(runner, own, measured=measured and "--cov" not in own)
    way = case.way if case.is_part else detect.tests(case.before) or detect.tests(case.after)
    if way is None:
        return None
    command = _usual_tests(runner, way, place_of(runner), measured=measured)
    return replace(command, plants=command.plants or planted_in(way, case.before, case.after))


def _usual_tests(runner: GateRunner, way: Way, place: Place, *, measured: bool) -> Command:
    case = runner.case
    paths = dict.fromkeys((*case.changed_files, *case.measured))
    sources = [path for path in paths if path.endswith(".py") and not case.is_test(path)]
    measured = measured and not detect.measures_itself(case.after)
    return gate_commands.tests(way, runner.environment, runner.out, sources if measured else (), place)


def _tests_by(runner: GateRunner, own: str, *, measured: bool) -> Command:
    """What the operator wrote, for everything or for a package."""
    case, place = runner.case, Place() if runner.commands.tests else place_of(runner)
    plain = None
    if runner.environment.has("pytest"):
        plain = _usual_tests(runner, Way.PYTEST, place, measured=measured)
    found = [path for path in (*case.had, *case.has) if detect.PY_TEST.search(path) and case.owns(path)]
    command = gate_commands.tests_by(own, plain, found, place)
    return replace(command, plants=command.plants or planted_beneath(own, case.before, case.after))


async def _at_fault(runner: GateRunner, outcome: Outcome) -> GateRun:
    """Tests that could not be found before the change either are no fault of the work: something is not installed."""
    row = outcome.row
    if row.exit_code not in scoring.CANNOT_COLLECT or (outcome.report and outcome.report.passed):
        return row
    before = await runner.run(
        "tests of the base", gate_commands.collect(runner.environment, place_of(runner)), base=True
    )
    if before.row.exit_code not in scoring.CANNOT_COLLECT:
        return row
    why = (
        f"pytest cannot read the project's tests without the change either (exit code {before.row.exit_code}): "
        f"install what they import into {runner.environment.venv}, or set `environment:` of the project"
    )
    return replace(row, score=Score.FAIL, why=why)


def _lint(runner: GateRunner, way: Way, files: Sequence[str], look: detect.Look) -> Command:
    rules = "" if detect.ruff_is_set_up(look) else gate_commands.PLAIN_RULES
    return gate_commands.lint(way, runner.environment, files, rules=rules, place=place_of(runner))
