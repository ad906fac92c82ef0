"""What a subtask is: its kind and its size; and what subtasks took before, which says what the next may take."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum


class WorkKind(StrEnum):
    """Approved with the plan. No title and no later word of a model makes a subtask of another kind."""

    FIX = "fix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    DOCS = "docs"
    TESTS = "tests"
    SPIKE = "spike"  # finds something out; writes no product code


class SubtaskSize(StrEnum):
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"  # still one pull request


class Confidence(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


MAX_HOURS, MAX_REVIEW_MINUTES = 4.0, 15  # of one pull request
# What a size stands for where a planner names nothing but the size.
HOURS: dict[SubtaskSize, float] = {SubtaskSize.SMALL: 1.0, SubtaskSize.MEDIUM: 2.0, SubtaskSize.LARGE: MAX_HOURS}
REVIEW_MINUTES: dict[SubtaskSize, int] = {
    SubtaskSize.SMALL: 5,
    SubtaskSize.MEDIUM: 10,
    SubtaskSize.LARGE: MAX_REVIEW_MINUTES,
}


def minutes_to_review(size: SubtaskSize, files: int) -> int:
    """Reckoned, for nobody can guess it: by size, and two minutes a file beyond the first."""
    return min(MAX_REVIEW_MINUTES, max(REVIEW_MINUTES[size], 3 + 2 * files))


def kind_of_all(kinds: Collection[WorkKind]) -> WorkKind:
    """Of several subtasks together: the one they share, or else the one that is asked for most."""
    others = set(kinds) - {WorkKind.SPIKE}
    return others.pop() if len(others) == 1 else WorkKind.FEATURE


def size_of(hours: float) -> SubtaskSize:
    return next((size for size, most in HOURS.items() if hours <= most), SubtaskSize.LARGE)


FEWEST = 5  # subtasks that were done, before anything is expected of the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What one subtask came to that was done: all runs of minions and reviewers on it."""

    cost: float  # dollars
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a plan may take: as half of the subtasks before took no more than, and as nine in ten did."""

    usual: Took
    most: Took
    of: int  # so many subtasks are behind it


def expect(past: Sequence[Took], subtasks: int) -> Expected | None:
    """None where too little was done to say."""
    if len(past) < FEWEST:
        return None
    usual, most = (
        Took(
            cost=round(subtasks * _percentile([each.cost for each in past], share), 4),
            seconds=round(subtasks * _percentile([each.seconds for each in past], share), 1),
        )
        for share in (0.5, 0.9)
    )
    return Expected(usual=usual, most=most, of=len(past))


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]
