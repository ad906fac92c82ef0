"""New and changed tests are tested: at least one must fail on the old code, and none may be one that cannot fail."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import GateRun, Rung, Score, Sign
from agents.domain.checks.file_kinds import is_code, is_documentation
from agents.domain.checks.hollow import Hollow
from agents.domain.checks.python_tests import FunctionChange
from agents.domain.checks.suite import names_file
from agents.domain.planning.work_kind import WorkKind
from agents.workspace.gates.comparing.added_tests import try_added
from agents.workspace.gates.comparing.lines_by_test import changed_sources, tests_that_miss
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import READ_ON, SuiteRuns, results_of, with_options
from agents.workspace.gates.gate_runner import Outcome
from agents.workspace.gates.originals import few, many

NEW_TESTS = "new tests"
NO_NEW_TEST = "no new test"
PROVES = frozenset({WorkKind.FIX, WorkKind.FEATURE})  # kinds of work whose new tests must fail without it
WORDS = {
    Hollow.LEAVES_EARLY: "ends before it asserts anything",
    Hollow.ALWAYS_TRUE: "asserts only what is always true",
    Hollow.CATCHES_ALL: "catches its own failure",
    Hollow.ONLY_MOCKS: "asserts only on its own stand-ins",
    Hollow.EMPTY: "does nothing",
    Hollow.NOT_RUN: "is never run",
    Hollow.NOT_COLLECTED: "is not found by the runner",
}


async def judge_new_tests(suite: SuiteRuns, files: SuiteFiles) -> GateRun:
    name, candidate = suite.runner.title(NEW_TESTS), suite.runner.case.candidate
    if suite.tested is None or suite.tested.row.score is not Score.PASS:
        return GateRun(name=name, score=Score.PASS, why="the tests did not pass", skipped=True)
    new = [each for each in files.comparison.changes if each.after is not None and each.is_test]
    fixes = await _mends_nothing(suite) if candidate.kind is WorkKind.FIX else ""
    if why := _exempt(suite, files, new):
        signs = (Sign.NO_NEW_TEST,) if why == NO_NEW_TEST and candidate.kind in PROVES else ()
        score = Score.NEEDS_REVISION if fixes else Score.PASS
        return GateRun(name=name, score=score, why=fixes or why, skipped=not fixes, signs=signs)
    tests = _Tests(suite=suite, files=files, new=new)
    if candidate.kind is WorkKind.TESTS and new and suite.by_name and changed_sources(files.case) == {}:
        return await _judge_added(tests, name)
    return await _judge_by_old_code(tests, name, mends_nothing=bool(fixes))


async def _judge_by_old_code(tests: "_Tests", name: str, *, mends_nothing: bool) -> GateRun:
    suite, candidate = tests.suite, tests.suite.runner.case.candidate
    needed = mends_nothing or (candidate.kind in PROVES and candidate.require_tests)
    reasons, rungs = list(tests.hollow_ones()), [Rung.NEW_TESTS, *([Rung.SYNTAX_TREE] if tests.new else [])]
    outcome = await tests.on_old_code()
    proofs = tests.proofs(outcome)
    count = len(proofs) or int(tests.fail_unnamed(outcome))
    if not count and needed:
        reasons.append(f"{tests.verdict} on the old code too: nothing shows what was changed")
    elif needed:
        missing = await tests_that_miss(suite, tests.files, proofs)
        rungs.append(Rung.NOT_COVERED if missing is None else Rung.COVERAGE)
        count -= len(missing or ())
        if not count:
            reasons.append(f"no line that was changed is run by a new test: {few(missing or ())}")
    row = replace(outcome.row, name=name, score=Score.PASS, exit_code=None, output="", command="", rungs=tuple(rungs))
    if reasons:
        return replace(row, score=Score.NEEDS_REVISION, why="; ".join(reasons))
    if not count:
        why = f"{tests.verdict} on the old code too"
        return replace(row, why=why, signs=(Sign.UNPROVEN,))
    how = "" if suite.by_name else " (told by the exit code alone)"
    return replace(row, why=f"{count} of {many(tests.count, 'new or changed test')} fail on the old code{how}")


async def _judge_added(tests: "_Tests", name: str) -> GateRun:
    """Nothing but tests was added: there is no new behaviour that they could show."""
    if reasons := list(tests.hollow_ones()):
        why, rungs = "; ".join(reasons), (Rung.SYNTAX_TREE,)
        return GateRun(name=name, score=Score.NEEDS_REVISION, why=why, rungs=rungs)
    shown = await try_added(tests.suite, tests.new)
    used = (Rung.COVERAGE, Rung.FAULTS) if shown.measured else (Rung.NOT_COVERED,)
    rungs = (Rung.SYNTAX_TREE, *used)
    said = [f"{len(shown.new_lines)} run lines that no test ran"] if shown.new_lines else []
    said += [f"{len(shown.caught)} notice a planted fault"] if shown.caught else []
    if shown.left:
        said.append(f"nothing shows what these are good for: {few(shown.left)}")
    signs = (Sign.UNPROVEN,) if shown.left else ()
    return GateRun(name=name, score=Score.PASS, why="; ".join(said), signs=signs, rungs=rungs)


async def _mends_nothing(suite: SuiteRuns) -> str:
    """Why a fix on a red base fixes nothing that is seen: none of what failed there passes now."""
    if not suite.by_name:
        return ""
    red = (await suite.before()).red
    if not red or red & suite.now.passed:
        return ""
    return f"{many(len(red), 'test')} fail without this fix, and all of them fail with it: {few(sorted(red))}"


def _exempt(suite: SuiteRuns, files: SuiteFiles, new: Sequence[FunctionChange]) -> str:
    """Why nothing is asked for; empty where something is."""
    case = suite.runner.case
    changed = [each.change.path for each in case.differing]
    if all(map(is_documentation, changed)):
        return "only documentation was changed"
    if not new and not _others(files):
        return NO_NEW_TEST
    return ""


def _others(files: SuiteFiles) -> list[str]:
    """Test files in other languages that are new or changed: told apart by the whole file."""
    there = (each for each in files.parts_changed if each.after is not None)
    paths = [each.change.path for each in there if not each.change.path.endswith(".py") and is_code(each.change.path)]
    return [*paths, *files.inline]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tests:
    """New and changed tests of one candidate."""

    suite: SuiteRuns
    files: SuiteFiles
    new: Sequence[FunctionChange]

    @property
    def count(self) -> int:
        return len(self.new) or len(_others(self.files))

    @property
    def verdict(self) -> str:
        return f"{many(self.count, 'new or changed test')} {'passes' if self.count == 1 else 'pass'}"

    def hollow_ones(self) -> Iterator[str]:
        """Those that cannot fail, by reading them; and those that no runner finds."""
        for each in self.new:
            why = each.after.hollow if each.after else None
            if why is None and self._is_missed(each):
                why = Hollow.NOT_COLLECTED
            if why is not None and (each.before is None or each.is_hollowed):
                yield f"{each.name} {WORDS[why]}"

    def _is_missed(self, each: FunctionChange) -> bool:
        found = self.suite.now.all
        return self.suite.by_name and bool(found) and not each.cases_among(found)

    async def on_old_code(self) -> Outcome:
        """Only the files that hold them."""
        everywhere = any(each.is_inherited for each in self.new)
        paths = dict.fromkeys(() if everywhere else (each.path for each in self.new))
        command = with_options(self.suite.command, READ_ON, *paths) if self.suite.by_name else self.suite.command
        title = self.suite.runner.title("new tests on the old code")
        return await self.suite.runner.run(title, command, restored=self.files.as_now, base=True)

    def proofs(self, outcome: Outcome) -> list[FunctionChange]:
        """Tests that fail on the old code and pass now."""
        failed, passed = results_of(outcome).failed, self.suite.now.passed
        found = list[FunctionChange]()
        for each in self.new:
            cases = each.cases_among(passed)
            fails = cases & failed or any(names_file(name, each.path) for name in failed)
            if cases and fails and each.after is not None and each.after.hollow is None:
                found.append(each)
        return found

    def fail_unnamed(self, outcome: Outcome) -> bool:
        """Of a runner that names no tests: whether anything fails there."""
        return not self.suite.by_name and outcome.row.exit_code not in (0, None)
