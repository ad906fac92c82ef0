"""A piece of the corpus: a base, what somebody made of it, and whether that ought to be accepted."""

from dataclasses import dataclass

from agents.domain.planning.work_kind import WorkKind
from tests.evaluator.pieces import Files

FIX, FEATURE, REFACTOR, TESTS = WorkKind.FIX, WorkKind.FEATURE, WorkKind.REFACTOR, WorkKind.TESTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    base: Files
    work: Files
    good: bool
    kind: WorkKind = FEATURE
    changes_tests: bool = False  # the plan says so
    accepted: bool = False  # a person accepts the changed tests
    note: str = ""  # which of several ways, for whoever reads a wrong verdict
