"""Judges the corpus, a slice at a time: what was judged by this judge is in `.bench/judge/`, and not judged again."""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import results
from tests.bench.floor import ROOT
from tests.bench.judge.pieces_of_seeds import EACH, KINDS, piece_of, seeds_of
from tests.bench.judge.tally import Trial, write_page
from tests.bench.judge.trial import try_work
from tests.bench.rows import Row, Say

MINUTES = 55.0
AT_ONCE = 2
FOLDER = ROOT / ".bench" / "judge"
JUDGE = ("agents/workspace", "agents/domain/checks", "tests/bench/judge", "tests/evaluator/tampering.py")
PAGE = ROOT / "docs" / "judge.md"
Asked = tuple[str, int]  # a class and a seed


def judge_seed(asked: Sequence[Asked]) -> list[Trial]:
    """Pieces of one seed share a program: what is known of its base is measured once, as it is for a project."""
    with TemporaryDirectory(prefix="overlord-judge-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        return [judge_one(kind, seed, Path(made)) for kind, seed in asked]


def judge_one(kind: str, seed: int, home: Path) -> Trial:
    origin, work = piece_of(kind, seed)
    found = try_work(work, home)
    return Trial(
        kind=kind,
        seed=seed,
        good=work.good,
        accepted=found.accepted,
        origin=origin,
        note=work.note,
        why=found.why[:300],
        seconds=round(found.seconds, 2),
    )


def prove(commit: str, kinds: Sequence[str], each: int, minutes: float, at_once: int, say: Say) -> list[Trial]:
    """What this very judge judged before is read; the rest is judged, until the time is over."""
    file = FOLDER / f"{results.version_of(commit, JUDGE)}.jsonl"
    known = {(trial.kind, trial.seed): trial for trial in _read(file)}
    wanted = [(kind, seed) for seed in range(each) for kind in kinds if seed < seeds_of(kind)]
    left = [asked for asked in wanted if asked not in known]
    seeds = [[asked for asked in left if asked[1] == seed] for seed in dict.fromkeys(seed for _, seed in left)]
    until = time.monotonic() + 60 * minutes
    with ProcessPoolExecutor(at_once) as pool:
        for start in range(0, len(seeds), at_once):
            if time.monotonic() > until:
                say(f"{sum(map(len, seeds[start:]))} pieces are left for the next slice")
                break
            for trials in pool.map(judge_seed, seeds[start : start + at_once]):
                for trial in trials:
                    known[trial.kind, trial.seed] = trial
                    _append(file, trial)
                    if trial.wrong:
                        say(f"wrong: {trial.kind} {trial.seed} ({trial.note}): {trial.why or 'accepted'}")
    return [known[asked] for kind in kinds for asked in wanted if asked[0] == kind and asked in known]


def _read(file: Path) -> Iterator[Trial]:
    if file.exists():
        yield from (Trial(**json.loads(line)) for line in file.read_text().splitlines())


def _append(file: Path, trial: Trial) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as kept:
        kept.write(json.dumps(asdict(trial), ensure_ascii=False) + "\n")


def run(say: Say) -> list[Row]:
    """The part of `make bench`."""
    commit = results.commit()
    trials = prove(commit, KINDS, EACH, MINUTES, AT_ONCE, say)
    write_page(trials, commit, PAGE)
    return rows(trials, sum(map(seeds_of, KINDS)))


def rows(trials: Sequence[Trial], wanted: int) -> list[Row]:
    missing = "" if len(trials) >= wanted else f"{len(trials)} of {wanted} pieces were judged: run it again to go on"
    found = []
    for name, good in (("judge_false_accepts", False), ("judge_false_refusals", True)):
        some = [trial for trial in trials if trial.good is good]
        share = 100 * sum(trial.wrong for trial in some) / max(1, len(some))
        found.append(Row(name=name, ours=share, unit="%", most_ours=1.0, beside=f"{len(some)} pieces", failed=missing))
    return found
