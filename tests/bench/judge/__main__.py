"""`make prove-judge`: judges the corpus, a slice at a time, prints how often the judge was wrong, and writes a page."""

import argparse
import sys

from tests.bench import results
from tests.bench.judge.pieces_of_seeds import EACH, KINDS, piece_of
from tests.bench.judge.record import AT_ONCE, MINUTES, PAGE, judge_seed, prove
from tests.bench.judge.tally import table, write_page


def main() -> int:
    parser = argparse.ArgumentParser(prog="make prove-judge", description=__doc__)
    parser.add_argument("--each", type=int, default=EACH, help="pieces a class")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of one slice; the next time it goes on")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, choices=(1, 2), help="pieces that are judged")
    parser.add_argument("--only", action="append", metavar="CLASS", choices=KINDS, help="just this one")
    parser.add_argument("--show", nargs=2, metavar=("CLASS", "SEED"), help="print one piece, and judge it")
    asked = parser.parse_args()
    if asked.show:
        return _show(asked.show[0], int(asked.show[1]))
    commit = results.commit()
    trials = prove(commit, asked.only or KINDS, asked.each, asked.minutes, asked.at_once, _tell)
    print(table(trials))
    if not asked.only:
        write_page(trials, commit, PAGE)
    return 1 if any(trial.wrong for trial in trials) else 0


def _show(kind: str, seed: int) -> int:
    origin, work = piece_of(kind, seed)
    print(f"──── {origin}")
    for path, text in work.work.items():
        print(f"──── {path}\n{text!s}")
    print(judge_seed([(kind, seed)])[0])
    return 0


def _tell(said: str) -> None:
    print(said, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
