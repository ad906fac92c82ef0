"""Plants faults in functions that are loaded already: a fork of the process that collected the tests for each of them.

Quick, for nothing is imported or collected anew; so it suits what is pure and has many small tests:
`python -m tests.bench.mutation.in_place --room agents/domain --tests tests/domain`. The map of the slower way, which
has all tests and may notice what is missed here, says which of them reach a place.
"""

import argparse
import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.bench.mutation.__main__ import ROOT, commit, sample, show
from tests.bench.mutation.coverage_map import CoverageMap
from tests.bench.mutation.sites import Fault

MOST_TESTS, PATIENCE = 300, 60.0
MISSED, NOTICED, UNFIT = 0, 1, 2


class Planter:
    def __init__(self, faults: Sequence[Fault], known: CoverageMap, minutes: float, results: Path) -> None:
        self._faults, self._known, self._results = faults, known, results
        self._until = time.monotonic() + minutes * 60
        self._fit: dict[str, bool] = {}
        self._items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        with self._results.open("w") as file:
            for number, fault in enumerate(self._faults):
                if time.monotonic() > self._until:
                    break
                outcome = self._outcome(session, fault)
                file.write(json.dumps({"number": number, "outcome": outcome, **asdict(fault)}) + "\n")
        return True

    def _outcome(self, session: pytest.Session, fault: Fault) -> str:
        tests = [t for t in self._known.tests_of(fault.path, fault.line, fault.end_line) if t in self._items]
        while chosen := [test for test in tests[:MOST_TESTS] if self._fit.get(test, True)]:
            ended, by = self._in_fork(session, chosen, fault)
            if ended == UNFIT:
                return "unsure"
            if ended is None:
                return "slow"
            if ended == MISSED:
                return "missed"
            if by not in self._fit:
                self._fit[by] = self._in_fork(session, [by], None)[0] == MISSED
            if self._fit[by]:
                return "noticed"
        return "unreached"

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
        return (None if status is None else os.waitstatus_to_exitcode(status)), by

    def _play(self, session: pytest.Session, items: list[pytest.Item], fault: Fault | None, says: int) -> None:
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


def plant(fault: Fault) -> bool:
    """Give the function around the place the code that it has with the fault; False: it cannot be done in place."""
    changed = compile(fault.apply((ROOT / fault.path).read_text(encoding="utf-8")), str(ROOT / fault.path), "exec")
    module = fault.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    around = [code for code in _functions(changed) if code.co_firstlineno <= fault.line]
    if not around:
        return False
    code = max(around, key=lambda each: each.co_firstlineno)
    found = False
    for each in gc.get_objects():
        same = isinstance(each, FunctionType) and each.__module__ == module
        if same and each.__code__.co_firstlineno == code.co_firstlineno and each.__code__.co_name == code.co_name:
            if each.__code__.co_freevars != code.co_freevars:
                return False
            each.__code__, found = code, True
    return found


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
    parser.add_argument("--tests", nargs="+", default=["tests/domain"])
    parser.add_argument("--minutes", type=float, default=10)
    asked = parser.parse_args()
    folder = ROOT / ".bench" / "mutation" / commit()
    results = folder / f"in_place.{asked.seed}.{asked.count}.{asked.room.replace('/', '-')}.jsonl"
    planter = Planter(
        sample(asked.seed, asked.count, asked.room), CoverageMap(folder / "map", ROOT), asked.minutes, results
    )
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-s")
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        pytest.main([*quiet, "--basetemp", str(folder / "tmp-in-place"), *asked.tests], plugins=[planter])
    show(results)
    print(Counter(json.loads(line)["outcome"] for line in results.read_text().splitlines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
