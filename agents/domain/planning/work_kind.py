"""What a subtask is: its kind and its size."""

from collections.abc import Collection
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


MAX_HOURS, MAX_REVIEW_MINUTES = 4.0, 15  # of one pull request
# What a size stands for where a planner names nothing but the size.
HOURS: dict[SubtaskSize, float] = {SubtaskSize.SMALL: 1.0, SubtaskSize.MEDIUM: 2.0, SubtaskSize.LARGE: MAX_HOURS}
REVIEW_MINUTES: dict[SubtaskSize, int] = {
    SubtaskSize.SMALL: 5,
    SubtaskSize.MEDIUM: 10,
    SubtaskSize.LARGE: MAX_REVIEW_MINUTES,
}


def kind_of_all(kinds: Collection[WorkKind]) -> WorkKind:
    """Of several subtasks together: the one they share, or else the one that is asked for most."""
    others = set(kinds) - {WorkKind.SPIKE}
    return others.pop() if len(others) == 1 else WorkKind.FEATURE


def size_of(hours: float) -> SubtaskSize:
    return next((size for size, most in HOURS.items() if hours <= most), SubtaskSize.LARGE)
