"""Many walks with the clumsy model, each kept as a line, so that a run that was ended goes on.

`python -m tests.bench.clumsy.record --walks 40 --seed clumsy` prints what went wrong, by kind.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from agents.llm.gateway import Gateway
from tests.bench import results
from tests.bench.clumsy.clumsiness import Clumsy
from tests.bench.clumsy.stories import STORIES
from tests.bench.clumsy.walking import PATIENCE, Result, walk, walk_story
from tests.bench.floor import ROOT
from tests.bench.rows import Row, Say
from tests.fakes.wires import WIRES

FOLDER = ROOT / ".bench" / "clumsy"
WALKS, SEED, AT_ONCE = 300, "clumsy", 2
LONGEST = 55 * 60.0  # seconds of one slice; the next goes on
LEAST_RIGHT = 97.0  # of a hundred
Line = dict[str, Any]


def run(say: Say, *, walks: int = WALKS, seed: str = SEED, seconds: float = LONGEST) -> list[Row]:
    """What is there of this commit and seed is kept; the rest is walked, some at once, each in a process of its own."""
    file = FOLDER / f"{results.commit()[:12]}-{seed}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    known = read(file)
    missing = [n for n in range(-len(STORIES), walks) if n not in known]
    slices = [missing[at::AT_ONCE] for at in range(AT_ONCE)]
    workers = [_start(numbers, seed, file, end - time.monotonic()) for numbers in slices if numbers]
    try:
        for worker in workers:
            for line in worker.stdout or ():
                say(line.rstrip())
            worker.wait()
    finally:
        for worker in workers:
            worker.kill()
    return rows(read(file), walks, say)


def read(file: Path) -> dict[int, Line]:
    lines = file.read_text().splitlines() if file.exists() else []
    return {line["number"]: line for line in map(json.loads, lines)}


def _start(numbers: Sequence[int], seed: str, file: Path, seconds: float) -> "subprocess.Popen[str]":
    listed = ",".join(map(str, numbers))
    command = [sys.executable, "-m", "tests.bench.clumsy.record", "--seed", seed, "--file", str(file)]
    return subprocess.Popen(
        [*command, "--seconds", str(seconds), f"--numbers={listed}"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


async def walk_all(numbers: Sequence[int], seed: str, file: Path, seconds: float) -> None:
    """Numbers below nothing are careful walks, one of each story: how many calls it needs."""
    end = time.monotonic() + seconds
    await Gateway().warm()
    for number in numbers:
        if time.monotonic() > end - PATIENCE / 4:
            return
        with _home() as home:
            result = await _one(number, seed, home)
        with file.open("a") as lines:
            lines.write(f"{json.dumps(result.dump())}\n")
        told = "right" if result.right else f"MISS: {result.ended} {'; '.join(result.wrong)}"
        print(f"{number} {result.wire} {result.story}: {result.calls} calls, {result.seconds:g} s, {told}", flush=True)


async def _one(number: int, seed: str, home: Path) -> Result:
    if number >= 0:
        return await walk(number, seed, home)
    careful = Clumsy(seed="careful", hang=0, rate=0)
    return await walk_story(STORIES[-number - 1], [*WIRES][-number % len(WIRES)], number, careful, home)


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="clumsy-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "home"


def rows(known: dict[int, Line], walks: int, say: Say) -> list[Row]:
    needed = {line["story"]: line["calls"] for number, line in known.items() if number < 0}
    done = [line for number, line in sorted(known.items()) if 0 <= number < walks]
    if not done:
        return [Row(name="clumsy", ours=0, unit="", failed="no walk came to an end")]
    for line in done:
        if not line["right"]:
            say(f"{line['number']} {line['wire']} {line['story']}: {line['ended']} {line['wrong']} {line['again']}")
    for name, told in (("it did wrong", "did"), ("asked again for", "again")):
        say(f"{name}: {', '.join(f'{kind} {count}' for kind, count in _counted(done, told).most_common(25))}")
    misses = Counter(line["ended"] for line in done if not line["right"])
    say(f"missed: {', '.join(f'{why} {count}' for why, count in misses.most_common()) or 'none'}")
    right = 100 * sum(line["right"] for line in done) / len(done)
    extra = [line["calls"] - needed.get(line["story"], line["calls"]) for line in done if line["right"]]
    wrong = [f"{line['number']}: {each}" for line in done for each in line["wrong"]]
    by_form = [f"{line['number']}: {each}" for line in done for each in line["by_form"]]
    careful = [line["ended"] for number, line in known.items() if number < 0 and not line["right"]]
    failed = "" if right >= LEAST_RIGHT and not careful else f"{right:.1f} % of {len(done)}; careful ones: {careful}"
    some = f"of {walks} walks" if len(done) == walks else f"{len(done)} of {walks} so far; run it again to go on"
    return [
        Row(name="clumsy_right_end", ours=right, unit="%", beside=some, holds=not failed, failed=failed),
        Row(name="clumsy_wrong_accepted", ours=len(wrong), unit="", most_ours=0, beside="; ".join(wrong)[:300]),
        Row(name="clumsy_ended_by_form", ours=len(by_form), unit="", most_ours=0, beside="; ".join(by_form)[:300]),
        Row(name="clumsy_extra_calls", ours=median(extra or [0]), unit="", most_ours=1, beside="the median of a walk"),
    ]  # fmt: skip


def _counted(done: Sequence[Line], told: str) -> Counter[str]:
    counted = Counter[str]()
    for line in done:
        counted.update(line[told])
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=WALKS)
    parser.add_argument("--seed", default=SEED)
    parser.add_argument("--seconds", type=float, default=LONGEST)
    parser.add_argument("--numbers", default="", help="just these, in this process")
    parser.add_argument("--file", type=Path)
    asked = parser.parse_args()
    if asked.numbers:
        asyncio.run(walk_all([*map(int, asked.numbers.split(","))], asked.seed, asked.file, asked.seconds))
        return
    for row in run(print, walks=asked.walks, seed=asked.seed, seconds=asked.seconds):
        print(f"{row.name}: {row.ours:g} {row.unit} {row.verdict} {row.failed or row.beside}")


if __name__ == "__main__":
    main()
