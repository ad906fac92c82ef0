"""Plants a seeded random sample of faults, runs the tests that reach each, and prints how many were noticed by room.

First `map` (once a commit; as long as the suite, or as long as the folders given with `--tests`), then `run` in slices:
it goes on where it stopped, and makes the map first where there is none. Everything is kept in
.bench/mutation/<commit>/; the checkout itself is never changed, faults are planted in a copy of it.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.bench.mutation.coverage_map import COMBINED, FOLDER, CoverageMap
from tests.bench.mutation.sites import Fault, faults_in

ROOT = Path(__file__).resolve().parents[3]
EQUIVALENTS = Path(__file__).with_name("equivalents.json")  # faults that change nothing anybody can see, each with why
ROOMS = ("agents/domain", "agents/workspace/gates", "agents/workspace/sandbox", "bot/platforms")
CORE = {"agents/domain", "store", "agents/workspace/gates"}
MOST_TESTS, MOST_SECONDS = 500, 150.0
PROFILE = "OVERLORD_HYPOTHESIS"  # tests/conftest.py: to look for a smaller example takes longer than all else
FIRST = 30  # tests, the quickest of those that run the place: most faults are noticed by them
# Modules that run in programs of the sandbox alone, where no line is seen; and who tries those.
ELSEWHERE = {"agents/workspace/gates/planted/pytest_": ["tests/workspace/gates/planted"]}


def room_of(path: str) -> str:
    for room in ROOMS:
        if path.startswith(f"{room}/"):
            return room
    first, second, *_ = path.split("/")
    return first if first != "agents" else f"{first}/{second}"


def sample(seed: int, count: int, room: str = "") -> list[Fault]:
    """The same seed on the same commit gives the same faults; modules count by their number of places."""
    paths = sorted(
        p.relative_to(ROOT).as_posix() for top in ("bot", "agents", "store") for p in (ROOT / top).rglob("*.py")
    )
    asked = [path for path in paths if (room_of(path) in CORE if room == "core" else path.startswith(room))]
    every = [fault for path in asked for fault in faults_in(ROOT, path)]
    return random.Random(seed).sample(every, min(count, len(every)))


def commit() -> str:
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def record_map(folder: Path, asked: list[str]) -> None:
    """The whole suite in several processes; or some folders in one, which are added to what other folders gave."""
    everything = [f"tests/{path.name}" for path in sorted((ROOT / "tests").iterdir()) if _holds_tests(path)]
    named = "_".join(asked).replace("/", "-") or "everything"
    part = folder / (named if len(named) < 200 else hashlib.sha256(named.encode()).hexdigest())
    shutil.rmtree(part if asked else folder, ignore_errors=True)
    part.mkdir(parents=True)
    (folder / COMBINED).unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.bench.mutation.coverage_map",
    ]
    command += ["--basetemp", str(part / "tmp")]
    command += asked if asked else ["-n", "4", "--dist", "loadfile", *everything]
    subprocess.run(command, cwd=ROOT, env={**os.environ, FOLDER: str(part)}, check=False)


def _holds_tests(path: Path) -> bool:
    if path.is_dir():
        return path.name not in ("bench", "browser") and any(path.rglob("test_*.py"))
    return path.name.startswith("test_") and path.suffix == ".py"


class Trial:
    """One copy of the checkout in which faults are planted, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._copy, self._folder = folder / "copy", folder
        self._written = int(time.time())
        self._fit: set[str] = set()
        self._unfit: set[str] = set()
        if not self._copy.exists():
            subprocess.run(["git", "worktree", "add", "-q", "--detach", str(self._copy)], cwd=ROOT, check=True)
        subprocess.run(["git", "checkout", "-q", "."], cwd=self._copy, check=True)  # after a slice that was killed

    def outcome(self, fault: Fault, tests: list[str]) -> str:
        """noticed, slow (ended by time) or missed; `unreached` where no test runs the place.

        `unsure`: the tests take too long without the fault as well, so nothing was learned.
        """
        found = [self._try(fault, tests[:FIRST])]
        if found[0] not in ("noticed", "slow") and tests[FIRST:]:
            found.append(self._try(fault, tests[FIRST:]))
        return next(each for each in ("noticed", "slow", "missed", "unsure", "unreached") if each in found)

    def _try(self, fault: Fault, tests: list[str]) -> str:
        target = self._copy / fault.path
        sound = target.read_text(encoding="utf-8")
        while tests := [test for test in tests if test not in self._unfit]:
            self._write(target, fault.apply(sound))
            try:
                passed, failing = self._run(tests)
            finally:
                self._write(target, sound)
            if passed is None:
                return "unsure" if self._run(tests)[0] is None else "slow"
            if passed:
                return "missed"
            if self._is_fit(failing):
                return "noticed"
        return "unreached"

    def _write(self, target: Path, text: str) -> None:
        """With a time that no earlier text had, so that nothing compiled before is taken for it."""
        target.write_text(text, encoding="utf-8")
        self._written += 1
        os.utime(target, (self._written, self._written))

    def _is_fit(self, failing: set[str]) -> bool:
        """Whether the test that noticed passes without the fault: one that is red anyway has noticed nothing."""
        if not failing <= self._fit and not self._run(sorted(failing))[0]:
            self._unfit |= failing
            return False
        self._fit |= failing
        return True

    def _run(self, tests: list[str]) -> tuple[bool | None, set[str]]:
        """Whether all passed (None: not within the time), and which did not."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header"]
        command += ["--basetemp", str(self._folder / "tmp"), *tests]
        environment = {**os.environ, "PYTHONPATH": str(self._copy), "PYTHONDONTWRITEBYTECODE": ""}
        environment[PROFILE] = "unshrunk"
        try:
            done = subprocess.run(
                command, cwd=self._copy, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS
            )
        except subprocess.TimeoutExpired:
            return None, set()
        failing = {test for test in tests if re.search(rf"^(FAILED|ERROR) {re.escape(test)}( - |$)", done.stdout, re.M)}
        return done.returncode == 0, failing or set(tests)

    def close(self) -> None:
        subprocess.run(["git", "worktree", "remove", "--force", str(self._copy)], cwd=ROOT, check=False)


def chosen_tests(known: CoverageMap, fault: Fault) -> list[str]:
    """The quickest tests that run the place, within the number and the time that one fault may take."""
    chosen: list[str] = []
    left = MOST_SECONDS / 2
    for test in known.tests_of(fault.path, fault.line, fault.end_line):
        left -= known.seconds.get(test, 1.0)
        if len(chosen) >= MOST_TESTS or (left < 0 and chosen):
            break
        chosen.append(test)
    return chosen or next((tests for start, tests in ELSEWHERE.items() if fault.path.startswith(start)), [])


def run(asked: argparse.Namespace, folder: Path) -> None:
    if not (folder / "map").exists():
        record_map(folder / "map", asked.tests)
    known = CoverageMap(folder / "map", ROOT)
    print(f"seed {asked.seed}, {asked.count} faults in {asked.room or 'every room'}", flush=True)
    results = folder / f"results.{asked.seed}.{asked.count}.{asked.room.replace('/', '-') or 'all'}.jsonl"
    done = {json.loads(line)["number"] for line in results.read_text().splitlines()} if results.exists() else set()
    until = time.monotonic() + asked.minutes * 60
    trial = Trial(folder)
    try:
        for number, fault in enumerate(sample(asked.seed, asked.count, asked.room)):
            if number in done:
                continue
            if time.monotonic() > until:
                print("the slice is over: run it again to go on")
                break
            outcome = trial.outcome(fault, chosen_tests(known, fault))
            with results.open("a") as file:
                file.write(json.dumps({"number": number, "outcome": outcome, **asdict(fault)}) + "\n")
            print(f"{number + 1}/{asked.count} {outcome:9} {fault.path}:{fault.line} {fault.kind}", flush=True)
    finally:
        trial.close()
    show(results)


def last_of(results: Path) -> dict[int, dict[str, Any]]:
    """What came of each fault at last, by its number."""
    return {told["number"]: told for told in map(json.loads, results.read_text().splitlines())}


def show(results: Path) -> None:
    equivalents = {each["key"] for each in json.loads(EQUIVALENTS.read_text())} if EQUIVALENTS.exists() else set()
    counts: dict[str, Counter[str]] = {}
    for told in last_of(results).values():
        outcome, number = told.pop("outcome"), told.pop("number")
        fault = Fault(**told)
        if outcome in ("missed", "unreached"):
            outcome = "equivalent" if fault.key in equivalents else outcome
            print(f"#{number} {outcome}: {fault.key} (line {fault.line})")
        for room in (room_of(fault.path), "all", *(("core",) if room_of(fault.path) in CORE else ())):
            counts.setdefault(room, Counter())[outcome] += 1
    print(f"{'room':28}{'faults':>7}{'noticed':>9}{'raw':>7}{'without equivalents':>21}")
    for room, count in sorted(counts.items()):
        seen, every = count["noticed"] + count["slow"], count.total()
        real = every - count["equivalent"] - count["unsure"]
        print(f"{room:28}{every:>7}{seen:>9}{seen / every:>7.0%}{seen / real if real else 1:>21.0%}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutation", description=__doc__)
    parser.add_argument("what", choices=("map", "run", "show"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--room", default="", help="only modules below this folder; core: domain, store and checks")
    parser.add_argument("--tests", nargs="+", default=[], metavar="FOLDER", help="map these alone, not the whole suite")
    parser.add_argument("--minutes", type=float, default=55, help="how long this slice may take")
    asked = parser.parse_args()
    folder = ROOT / ".bench" / "mutation" / commit()
    if asked.what == "map":
        record_map(folder / "map", asked.tests)
    elif asked.what == "run":
        run(asked, folder)
    else:
        for results in folder.glob("results.*.jsonl"):
            show(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
