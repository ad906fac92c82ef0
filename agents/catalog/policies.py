"""Policies in manifests/policies/, with what overlord.yaml lays over them: limits, how risk is judged, specialists."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from agents.catalog.validation import Model, Odd, fields_of, pattern, written_as
from agents.catalog.yaml import read_packaged, read_yaml
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.risk import Area, Breaking, RiskPolicy, words_of
from agents.domain.limits import COUNT, Limits, Retention
from agents.domain.planning.points import Principle
from agents.domain.project.packages import PackageHosts
from agents.domain.text.sanitize import Between
from agents.ports import Specialist

MARGIN = 10  # seconds a provider may still need to show what it accepted
LIMITS: Model[Limits] = Model(Limits)


def odd_limits(limits: Limits) -> Iterator[Odd]:
    """Numbers that do not fit each other."""
    least = limits.provider_timeout + MARGIN
    if limits.send_lease <= least:
        what = f"with {limits.send_lease:g} a second process could send a post while the first waits for its answer"
        yield ("limits", "send_lease"), what, f"Write more than provider_timeout + {MARGIN}, which is {least:g}."
    if limits.settle < least:
        what = f"with {limits.settle:g} a post could appear after it was given up, and come twice"
        yield ("limits", "settle"), what, f"Write at least provider_timeout + {MARGIN}, which is {least:g}."
    if limits.job_renewal > limits.job_lease / 2:
        what = f"with {limits.job_renewal:g} one late renewal would lose the job to another process"
        yield ("limits", "job_renewal"), what, f"Write at most half of job_lease, which is {limits.job_lease / 2:g}."


def odd_retention(retention: Retention, limits: Limits) -> Iterator[Odd]:
    """What was delivered is how something that is read again is known."""
    least = math.floor(limits.catch_up / 86_400) + 1
    if retention.deliveries is not None and retention.deliveries < least:
        what = f"with {retention.deliveries} what was said while I was away could be heard twice"
        yield ("retention", "deliveries"), what, f"Write at least {least}: more days than limits.catch_up reads back."


def _word(written: str) -> str:
    if written.casefold() not in words_of(written):
        raise ValueError(f"`{written}` is more than one word. Write each alone, or a pattern under `paths`.")
    return written.casefold()


def _level(written: RiskLevel) -> RiskLevel:
    if written is RiskLevel.LOW:
        raise ValueError("`low` cannot be used. Write one of `medium`, `high` or `critical`.")
    return written


Patterns = tuple[Annotated[str, pattern("src/billing/**")], ...]
Count = Annotated[int, COUNT]


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

    low_below: Count
    low_coverage: Annotated[float, Between(0, 100, "percent, such as 80")]
    medium_below: Count
    high_above: Count
    low_lines: Count
    high_lines: Count
    areas: Mapping[str, WrittenArea]
    breaking: WrittenBreaking

    def policy(self) -> RiskPolicy:
        areas = tuple(Area(name=name, **fields_of(area)) for name, area in self.areas.items())
        breaking = Breaking(**fields_of(self.breaking))
        return RiskPolicy(**fields_of(self, "areas", "breaking"), areas=areas, breaking=breaking)


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


@cache
def packaged_policy() -> RiskPolicy:
    return RISK.read(read_packaged("policies", "risk.yaml").data)


PACKAGES: Model[PackageHosts] = Model(PackageHosts)


@cache
def packaged_hosts() -> PackageHosts:
    """Hosts that package clients use where nobody configured them."""
    return PACKAGES.read(read_packaged("policies", "packages.yaml").data)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSpecialist:
    name: str
    domains: Annotated[tuple[str, ...], Field(max_length=50)]
    focus: Annotated[str, Field(max_length=600)]

    def specialist(self) -> Specialist:
        if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", self.name):
            raise ValueError(f"`{self.name}` cannot be used as a name. Use small letters, digits and dashes.")
        if not self.domains or not self.focus:
            raise ValueError(f"`{self.name}` has no domains or no focus. Write both.")
        return Specialist(name=self.name, domains=frozenset(each.casefold() for each in self.domains), focus=self.focus)


_Specialist = Annotated[Specialist, written_as(WrittenSpecialist, WrittenSpecialist.specialist)]


Specialists = Annotated[tuple[_Specialist, ...], Field(max_length=20)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPanel:
    specialists: Specialists


SPECIALISTS: Model[WrittenPanel] = Model(WrittenPanel)


def load_specialists(path: Path, own: Sequence[Specialist] = ()) -> Sequence[Specialist]:
    """Those of the file, and `own`: of two with one name the own one is asked."""
    ours = SPECIALISTS.read(read_yaml(path).data).specialists
    return tuple({each.name: each for each in (*ours, *own)}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPrinciple:
    id: str
    title: Annotated[str, Field(min_length=1, max_length=80)]
    means: Annotated[str, Field(max_length=300)] = ""
    domains: Annotated[tuple[str, ...], Field(max_length=50)] = ()

    def principle(self) -> Principle:
        if not re.fullmatch(r"[A-Z]{1,3}[0-9]{1,3}", self.id):
            raise ValueError(f"`{self.id}` cannot be used as an id. Write one such as A1.")
        domains = frozenset(each.casefold() for each in self.domains)
        return Principle(id=self.id, title=self.title, means=self.means, domains=domains)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPrinciples:
    principles: Annotated[
        tuple[Annotated[Principle, written_as(WrittenPrinciple, WrittenPrinciple.principle)], ...], Field(max_length=40)
    ]


PRINCIPLES: Model[WrittenPrinciples] = Model(WrittenPrinciples)


@cache
def packaged_principles() -> Sequence[Principle]:
    return PRINCIPLES.read(read_packaged("policies", "principles.yaml").data).principles
