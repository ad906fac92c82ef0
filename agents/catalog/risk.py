"""How risk is judged: manifests/policies/risk.yaml, with what overlord.yaml says under `risk:` laid over it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from agents.catalog.documents import Document
from agents.catalog.policies import COUNT
from agents.catalog.reading import Odd, Shape, checked, items, mapping, number, one_of, text
from agents.domain.checks.risk import Area, Breaking, RiskLevel, RiskPolicy, words_of
from agents.domain.work.scope import odd_pattern
from manifests import packaged


def _pattern(written: str) -> str:
    if problem := odd_pattern(written):
        raise ValueError(f"`{written}` matches no path: {problem}. Write one such as `src/billing/**`.")
    return written


def _word(written: str) -> str:
    if written.casefold() not in words_of(written):
        raise ValueError(f"`{written}` is more than one word. Write each alone, or a pattern under `paths`.")
    return written.casefold()


_patterns = items(checked(text, _pattern))
Named = Callable[..., Area]  # an area that still needs its name


def _area(level: RiskLevel, words: tuple[str, ...] = (), paths: tuple[str, ...] = ()) -> Named:
    return partial(Area, level=level, words=frozenset(words), paths=paths)


def _policy(areas: Mapping[str, Named], breaking: Breaking, **numbers: Any) -> RiskPolicy:
    return RiskPolicy(areas=tuple(area(name=name) for name, area in areas.items()), breaking=breaking, **numbers)


_AREA = Shape(
    _area,
    ("level",),
    level=one_of(RiskLevel.MEDIUM, RiskLevel.HIGH, RiskLevel.CRITICAL),
    words=items(checked(text, _word)),
    paths=_patterns,
)
_BREAKING = Shape(Breaking, ("changed", "removed", "spared"), changed=_patterns, removed=_patterns, spared=_patterns)
# Every number must be there: one that is missing would be one that nobody chose.
RISK = Shape(
    _policy,
    ("low_below", "low_coverage", "medium_below", "high_above", "low_lines", "high_lines", "areas", "breaking"),
    low_below=COUNT,
    low_coverage=number(0, 100, write="Write percent, such as 80."),
    medium_below=COUNT,
    high_above=COUNT,
    low_lines=COUNT,
    high_lines=COUNT,
    areas=mapping(str, _AREA),
    breaking=_BREAKING,
)


def odd_risk(risk: RiskPolicy) -> Iterator[Odd]:
    """Numbers that do not fit each other."""
    if risk.low_below > risk.medium_below:
        what = f"with {risk.low_below} a change could be of low risk and too large for medium"
        yield ("risk", "low_below"), what, f"Write at most medium_below, which is {risk.medium_below}."
    if risk.medium_below > risk.high_above + 1:
        what = f"with {risk.medium_below} a change could be of medium risk and of high risk by its size"
        yield ("risk", "medium_below"), what, f"Write at most high_above + 1, which is {risk.high_above + 1}."
    if risk.low_lines > risk.high_lines + 1:
        what = f"with {risk.low_lines} a change could be of low risk and of high risk by its size"
        yield ("risk", "low_lines"), what, f"Write at most high_lines + 1, which is {risk.high_lines + 1}."


def packaged_risk() -> Document:
    from agents.catalog.yaml import read_yaml  # slow to load, and a start needs none

    return read_yaml(packaged("policies", "risk.yaml"))


@cache
def packaged_policy() -> RiskPolicy:
    return RISK.read(packaged_risk().data)
