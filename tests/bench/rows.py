"""A line of the result: ours beside theirs, and whether the target is met."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`most` limits ours / theirs; `most_ours` limits ours itself, where no ratio makes sense.

    `holds` is the verdict of what is not measured but passed or failed.
    """

    name: str
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    unit: str = "ms"
    beside: str = ""  # what theirs is
    most: float | None = None
    most_ours: float | None = None
    holds: bool | None = None
    failed: str = ""  # why it could not be measured, or what went wrong

    @property
    def target(self) -> str:
        if self.most is not None:
            return f"≤ {self.most:g}×"
        return "" if self.most_ours is None else f"≤ {self.most_ours:g} {self.unit}"

    @property
    def verdict(self) -> str:
        if self.failed:
            return "over"
        if self.most is not None:
            return "ok" if self.ratio is not None and self.ratio <= self.most else "over"
        if self.most_ours is not None:
            return "ok" if self.ours <= self.most_ours else "over"
        return "ok" if self.holds else "–"


Thing = TypeVar("Thing")


def in_turn(number: int, *things: Thing) -> tuple[Thing, ...]:
    """Whoever goes first this round goes last in the next: what one leaves behind, on disk or in caches, hits both."""
    return things if number % 2 == 0 else things[::-1]


def compared(
    name: str, ours: Sequence[float], theirs: Sequence[float], *, beside: str, most: float | None = None
) -> Row:
    """Seconds of rounds that took turns. The ratio is the median of the rounds' own, so a slow minute hits both."""
    ratio = median(our / their for our, their in zip(ours, theirs, strict=True))
    return Row(name=name, ours=median(ours) * 1e3, theirs=median(theirs) * 1e3, ratio=ratio, beside=beside, most=most)


def table(rows: Sequence[Row]) -> str:
    lines = [("name", "ours", "theirs", "ratio", "target", "", "beside"), *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(6)]
    return "\n".join(
        f"{line[0]:<{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:5], widths[1:5], strict=True))
        + f"  {line[5]:<{widths[5]}}  {line[6]}".rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    ours, theirs = (_number(value, row.unit) for value in (row.ours, row.theirs))
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}×"
    return row.name, ours, theirs, ratio, row.target, row.verdict, row.failed or row.beside


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
