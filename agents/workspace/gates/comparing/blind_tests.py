"""Tests that were changed, or whose helpers were: each must notice the planted faults that it noticed before.

What became of a test cannot always be read from it. Faults are planted in what it ran as it was; the suite as it is now
is run with them, and the suite as it was only where a test says nothing.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from agents.domain.checks.python_tests import FunctionChange, functions_in
from agents.domain.checks.source.around_tests import steers
from agents.domain.checks.source.changed_lines import function_lines
from agents.domain.checks.source.planted_faults import Fault, faults_in
from agents.domain.checks.suite import function_of
from agents.workspace.gates.comparing.lines_by_test import MOST, Lines, measure_tests
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import READ_ON, SuiteRuns, results_of, with_options
from agents.workspace.gates.gate_commands import BY_TEST_SECONDS
from agents.workspace.gates.gate_runner import AS_COMMITTED
from agents.workspace.gates.originals import Restored
from agents.workspace.gates.rules import Case
from agents.workspace.git import objects

ROUNDS_MOST = 6
ROUNDS_A_FILE = 2  # so many files have a fault in one round that each has its turn so often
ENOUGH, TOO_MANY = 2, 3  # faults that a test noticed more than it missed, and missed more than it noticed


@dataclass(slots=True)
class _Tried:
    """What became of one test with faults planted in what it runs."""

    was: str  # as runners called it
    now: str
    lines: Lines
    rounds: int = 0
    noticed: int = 0
    missed: int = 0  # that it noticed as it was

    @property
    def is_blind(self) -> bool:
        return self.missed > self.noticed

    @property
    def is_open(self) -> bool:
        return -TOO_MANY < self.noticed - self.missed < ENOUGH


async def blind_tests(suite: SuiteRuns, files: SuiteFiles) -> list[str] | None:
    """Of those that are still there. None: none was tried."""
    asked = await tests_to_try(files) if suite.by_name else []
    if not asked or len(asked) > MOST:
        return None
    measured = await measure_tests(suite, asked, restored=files.as_before)
    if measured is None:
        return None
    texts = await texts_of(suite.runner.case, {path for lines in measured.by_test for path in lines})
    inside = {path: function_lines(text) for path, text in texts.items()}
    moved = files.comparison.moved
    tests = [
        _Tried(
            was=each.known_as,
            now=moved.get(each.known_as, each.known_as),
            lines={path: own & inside[path] for path, own in lines.items() if path in inside},
        )
        for each, lines in zip(asked, measured.by_test, strict=True)
    ]
    await _Trial(suite=suite, files=files, tests=tests, texts=texts).run()
    return sorted(each.now.rpartition(".")[2] for each in tests if each.is_blind)


async def tests_to_try(files: SuiteFiles) -> list[FunctionChange]:
    """Tests as they were: those that are otherwise now, and all of a file that has other things around them."""
    case, own = files.case, files.case.inside
    changed = {each.known_as for each in files.comparison.changes if each.before is not None and each.after is not None}
    now = {own(path): (case.contents.get(path) or b"").decode(errors="replace") for path in case.contents}
    there = [path for path in case.had if case.owns(path) and path.endswith(".py") and case.holds_tests(path)]
    steered = [_steered(path, there) for path in files.steering]
    touched = {each.change.path for each in files.parts_changed}
    below = [path for path in there if any(not folder or path.startswith(f"{folder}/") for folder in steered)]
    wanted = dict.fromkeys((*below, *(path for path in there if path in touched)))
    found = list[FunctionChange]()
    for path, text in (await texts_of(case, {own(path) for path in wanted}, base=True)).items():
        whole = own(path) in map(own, below) or steers(text, now.get(path, text))
        functions = (functions_in(text) or {}).values()
        tests = (FunctionChange(path=path, name=each.name, before=each, after=None) for each in functions)
        found += [
            each for each in tests
            if each.before and each.is_test and each.before.hollow is None and (whole or each.known_as in changed)
        ]  # fmt: skip
    return found


def _steered(path: str, tests: Collection[str]) -> str:
    """The folder whose tests it steers. What lies elsewhere and is loaded by tests may be loaded by all of them."""
    folder = path.rpartition("/")[0]
    return folder if any(each.startswith(f"{folder}/") for each in tests) else ""


async def texts_of(case: Case, paths: Collection[str], *, base: bool = False) -> dict[str, str]:
    """Of files as they are called in the package's folder."""
    there = case.had if base else case.has
    entries = [entry for path, entry in there.items() if case.owns(path) and case.inside(path) in paths]
    found = await objects.blobs(case.repository, entries)
    return {case.inside(path): content.decode(errors="replace") for path, content in found.items()}


@dataclass(slots=True, kw_only=True)
class _Trial:
    suite: SuiteRuns
    files: SuiteFiles
    tests: Sequence[_Tried]
    texts: Mapping[str, str]
    _planted: set[str] = field(default_factory=set)
    _turns: Counter[str] = field(default_factory=Counter)  # of files

    async def run(self) -> None:
        for _ in range(ROUNDS_MOST):
            faults = self._next_faults()
            if not faults:
                return
            self._planted |= {fault.text for fault in faults.values()}
            await self._try(faults)

    def _next_faults(self) -> dict[str, Fault]:
        """One in each of some files, by path; those first that had the fewest, so that none is left out."""
        left = {path: fault for path in self.texts if (fault := self._next_fault(path))}
        some = sorted(left, key=lambda path: self._turns[path])[: ceil(len(left) * ROUNDS_A_FILE / ROUNDS_MOST)]
        self._turns.update(some)
        return {path: left[path] for path in some}

    def _next_fault(self, path: str) -> Fault | None:
        """For whom a fault was missed, then for whom had the fewest rounds. Small ones first: a test that asks for
        nothing but an answer notices when there is none."""
        running = [each for each in self.tests if each.is_open and path in each.lines]
        for each in sorted(running, key=lambda test: (test.missed == 0, test.rounds)):
            for returns in (False, True):
                found = (one for one in faults_in(self.texts[path], each.lines[path]) if one.returns is returns)
                if fault := next((one for one in found if one.text not in self._planted), None):
                    return fault
        return None

    async def _try(self, faults: Mapping[str, Fault]) -> None:
        places = {(path, fault.line) for path, fault in faults.items()}
        here = [
            each for each in self.tests
            if each.is_open and any(line in each.lines.get(path, ()) for path, line in places)
        ]  # fmt: skip
        now = await self._failed("now", AS_COMMITTED, faults)
        silent = [] if self._is_seen_by_new(now) else [each for each in here if not _is_among(each.now, now)]
        for each in here:
            each.rounds += 1
            each.noticed += each not in silent
        if not silent:
            return
        before = await self._failed("as they were", self.files.as_before, faults)
        for each in silent:
            each.missed += _is_among(each.was, before)

    def _is_seen_by_new(self, failed: Collection[str]) -> bool:
        """A test that was taken out of another one, or put beside it, says it now."""
        new = {each.known_as for each in self.files.comparison.changes if each.before is None and each.is_test}
        return any(function_of(name) in new for name in failed)

    async def _failed(self, which: str, back: Restored, faults: Mapping[str, Fault]) -> frozenset[str]:
        """Tests that notice them."""
        case = self.suite.runner.case
        folder = f"{case.package}/" if case.package else ""
        texts = {f"{folder}{path}": fault.text.encode() for path, fault in faults.items()}
        planted = Restored(over=back.over, without=back.without, texts=texts)
        command = replace(with_options(self.suite.command, READ_ON), seconds=BY_TEST_SECONDS)
        outcome = await self.suite.runner.run(f"a planted fault, tests {which}", command, restored=planted, again=True)
        return results_of(outcome).failed


def _is_among(test: str, failed: Collection[str]) -> bool:
    """Or its file cannot be read any more."""
    return any(function_of(name) == test or test.startswith(f"{name}.") for name in failed)
