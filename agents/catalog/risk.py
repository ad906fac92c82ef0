"""How risk is judged: manifests/policies/risk.yaml, with what overlord.yaml says under `risk:` laid over it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from agents.catalog.documents import Document, Where
from agents.catalog.policies import Count, Odd, Part, number
from agents.domain.risk import Area, Breaking, RiskLevel, RiskPolicy, words_of
from agents.domain.scope import odd_pattern
from manifests import packaged


def _pattern(written: str) -> str:
    if problem := odd_pattern(written):
        raise ValueError(f"`{written}` matches no path: {problem}. Write one such as `src/billing/**`.")
    return written


def _word(written: str) -> str:
    if written.casefold() not in words_of(written):
        raise ValueError(f"`{written}` is more than one word. Write each alone, or a pattern under `paths`.")
    return written.casefold()


Pattern = Annotated[str, AfterValidator(_pattern)]
Word = Annotated[str, AfterValidator(_word)]
Percent = Annotated[float, BeforeValidator(number), Field(ge=0, le=100, allow_inf_nan=False)]


class AreaPart(Part):
    level: Literal["medium", "high", "critical"]
    words: tuple[Word, ...] = ()
    paths: tuple[Pattern, ...] = ()

    def area(self, name: str) -> Area:
        return Area(name=name, level=RiskLevel(self.level), words=frozenset(self.words), paths=self.paths)


class BreakingPart(Part):
    changed: tuple[Pattern, ...]
    removed: tuple[Pattern, ...]
    spared: tuple[Pattern, ...]


class RiskPart(Part):
    """Every number must be there: one that is missing would be one that nobody chose."""

    low_below: Count
    low_coverage: Percent
    medium_below: Count
    high_above: Count
    areas: dict[str, AreaPart]
    breaking: BreakingPart

    def policy(self) -> RiskPolicy:
        return RiskPolicy(
            low_below=self.low_below,
            low_coverage=self.low_coverage,
            medium_below=self.medium_below,
            high_above=self.high_above,
            areas=tuple(part.area(name) for name, part in self.areas.items()),
            breaking=Breaking(**dict(self.breaking)),
        )


def odd_risk(risk: RiskPart) -> Iterator[Odd]:
    """Numbers that do not fit each other."""
    if risk.low_below > risk.medium_below:
        what = f"with {risk.low_below} a change could be of low risk and too large for medium"
        yield ("risk", "low_below"), what, f"Write at most medium_below, which is {risk.medium_below}."
    if risk.medium_below > risk.high_above + 1:
        what = f"with {risk.medium_below} a change could be of medium risk and of high risk by its size"
        yield ("risk", "medium_below"), what, f"Write at most high_above + 1, which is {risk.high_above + 1}."


def risk_shape_at(where: Where) -> type[Part]:
    """Which part a place under `risk` belongs to."""
    inside = where[1:2]
    if inside == ("areas",) and len(where) > 2:
        return AreaPart
    return BreakingPart if inside == ("breaking",) else RiskPart


def packaged_risk() -> Document:
    from agents.catalog.yaml import read_yaml  # slow to load, and a start needs none

    return read_yaml(packaged("policies", "risk.yaml"))


def packaged_policy() -> RiskPolicy:
    return RiskPart.model_validate(packaged_risk().data).policy()
