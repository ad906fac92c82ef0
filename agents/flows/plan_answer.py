"""What the planner is asked for: a plan, read strictly where it counts and with safe defaults where it does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Edge,
    Most20,
    Most60,
    Need,
    PhaseDraft,
    PlanIssue,
    PlanPhase,
    Risk,
    StartAfter,
    Subtask,
    SubtaskDraft,
)
from agents.domain.planning.plan_reading import kind_of, read_word
from agents.domain.planning.planning import CannotPlan, Clarify, Drafted
from agents.domain.planning.review import from_words
from agents.domain.planning.work_kind import HOURS, SubtaskSize, minutes_to_review, size_of
from agents.domain.text.sanitize import AnswerBound, Name, Sentence


class PlanStatus(StrEnum):
    COMPLETE = "COMPLETE"
    NEEDS_REFINEMENT = "NEEDS_REFINEMENT"
    BLOCKED = "BLOCKED"


# Models read names literally: `blocks` beside a number was taken for "this one blocks that one".
EDGES = {"enum": ["after", "informed_by"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedSays(Need):
    edge: Annotated[Edge, WithJsonSchema(EDGES)] = Edge.BLOCKS


def _need_said(said: Any) -> Any:
    """An edge that nobody knows blocks."""
    return {**said, "edge": read_word(said.get("edge"), Edge) or Edge.BLOCKS} if isinstance(said, dict) else said


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskSays(SubtaskDraft):
    informs: Annotated[tuple[int, ...], Most60] = ()  # numbers of others
    needs: Annotated[tuple[Annotated[NeedSays, BeforeValidator(_need_said)], ...], Most60] = ()


def _start_said(said: Any) -> Any:
    """A beginning that nobody knows is the usual one. What was read of JSON here is no JSON any more for pydantic."""
    if not isinstance(said, dict):
        return said
    known = (
        {"start_after": read_word(said["start_after"], StartAfter) or StartAfter.PHASES}
        if "start_after" in said
        else {}
    )
    return {**{name: tuple(each) if isinstance(each, list) else each for name, each in said.items()}, **known}


PhaseSays = Annotated[PhaseDraft, BeforeValidator(_start_said)]


class PlanSays(BaseModel):
    """Either a whole plan, or one question, or the reason why there can be none."""

    BY: ClassVar[str] = "status"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "COMPLETE": ("goal", "subtasks"),
        "NEEDS_REFINEMENT": ("question",),
        "BLOCKED": ("reason",),
    }
    ALONE: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "COMPLETE": ("summary", "phases", "assumptions", "issues", "risks"),
        "NEEDS_REFINEMENT": ("why_it_matters", "options"),
        "BLOCKED": (),
    }
    status: PlanStatus
    goal: Sentence = ""
    summary: Annotated[str, AnswerBound(1000)] = ""
    subtasks: Annotated[tuple[SubtaskSays, ...], Most60] = ()
    phases: Annotated[tuple[PhaseSays, ...], Most20] = ()
    assumptions: Annotated[tuple[Annotated[Assumption, from_words("what")], ...], Most20] = ()
    issues: Annotated[tuple[Annotated[PlanIssue, from_words("what")], ...], Most20] = ()
    risks: Annotated[tuple[Risk, ...], Most20] = ()
    question: Annotated[str, AnswerBound(500)] = ""
    why_it_matters: Sentence = ""
    options: Annotated[tuple[Name, ...], AnswerBound(5)] = ()
    reason: Annotated[str, AnswerBound(1000)] = ""

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        match self.status:
            case PlanStatus.COMPLETE:
                return "" if self.subtasks else "it says COMPLETE and has no subtasks"
            case PlanStatus.NEEDS_REFINEMENT:
                return "" if self.question else "it says NEEDS_REFINEMENT and asks nothing"
            case PlanStatus.BLOCKED:
                return "" if self.reason or self.question else "it says BLOCKED and gives no reason"

    def to_draft(self) -> Drafted:
        match self.status:
            case PlanStatus.NEEDS_REFINEMENT if self.question:
                return Clarify(question=self.question, options=self.options, why=self.why_it_matters)
            case PlanStatus.COMPLETE:
                return self._plan()
            case _:
                return CannotPlan(why=self.reason or self.question or "The planner gave no reason")

    def _plan(self) -> Decomposition:
        return Decomposition(
            goal=self.goal,
            summary=self.summary,
            phases=tuple(
                PlanPhase(**{each.name: getattr(says, each.name) for each in fields(says)}) for says in self.phases
            ),
            assumptions=self.assumptions,
            issues=self.issues,
            risks=self.risks,
            subtasks=tuple(
                _subtask(number, says, self._informs(number)) for number, says in enumerate(self.subtasks, 1)
            ),
        )

    def _informs(self, number: int) -> list[Need]:
        """Those that say of themselves that they inform this one."""
        told = (other for other, says in enumerate(self.subtasks, 1) if number in says.informs)
        return [Need(number=other, edge=Edge.INFORMS) for other in told]


def _need(said: NeedSays) -> Need:
    return Need(number=said.number, edge=said.edge)


def _subtask(number: int, says: SubtaskSays, informs: Sequence[Need]) -> Subtask:
    """With what code fills in; what a planner leaves out is never what asks less of the work."""
    sized = says.hours is not None or says.size is not None
    size = max(size_of(says.hours or 0.0), says.size or SubtaskSize.SMALL, key=[*SubtaskSize].index)
    size = size if sized else SubtaskSize.MEDIUM
    missing = {"kind": says.kind is None, "size": not sized, "confidence": says.confidence is None}
    named = {need.number for need in says.needs}
    made: dict[str, Any] = {each.name: getattr(says, each.name) for each in fields(SubtaskDraft)}
    made |= {
        "number": number,
        "kind": kind_of(says.kind, says.files),
        "hours": HOURS[size] if says.hours is None else says.hours,
        "review_minutes": minutes_to_review(size, len(says.files)),
        "size": size,
        "confidence": says.confidence or Confidence.LOW,
        "needs": (*map(_need, says.needs), *(need for need in informs if need.number not in named)),
        "tags": tuple(tag.casefold() for tag in says.tags),
        "assumed": tuple(name for name, is_missing in missing.items() if is_missing),
    }
    return Subtask(**made)
