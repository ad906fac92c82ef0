"""Principles that reviews cite, and what reviewers pointed out that goes on into the work: findings, not wishes."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.domain.planning.review import Citation, Custodiet, Point, Review, Side, Stance
from agents.domain.text.sanitize import one_line

MOST = 12
LONGEST = 300  # characters
_ID = re.compile(r"\W*([a-z]+-?\d+)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Principle:
    id: str
    title: str
    means: str = ""
    domains: frozenset[str] = frozenset()  # tags of plans that it is for; empty: for all


def relevant(principles: Iterable[Principle], tags: Collection[str]) -> tuple[Principle, ...]:
    return tuple(each for each in principles if not each.domains or each.domains & set(tags))


def find_principle(cited: str, known: Sequence[Principle]) -> Principle | None:
    """By the id that it begins with, or by its title; None: nobody knows it."""
    found = _ID.match(cited)
    by_id = {each.id.casefold(): each for each in known}
    by_title = {each.title.casefold(): each for each in known}
    said = " ".join(cited.casefold().split()).rstrip(".")
    first = said.partition(" ")[0].strip("[]():,.")  # a note's name, such as conventions/errors
    return by_id.get(found[1].casefold() if found else "") or by_id.get(first) or by_title.get(said)


def points_of(review: Review | None) -> tuple[Point, ...]:
    """Those that whoever approves is shown. What a person overruled by going on as proposed is not among them."""
    return tuple(_short(point) for point in _all(review))[:MOST] if review else ()


def points_for(points: Sequence[Point], subtask: int) -> list[str]:
    """As a minion or a reviewer of its work is told them. `subtask` 0: all."""
    wanted = (each for each in points if not subtask or each.subtask in (0, subtask))
    return [f"{each.by}: {each.what}{f' Suggested: {each.fix}' if each.fix else ''}" for each in wanted]


def _all(review: Review) -> Iterator[Point]:
    if review.critic_stance is Stance.GO:
        for issue in review.critic.issues:
            yield Point(by=Side.CRITIC, what=issue.what, fix=issue.fix, subtask=issue.subtask)
        for change in review.critic.changes:
            yield Point(by=Side.CRITIC, what=change)
    for assumed in review.critic.assumptions:
        yield Point(by=Side.CRITIC, what=f"untested: {assumed}")
    said = review.custodiet
    if said.verdict is Custodiet.WARN and review.custodiet_stance is Stance.GO and said.issue:
        yield Point(by=Side.CUSTODIET, what=said.issue, fix=said.suggestion)
    for advice in review.advice:
        for text in (*advice.concerns, *advice.suggestions):
            yield Point(by=advice.specialist, what=text)


def _short(point: Point) -> Point:
    what, fix = one_line(point.what, LONGEST), one_line(point.fix, LONGEST)
    return Point(by=point.by, what=what, fix=fix, subtask=point.subtask)


def hold_against(review: Review, principles: Sequence[Principle]) -> Review:
    """With every citation looked up: one that nobody knows is dropped, and noted."""
    unknown = list[str]()

    def look_up(cited: Citation) -> Citation:
        if not cited.title:
            return cited
        found = find_principle(cited.title, principles)
        if found is None:
            unknown.append(one_line(cited.title, 60))
            return Citation()
        return Citation(id=found.id, title=found.title)

    issues = tuple(replace(issue, principle=look_up(issue.principle)) for issue in review.critic.issues)
    guard = replace(review.custodiet, principle=look_up(review.custodiet.principle))
    return replace(review, critic=replace(review.critic, issues=issues), custodiet=guard, unknown=tuple(unknown))
