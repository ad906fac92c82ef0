"""What the planner is asked for: a plan, read strictly where it counts and with safe defaults where it does not."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Edge,
    Most20,
    Most60,
    Need,
    PlanIssue,
    PlanPhase,
    Risk,
    Subtask,
    SubtaskDraft,
)
from agents.domain.planning.plan_reading import kind_of, read_word
from agents.domain.planning.planning import CannotPlan, Clarify, Drafted
from agents.domain.planning.review import from_words
from agents.domain.planning.work_kind import HOURS, SubtaskSize, WorkKind, minutes_to_review, size_of
from agents.domain.text.sanitize import AnswerBound, Name, Sentence


class PlanStatus(StrEnum):
    COMPLETE = "COMPLETE"
    NEEDS_REFINEMENT = "NEEDS_REFINEMENT"
    BLOCKED = "BLOCKED"


def _tuples(said: Any) -> Any:
    """Lists within as tuples, for strict reading takes no lists of what was looked at before."""
    if isinstance(said, list):
        return tuple(_tuples(each) for each in said)
    return {name: _tuples(each) for name, each in said.items()} if isinstance(said, dict) else said


# Models read names literally: `blocks` beside a number was taken for "this one blocks that one".
EDGES = {"enum": ["after", "informed_by"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedSays(Need):
    edge: Annotated[Edge, WithJsonSchema(EDGES)] = Edge.BLOCKS


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskSays(SubtaskDraft):
    informs: Annotated[tuple[int, ...], Most60] = ()  # numbers of others
    needs: Annotated[tuple[NeedSays, ...], Most60] = ()


_WORDS: dict[str, type[StrEnum]] = {"kind": WorkKind, "size": SubtaskSize, "confidence": Confidence}


def _subtask_said(said: Any) -> Any:
    """Earlier plans marked a spike beside the kind; many models number what they list, and guess minutes."""
    if not isinstance(said, dict):
        return said
    known = {name: value for name, value in said.items() if name not in ("spike", "number", "review_minutes")}
    known["kind"] = said.get("kind") or ("spike" if said.get("spike") is True else None)
    known |= {name: read_word(known.get(name), words) for name, words in _WORDS.items()}
    if isinstance(needs := said.get("needs"), list):
        known["needs"] = [_need_said(each) for each in needs]
    return _tuples(known)


def _need_said(said: Any) -> Any:
    """A bare number blocks, and so does an edge that nobody knows."""
    if isinstance(said, dict):
        return {**said, "edge": read_word(said.get("edge"), Edge) or Edge.BLOCKS}
    return {"number": said}


def _phase_said(said: Any) -> Any:
    if isinstance(said, dict) and "order" in said:
        said = {"number": said["order"], **{name: value for name, value in said.items() if name != "order"}}
    return _tuples(said)


class PlanSays(BaseModel):
    """Either a whole plan, or one question, or the reason why there can be none."""

    status: PlanStatus
    goal: Sentence = ""
    summary: Annotated[str, AnswerBound(1000)] = ""
    subtasks: Annotated[tuple[Annotated[SubtaskSays, BeforeValidator(_subtask_said)], ...], Most60] = ()
    phases: Annotated[tuple[Annotated[PlanPhase, BeforeValidator(_phase_said)], ...], Most20] = ()
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
            phases=self.phases,
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
