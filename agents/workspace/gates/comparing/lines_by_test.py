"""Which lines of the program each new test runs: a run of its own, only of what is asked about, and not for long."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from agents.domain.checks.file_kinds import is_test, says_how_it_works
from agents.domain.checks.python_tests import FunctionChange
from agents.domain.checks.source.changed_lines import Touched, touched_lines
from agents.workspace.gates import detect
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import SuiteRuns
from agents.workspace.gates.gate_commands import ByTest, Place, measure_by_test
from agents.workspace.gates.gate_runner import AS_COMMITTED
from agents.workspace.gates.originals import Restored
from agents.workspace.gates.rules import Case

MOST = 200  # tests that are told apart
ANYWHERE = "*"  # a test that stands where no runner looks, and is run by whoever inherits it
OTHERS = "others"  # tests that are not
Lines = Mapping[str, frozenset[int]]  # of files, from the package's folder


@dataclass(frozen=True, slots=True)
class Measured:
    """`by_test` in the order in which the tests were named; `others`: lines that tests beside them run."""

    by_test: Sequence[Lines]
    others: Lines = field(default_factory=dict)
    statements: Lines = field(default_factory=dict)
    starts: Collection[int] = ()  # those that start programs, of which nothing is seen


async def measure_tests(
    suite: SuiteRuns,
    tests: Sequence[FunctionChange],
    *,
    sources: Sequence[str] = (),
    with_others: bool = False,
    restored: Restored = AS_COMMITTED,
) -> Measured | None:
    """What these tests run of these files, or of all. None: not measured."""
    runner, case = suite.runner, suite.runner.case
    if not suite.by_name or not tests or len(tests) > MOST:
        return None
    asked = ByTest(
        wanted=[f"{ANYWHERE if each.is_inherited else each.path}::{each.name.rpartition('.')[2]}" for each in tests],
        sources=sources,
        paths=()
        if with_others or any(each.is_inherited for each in tests)
        else tuple(dict.fromkeys(each.path for each in tests)),
        alone=detect.measures_itself(case.after),
    )
    place = Place(folder=case.package, others=case.others)
    command = measure_by_test(runner.environment, runner.out, asked, place)
    if command is None:
        return None
    outcome = await runner.run(runner.title("lines of the tests"), command, restored=restored)
    starts = [int(each) for each in outcome.heard.starts if each.isdecimal()]
    if not outcome.measured and outcome.report and outcome.row.exit_code == 0:
        return Measured([{}] * len(tests), starts=frozenset(starts))  # nothing of these files was loaded at all
    return read_lines(outcome.measured, len(tests), starts, frozenset(map(case.inside, case.own_tests)))


def read_lines(written: str, count: int, starts: Collection[int] = (), apart: Collection[str] = ()) -> Measured | None:
    """From what coverage wrote. `apart`: files that are tests, though their names do not say so."""
    try:
        files = json.loads(written)["files"]
        seen = {path: _by_context(file["contexts"]) for path, file in files.items()
                if not is_test(path) and path not in apart}  # fmt: skip
        statements = {path: frozenset(map(int, (*files[path]["executed_lines"], *files[path]["missing_lines"])))
                      for path in seen}  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None

    def of(context: str) -> Lines:
        return {path: lines[context] for path, lines in seen.items() if context in lines}

    return Measured([of(str(at)) for at in range(count)], of(OTHERS), statements, frozenset(starts))


def _by_context(contexts: Mapping[str, Sequence[str]]) -> dict[str, frozenset[int]]:
    found = dict[str, set[int]]()
    for line, names in contexts.items():
        for name in names:
            found.setdefault(name, set()).add(int(line))
    return {name: frozenset(lines) for name, lines in found.items()}


def changed_sources(case: Case) -> dict[str, Touched] | None:
    """What tests could run of the change. None: some of it is no Python, or cannot be read."""
    found = dict[str, Touched]()
    for each in case.differing:
        path = each.change.path
        if case.is_test(path) or not says_how_it_works(path) or each.after is None or not case.owns(path):
            continue
        text = case.contents.get(path)
        read = touched_lines(_text(case.former.get(path)), _text(text)) if path.endswith(".py") and text else None
        if read is None and text != b"":
            return None
        found.update({path: read} if read and read.anything else {})
    return found


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")


def runs_changed(case: Case, lines: Lines, changed: Mapping[str, Touched], statements: Lines) -> bool:
    """Whether one of them changed. What runs when a file is loaded did so before any test began: a test that reads a
    constant runs no line of it, and that the file was loaded for these tests is all that can be seen."""
    for path, touched in changed.items():
        own = lines.get(case.inside(path), frozenset())
        known = statements.get(case.inside(path), frozenset())
        if own & touched.inside & known or (known and touched.everywhere):
            return True
    return False


def could_run(case: Case, changed: Mapping[str, Touched], statements: Lines) -> bool:
    """Whether there is a changed line that anything could run. A file that was not loaded has not been looked at."""
    return any(
        touched.everywhere or case.inside(path) not in statements or touched.inside & statements[case.inside(path)]
        for path, touched in changed.items()
    )


async def tests_that_miss(suite: SuiteRuns, files: SuiteFiles, tests: Sequence[FunctionChange]) -> list[str] | None:
    """Of tests that are told to show the change, those that run nothing of it. None: not measured."""
    case = files.case
    changed = changed_sources(case)
    if not changed:
        return None
    measured = await measure_tests(suite, tests, sources=sorted(changed))
    if measured is None or not could_run(case, changed, measured.statements):
        return None
    missing = list[str]()
    for at, each in enumerate(tests):
        runs = runs_changed(case, measured.by_test[at], changed, measured.statements)
        if not runs and at in measured.starts:
            return None
        missing += [] if runs else [each.name]
    return missing
