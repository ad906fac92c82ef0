"""Charts of the metrics: where each bar stands, how long it is, and what is read out in its place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from agents.domain.metrics.figures import Day, Figures, Metrics, OfRole
from agents.domain.workflow.roles import TITLES
from bot.cards.work.metric_rows import (
    BEST,
    ROLE_HEADINGS,
    WORKFLOW_HEADINGS,
    dollars,
    engines_by_kind,
    of_tasks,
    percent,
    role_row,
    took,
    workflow_row,
)

WIDE, TALL = 420, 100  # of a chart by days, without its margins
LEFT, BELOW, TOP = 2, 20, 14
MOST_BARS = 14
MOST_DAYS = 92  # that are drawn, the latest


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One line of a chart of shares: `share` of the whole width, 0 to 100."""

    label: str
    share: float
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    x: float
    y: float
    width: float
    height: float
    kind: str  # well, failed, unknown or cost
    said: str  # such as "12 Nov: $0.30"


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    title: str
    most: str  # what the highest stands for
    columns: tuple[Column, ...]
    ticks: tuple[tuple[float, str], ...]
    width: float = WIDE + 2 * LEFT
    height: float = TALL + TOP + BELOW
    floor: float = TALL + TOP


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    title: str
    bars: tuple[Bar, ...]


def page_of(found: Metrics) -> dict[str, object]:
    """All that the page of metrics is filled with."""
    kind_headings, kinds = engines_by_kind(found)
    return {
        "whole": tuple(of_tasks(found)),
        "day_charts": day_charts(found),
        "bar_charts": bar_charts(found),
        "role_headings": ROLE_HEADINGS,
        "roles": [role_row(each) for each in found.roles],
        "kind_headings": kind_headings,
        "kinds": kinds,
        "workflow_headings": WORKFLOW_HEADINGS,
        "workflows": [workflow_row(each) for each in found.workflows],
        "best": BEST,
        "titles": TITLES,
    }


def bar_charts(found: Metrics) -> tuple[Bars, ...]:
    """Of roles: how often it went well, how long it took, what it cost, how often it was tried again."""
    roles = [each for each in found.roles if each.figures.judged]
    made = (
        _bars("Success by role", roles, lambda of: of.success or 0.0, percent, 1),
        _bars("Average time by role", roles, lambda of: of.seconds, took),
        _bars("Average cost by role", roles, lambda of: of.cost, dollars),
        _bars("Retries a task by role", roles, lambda of: of.retry_rate, "{:.1f}".format),
    )
    return tuple(chart for chart in made if chart.bars)


def day_charts(found: Metrics) -> tuple[Columns, ...]:
    """Runs a day by how they ended, and dollars a day. Days on which nothing ran have their place."""
    if not found.days:
        return ()
    known = {day.day: day for day in found.days}
    last = found.until.date()
    first = max(min(known), last - timedelta(days=MOST_DAYS - 1))
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    drawn = [known.get(day, Day(day=day, runs=0, judged=0, well=0, cost=0.0, seconds=0.0)) for day in days]
    return (
        _columns("Runs a day", drawn, _ends, lambda value: f"{value:g}"),
        _columns("Cost a day", drawn, lambda day: [("cost", day.cost, dollars(day.cost))], dollars),
    )


def _ends(day: Day) -> list[tuple[str, float, str]]:
    failed, unknown = day.judged - day.well, day.runs - day.judged
    said = f"{day.well} well, {failed} failed" + (f", {unknown} not judged" if unknown else "")
    return [("well", day.well, said), ("failed", failed, said), ("unknown", unknown, said)]


def _bars(
    title: str,
    roles: Iterable[OfRole],
    value: Callable[[Figures], float],
    say: Callable[[float], str],
    whole: float = 0.0,
) -> Bars:
    """The longest first; `whole`: what the full width stands for, else the longest does."""
    order = sorted(((value(each.figures), each.role) for each in roles), key=lambda of: (-of[0], of[1]))[:MOST_BARS]
    most = whole or max((each for each, _ in order), default=0.0)
    if not most:
        return Bars(title=title, bars=())
    return Bars(
        title=title,
        bars=tuple(Bar(label=role, share=round(100 * each / most, 1), said=say(each)) for each, role in order),
    )


def _columns(
    title: str,
    days: Sequence[Day],
    parts: Callable[[Day], list[tuple[str, float, str]]],
    say: Callable[[float], str],
) -> Columns:
    most = max((sum(value for _, value, _ in parts(day)) for day in days), default=0.0)
    step = WIDE / max(len(days), 7)
    gap, drawn = min(6.0, step * 0.25), list[Column]()
    for at, day in enumerate(days):
        top = float(TALL + TOP)
        for kind, value, said in parts(day):
            height = TALL * value / most if most else 0.0
            top -= height
            if height:
                x, words = LEFT + at * step + gap / 2, f"{_short(day.day)}: {said}"
                drawn.append(Column(x=x, y=top, width=step - gap, height=height, kind=kind, said=words))
    ticks = [(LEFT + at * step, _short(day.day)) for at, day in enumerate(days) if at % max(1, len(days) // 6) == 0]
    return Columns(title=title, most=say(most), columns=tuple(drawn), ticks=tuple(ticks))


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"
