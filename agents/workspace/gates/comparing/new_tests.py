"""New and changed tests are tested: at least one must fail on the old code, and none may be one that cannot fail."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import GateRun, Score, Sign
from agents.domain.checks.file_kinds import is_documentation
from agents.domain.checks.hollow import Hollow
from agents.domain.checks.python_tests import FunctionChange
from agents.domain.checks.suite import function_of, is_in, names_file
from agents.domain.planning.work_kind import WorkKind
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
    reasons = list(tests.hollow_ones())
    outcome = await tests.on_old_code()
    row = replace(outcome.row, name=name, score=Score.PASS, exit_code=None, output="", command="")
    proofs = tests.proofs(outcome)
    if not proofs and (fixes or (candidate.kind in PROVES and candidate.require_tests)):
        reasons.append(f"{tests.verdict} on the old code too: nothing shows what was changed")
    if reasons:
        return replace(row, score=Score.NEEDS_REVISION, why="; ".join(reasons))
    if not proofs:
        return replace(row, why=f"{tests.verdict} on the old code too", signs=(Sign.UNPROVEN,))
    how = "" if suite.by_name else " (told by the exit code alone)"
    return replace(row, why=f"{len(proofs)} of {many(tests.count, 'new or changed test')} fail on the old code{how}")


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
    return [each.change.path for each in there if not each.change.path.endswith(".py") and files.is_code(each)]


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
        return self.suite.by_name and bool(found) and not self._cases(each, found)

    @staticmethod
    def _cases(each: FunctionChange, names: Collection[str]) -> set[str]:
        """Its cases among these; a class that others inherit tests from is called otherwise."""
        own = each.name.rpartition(".")[2]
        return {
            name
            for name in names
            if function_of(name) == each.known_as
            or (is_in(name, each.path) and function_of(name).rpartition(".")[2] == own)
        }

    async def on_old_code(self) -> Outcome:
        """Only the files that hold them."""
        paths = dict.fromkeys(each.path for each in self.new)
        command = with_options(self.suite.command, READ_ON, *paths) if self.suite.by_name else self.suite.command
        title = self.suite.runner.title("new tests on the old code")
        return await self.suite.runner.run(title, command, restored=self.files.as_now, base=True)

    def proofs(self, outcome: Outcome) -> list[str]:
        """Tests that fail on the old code and pass now. Without names: whether anything fails there."""
        if not self.suite.by_name:
            return ["exit code"] if outcome.row.exit_code not in (0, None) else []
        failed, passed = results_of(outcome).failed, self.suite.now.passed
        found = list[str]()
        for each in self.new:
            cases = self._cases(each, passed)
            fails = cases & failed or any(names_file(name, each.path) for name in failed)
            if cases and fails and each.after is not None and each.after.hollow is None:
                found.append(each.name)
        return found
