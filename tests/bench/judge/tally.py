"""How often the judge was wrong, class by class, with intervals; and the page that says so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

GENERATED = "generated"
Z = 1.959964  # of 95 %
HEAD = """\
# The judge's own record

`make prove-judge` makes a corpus at run time, has each piece judged in the real sandbox, and counts how often the
verdict is wrong. Most programs are generated: a few functions, with tests that stand alone, in parameters, and in data
files. Each fourth seed takes a small package of the registry with the tests that it ships; these are fetched at run
time, and kept by their hash outside of the checkout. Faults are single changes of operators, numbers and returns which
the tests of the base are known to see, because they were run. Nothing of it is kept in the repository. Each piece has
a seed, so a wrong verdict can be made again: `python -m tests.bench.judge --show "CLASS" SEED`.

A **false accept** is bad work that passed every check; a **false refusal** is good work that did not. Reviewers and
people, who look as well, are left out. Intervals are Wilson's, of 95 %. What the corpus cannot show: attacks written
against this very judge by somebody who has read it ([security.md](security.md) says what planted tests can see). Of
other languages there are fewer pieces, of the classes that a judge can tell there; they are counted with all others.
"""


@dataclass(frozen=True, slots=True)
class Count:
    tried: int
    wrong: int

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.wrong, self.tried)


def wilson(hits: int, tried: int) -> tuple[float, float]:
    """From, to; of a share. Also where nothing was hit."""
    if not tried:
        return 0.0, 1.0
    share, square = hits / tried, Z * Z
    middle = (share + square / (2 * tried)) / (1 + square / tried)
    spread = Z * sqrt(share * (1 - share) / tried + square / (4 * tried * tried)) / (1 + square / tried)
    return max(0.0, middle - spread), min(1.0, middle + spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    kind: str  # its class
    seed: int
    good: bool
    accepted: bool
    origin: str = GENERATED  # or the package that it was made of
    note: str = ""
    why: str = ""
    seconds: float = 0.0

    @property
    def wrong(self) -> bool:
        return self.good is not self.accepted


def count(trials: Iterable[Trial]) -> Count:
    every = list(trials)
    return Count(len(every), sum(trial.wrong for trial in every))


def by_class(trials: Sequence[Trial]) -> Mapping[str, list[Trial]]:
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.kind, []).append(trial)
    return found


def table(trials: Sequence[Trial]) -> str:
    lines = ["| class | should be | tried | of packages | wrong | 95 % |", "|---|---|---|---|---|---|"]
    for kind, some in by_class(trials).items():
        lines.append(_line(kind, "accepted" if some[0].good else "refused", some))
    good, bad = ([trial for trial in trials if trial.good is want] for want in (True, False))
    lines.append(_line("**false refusals, all**", "accepted", good))
    lines.append(_line("**false accepts, all**", "refused", bad))
    return "\n".join(lines)


def _line(name: str, wanted: str, some: Sequence[Trial]) -> str:
    found, packed = count(some), sum(trial.origin != GENERATED for trial in some)
    low, high = found.interval
    return f"| {name} | {wanted} | {found.tried} | {packed} | {found.wrong} | {100 * low:.1f} – {100 * high:.1f} % |"


def page(trials: Sequence[Trial], commit: str) -> str:
    wrong = [trial for trial in trials if trial.wrong]
    told = "\n".join(f"- {_named(each)}: {_said(each)}" for each in wrong)
    seconds = sorted(trial.seconds for trial in trials)
    middle = f"{seconds[len(seconds) // 2]:.1f} s" if seconds else "–"
    at = f"{len(trials)} pieces at commit `{commit[:10]}`"
    packages = sorted({trial.origin for trial in trials} - {GENERATED})
    made_of = f"packages: {', '.join(packages)}" if packages else "no package could be fetched"
    taken = f"{at}; {made_of}. A piece took {middle} (median); what is known of a base is measured once a program."
    return f"{HEAD}\n{taken}\n\n{table(trials)}\n" + (f"\nWrong:\n\n{told}\n" if told else "")


def _named(trial: Trial) -> str:
    return f"{trial.kind}, seed {trial.seed}" + (f" ({trial.note})" if trial.note else "")


def _said(trial: Trial) -> str:
    return "accepted" if trial.accepted else f"refused: {trial.why}"


def write_page(trials: Sequence[Trial], commit: str, file: Path) -> None:
    file.write_text(page(trials, commit))
