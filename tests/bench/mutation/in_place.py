"""Plants faults in functions that are loaded already: a fork of the process that collected the tests for each of them.

Quick, for nothing is imported or collected anew; so it suits rooms with many small tests:
`python -m tests.bench.mutation map --tests tests/domain`, then `python -m tests.bench.mutation.in_place --room
agents/domain --tests tests/domain`. What slower folders would notice counts as missed, so the score is a lower bound.
It goes on where it stopped; `--again` tries what was missed once more.
"""

import argparse
import gc
import json
import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.bench.mutation.__main__ import PROFILE, ROOT, commit, last_of, sample, show
from tests.bench.mutation.coverage_map import CoverageMap
from tests.bench.mutation.sites import Fault

MOST_TESTS, UNKNOWN = 300, 1.0  # for one fault; seconds of a test that the map lacks
PATIENCE, LEAST = 300.0, 4  # seconds on the clock, which a busy machine takes; of the processor, where tests take none
# Too slow to be run for each fault.
NOT_BESIDE = ("tests/browser", "tests/corpus", "tests/evaluator", "tests/faults", "tests/scenarios", "tests/test_")
MISSED, NOTICED, UNFIT = 0, 1, 2


class Planter:
    """Goes on where the results end: a fault that was tried is not tried again."""

    def __init__(
        self, faults: Sequence[Fault], known: CoverageMap, minutes: float, results: Path, *, again: bool, most: float
    ) -> None:
        self._faults, self._known, self._results, self._again, self._most = faults, known, results, again, most
        self._until = time.monotonic() + minutes * 60
        self._fit: dict[str, bool] = {}
        self._items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        tried = last_of(self._results) if self._results.exists() else {}
        done = {number for number, each in tried.items() if not self._again or each["outcome"] in ("noticed", "slow")}
        load(self._faults)
        with self._results.open("a") as file:
            for number, fault in enumerate(self._faults):
                if number in done:
                    continue
                if time.monotonic() > self._until:
                    break
                outcome = self._outcome(session, fault)
                file.write(json.dumps({"number": number, "outcome": outcome, **asdict(fault)}) + "\n")
                file.flush()
        return True

    def _outcome(self, session: pytest.Session, fault: Fault) -> str:
        """Nothing is hidden by tests that are too slow: what the others missed is missed."""
        found = list[str]()
        for tests in (self._mapped(fault), self._beside(fault)):
            found.append(self._try(session, tests, fault))
            if found[-1] in ("noticed", "slow"):
                return found[-1]
        return next(each for each in ("missed", "unsure", "unreached") if each in found)

    def _try(self, session: pytest.Session, tests: list[str], fault: Fault) -> str:
        while chosen := [test for test in tests if self._fit.get(test, True)]:
            ended, by = self._in_fork(session, chosen, fault)
            if ended == UNFIT:
                return "unsure"
            if ended is None:
                return "slow" if self._in_fork(session, chosen, None)[0] == MISSED else "unsure"
            if ended == MISSED:
                return "missed"
            if by not in self._fit:
                self._fit[by] = self._in_fork(session, [by], None)[0] == MISSED
            if self._fit[by]:
                return "noticed"
        return "unreached"

    def _mapped(self, fault: Fault) -> list[str]:
        """Those that run the place: half of the time for the nearest files, half for the quickest of all others."""
        near = nearest_files(fault.path)
        tests = [t for t in self._known.tests_of(fault.path, fault.line, fault.end_line) if t in self._items]
        own = self._within([test for test in tests if test.partition("::")[0] in near], self._most / 2)
        return [*own, *self._within([test for test in tests if test not in own], self._most / 2)]

    def _beside(self, fault: Fault) -> list[str]:
        """Those that stand beside the module and that no map knows."""
        files, known = nearest_files(fault.path), self._known.seconds
        tests = [test for test in self._items if test.partition("::")[0] in files and test not in known]
        return self._within(tests, self._most)

    def _within(self, tests: list[str], seconds: float) -> list[str]:
        taken, left = list[str](), seconds
        for test in tests[:MOST_TESTS]:
            left -= self._known.seconds.get(test, UNKNOWN)
            if left < 0 and taken:
                break
            taken.append(test)
        return taken

    def _in_fork(self, session: pytest.Session, tests: list[str], fault: Fault | None) -> tuple[int | None, str]:
        """How it ended (None: not in time), and the test that noticed."""
        reads, writes = os.pipe()
        child = os.fork()
        if not child:
            os.close(reads)
            self._play(session, [self._items[test] for test in tests], fault, writes)
        os.close(writes)
        until = time.monotonic() + PATIENCE
        status: int | None = None
        while status is None and time.monotonic() < until:
            ended, found = os.waitpid(child, os.WNOHANG)
            if ended:
                status = found
            else:
                time.sleep(0.005)
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        with os.fdopen(reads) as said:
            by = said.read()
        code = None if status is None else os.waitstatus_to_exitcode(status)
        return (None if code is None or code < 0 else code), by

    def _play(self, session: pytest.Session, items: list[pytest.Item], fault: Fault | None, says: int) -> None:
        most = LEAST + int(sum(self._known.seconds.get(item.nodeid, UNKNOWN) for item in items))
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if fault and not plant(fault):
            os._exit(UNFIT)
        session.testsfailed = 0
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                os.write(says, item.nodeid.encode())
                os._exit(NOTICED)
        os._exit(MISSED)


LOADED: dict[tuple[str, int, str], list[FunctionType]] = {}  # by module, first line and name


def load(faults: Sequence[Fault]) -> None:
    """Import what faults are planted in, and find every function of it."""
    modules = {module_of(fault) for fault in faults}
    for module in modules:
        with suppress(ImportError, OSError):  # what runs inside the sandbox alone may need what lies there
            import_module(module)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__module__ in modules:
            LOADED.setdefault((each.__module__, each.__code__.co_firstlineno, each.__code__.co_name), []).append(each)
    gc.freeze()


def module_of(fault: Fault) -> str:
    return fault.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def plant(fault: Fault) -> bool:
    """Give the function around the place the code that it has with the fault; False: it cannot be done in place."""
    changed = compile(fault.apply((ROOT / fault.path).read_text(encoding="utf-8")), str(ROOT / fault.path), "exec")
    around = [code for code in _functions(changed) if code.co_firstlineno <= fault.line]
    if not around:
        return False
    code = max(around, key=lambda each: each.co_firstlineno)
    found = LOADED.get((module_of(fault), code.co_firstlineno, code.co_name), [])
    if any(each.__code__.co_freevars != code.co_freevars for each in found):
        return False
    for each in found:
        each.__code__ = code
    return bool(found)


@cache
def nearest_files(path: str) -> frozenset[str]:
    """The module's own test file, and those that its row in seen_by.toml names."""
    own = (file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob(f"test_{Path(path).stem}.py"))
    rows = tomllib.loads((ROOT / "tests" / "seen_by.toml").read_text())["seen_by"]
    return frozenset({*own, *rows.get(path.removesuffix(".py").replace("/", "."), [])})


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Those of a module and of its classes; what stands inside of a function goes with it."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & 2:  # it has a frame of its own: a function, and no class
                yield each
            else:
                yield from _functions(each)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutation.in_place", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--room", default="agents/domain")
    parser.add_argument("--tests", nargs="+", default=["tests/domain"], help="and the files nearest to each fault")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=40, help="of tests, by the map, that one fault may take")
    parser.add_argument("--again", action="store_true", help="try what nothing noticed once more")
    asked = parser.parse_args()
    folder = ROOT / ".bench" / "mutation" / commit()
    named = f"{asked.seed}.{asked.count}.{asked.room.replace('/', '-')}"
    results = folder / f"in_place.{named}.jsonl"
    faults = sample(asked.seed, asked.count, asked.room)
    planter = Planter(
        faults, CoverageMap(folder / "map", ROOT), asked.minutes, results, again=asked.again, most=asked.seconds
    )
    beside = {file for fault in faults for file in nearest_files(fault.path)}
    files = [file for file in sorted(beside) if not file.startswith((*asked.tests, *NOT_BESIDE))]
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-s")
    os.environ[PROFILE] = "unshrunk"
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        pytest.main([*quiet, "--basetemp", str(folder / f"tmp.{named}"), *asked.tests, *files], plugins=[planter])
    if not results.exists():
        print(f"nothing was collected: pytest --collect-only {' '.join(asked.tests)} says why")
        return 1
    show(results)
    print(Counter(each["outcome"] for each in last_of(results).values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
