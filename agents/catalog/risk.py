"""How risk is judged: manifests/policies/risk.yaml, with what overlord.yaml says under `risk:` laid over it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated

from pydantic import AfterValidator

from agents.catalog.fields import pattern, written_as
from agents.catalog.validation import Model, Odd
from agents.catalog.yaml import Document, read_yaml
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.risk import Area, Breaking, RiskPolicy, words_of
from agents.domain.limits import COUNT
from agents.domain.text.sanitize import Between
from manifests import packaged


def _word(written: str) -> str:
    if written.casefold() not in words_of(written):
        raise ValueError(f"`{written}` is more than one word. Write each alone, or a pattern under `paths`.")
    return written.casefold()


def _level(written: RiskLevel) -> RiskLevel:
    if written is RiskLevel.LOW:
        raise ValueError("`low` cannot be used. Write one of `medium`, `high` or `critical`.")
    return written


Patterns = tuple[Annotated[str, pattern("src/billing/**")], ...]
Files = Annotated[int, COUNT]
Lines = Annotated[int, COUNT]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenArea:
    level: Annotated[RiskLevel, AfterValidator(_level)]
    words: frozenset[Annotated[str, AfterValidator(_word)]] = frozenset()
    paths: Patterns = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBreaking:
    changed: Patterns
    removed: Patterns
    spared: Patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRisk:
    """Every number must be there: one that is missing would be one that nobody chose."""

    low_below: Files
    low_coverage: Annotated[float, Between(0, 100, "percent, such as 80")]
    medium_below: Files
    high_above: Files
    low_lines: Lines
    high_lines: Lines
    areas: Mapping[str, WrittenArea]
    breaking: WrittenBreaking

    def policy(self) -> RiskPolicy:
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("areas", "breaking")}
        areas = tuple(
            Area(name=name, level=area.level, words=area.words, paths=area.paths) for name, area in self.areas.items()
        )
        breaking = Breaking(changed=self.breaking.changed, removed=self.breaking.removed, spared=self.breaking.spared)
        return RiskPolicy(**given, areas=areas, breaking=breaking)


Risk = Annotated[RiskPolicy, written_as(WrittenRisk, WrittenRisk.policy)]
RISK: Model[RiskPolicy] = Model(Risk)


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
    return read_yaml(packaged("policies", "risk.yaml"))


@cache
def packaged_policy() -> RiskPolicy:
    return RISK.read(packaged_risk().data)
