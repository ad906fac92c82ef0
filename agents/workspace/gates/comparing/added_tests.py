"""Work that only adds tests: each must run a line that no test ran, or notice a fault planted in what it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from agents.domain.checks.python_tests import FunctionChange
from agents.domain.checks.source.changed_lines import function_lines
from agents.domain.checks.source.planted_faults import Fault, faults_in
from agents.workspace.gates.comparing.lines_by_test import Lines, Measured, measure_tests
from agents.workspace.gates.comparing.suite_runs import READ_ON, SuiteRuns, results_of, with_options
from agents.workspace.gates.gate_commands import BY_TEST_SECONDS
from agents.workspace.gates.originals import Restored
from agents.workspace.git import objects

FAULTS_MOST = 8  # runs with a fault in them


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of added tests. None of them is measured where nothing measures lines."""

    new_lines: tuple[str, ...] = ()  # tests that run a line which no other ran
    caught: tuple[str, ...] = ()  # tests that noticed a fault
    left: tuple[str, ...] = ()  # tests that nothing is shown by
    measured: bool = True


async def try_added(suite: SuiteRuns, tests: Sequence[FunctionChange]) -> Shown:
    measured = await measure_tests(suite, tests, with_others=True)
    if measured is None:
        return Shown(left=tuple(each.name for each in tests), measured=False)
    texts = await _texts(suite, measured)
    inside = {path: function_lines(text) for path, text in texts.items()}
    ran = [{path: lines & inside[path] for path, lines in each.items() if path in inside} for each in measured.by_test]
    new = [at for at, lines in enumerate(ran) if _beyond(lines, measured.others)]
    planting = _Planting(suite=suite, tests=tests, ran=ran, texts=texts)
    await planting.try_all({at for at in range(len(tests)) if at not in new})
    caught = sorted(planting.caught)
    left = [each.name for at, each in enumerate(tests) if at not in (*new, *caught)]
    return Shown(tuple(tests[at].name for at in new), tuple(tests[at].name for at in caught), tuple(left))


async def _texts(suite: SuiteRuns, measured: Measured) -> dict[str, str]:
    """Of the files that these tests ran, as they are called in the package's folder."""
    case = suite.runner.case
    ran = {path for lines in measured.by_test for path in lines}
    wanted = [entry for path, entry in case.has.items() if case.owns(path) and case.inside(path) in ran]
    found = await objects.blobs(case.repository, wanted)
    return {case.inside(path): content.decode(errors="replace") for path, content in found.items()}


def _beyond(lines: Lines, others: Lines) -> bool:
    return any(own - others.get(path, frozenset()) for path, own in lines.items())


@dataclass(slots=True, kw_only=True)
class _Planting:
    suite: SuiteRuns
    tests: Sequence[FunctionChange]
    ran: Sequence[Lines]
    texts: dict[str, str]
    caught: set[int] = field(default_factory=set)
    _tried: set[str] = field(default_factory=set)

    async def try_all(self, asked: set[int]) -> None:
        """One fault after another, each in what most of them run; whoever notices it need not be asked again."""
        for _ in range(FAULTS_MOST):
            found = next(self._faults(asked - self.caught), None)
            if found is None:
                return
            path, fault = found
            self._tried.add(fault.text)
            self.caught |= await self._noticed(path, fault, asked - self.caught)

    def _faults(self, asked: set[int]) -> Iterator[tuple[str, Fault]]:
        """Of those that nobody noticed yet, the first one's own; faults on other lines before others on the same."""
        for at in sorted(asked):
            for path, lines in self.ran[at].items():
                fresh = (each for each in faults_in(self.texts[path], lines) if each.text not in self._tried)
                yield from ((path, each) for each in fresh)

    async def _noticed(self, path: str, fault: Fault, asked: set[int]) -> set[int]:
        """Those that run that line, and fail with the fault in it."""
        runner = self.suite.runner
        at_line = [at for at in asked if fault.line in self.ran[at].get(path, ())]
        paths = dict.fromkeys(self.tests[at].path for at in at_line)
        whole = f"{runner.case.package}/{path}" if runner.case.package else path
        planted = Restored(over=(), without=(), texts={whole: fault.text.encode()})
        command = replace(with_options(self.suite.command, READ_ON, *paths), seconds=BY_TEST_SECONDS)
        outcome = await runner.run("a planted fault", command, restored=planted, again=True)
        failed = results_of(outcome).failed
        return {at for at in at_line if self.tests[at].cases_among(failed)}
