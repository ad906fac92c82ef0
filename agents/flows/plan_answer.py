"""What the planner is asked for: a plan, read strictly where it counts and with safe defaults where it does not."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Edge,
    Need,
    PlanIssue,
    PlanPhase,
    Risk,
    Subtask,
)
from agents.domain.planning.kind_by_files import kind_of
from agents.domain.planning.plan_reading import read_word
from agents.domain.planning.planning import CannotPlan, Clarify, Drafted
from agents.domain.planning.work_kind import HOURS, REVIEW_MINUTES, SubtaskSize, WorkKind, size_of
from agents.flows.outcomes import Line, Name


class PlanStatus(StrEnum):
    COMPLETE = "COMPLETE"
    NEEDS_REFINEMENT = "NEEDS_REFINEMENT"
    BLOCKED = "BLOCKED"


def _tuples(said: Any) -> Any:
    """Lists within as tuples, for strict reading takes no lists of what was looked at before."""
    if isinstance(said, list):
        return tuple(_tuples(each) for each in said)
    return {name: _tuples(each) for name, each in said.items()} if isinstance(said, dict) else said


class NeedSays(BaseModel):
    number: int
    edge: Edge = Edge.BLOCKS

    @model_validator(mode="before")
    @classmethod
    def _plain_number(cls, said: Any) -> Any:
        return {"number": said} if isinstance(said, int) else said

    @field_validator("edge", mode="before")
    @classmethod
    def _edge(cls, said: Any) -> Edge:
        return read_word(said, Edge) or Edge.BLOCKS


class RiskSays(BaseModel):
    what: str = Field(max_length=300)
    mitigation: str = Field(max_length=300)


class BecauseSays(BaseModel):
    """Something with its reason; a bare text has none."""

    what: str = Field(min_length=1, max_length=600)
    why: str = Field(default="", max_length=300)

    @model_validator(mode="before")
    @classmethod
    def _plain_text(cls, said: Any) -> Any:
        return {"what": said} if isinstance(said, str) else said


class PhaseSays(BaseModel):
    number: int = Field(ge=1, le=20)
    title: str = Field(default="", max_length=120)
    interfaces: tuple[Line, ...] = Field(default=(), max_length=10)

    @model_validator(mode="before")
    @classmethod
    def _order(cls, said: Any) -> Any:
        if isinstance(said, dict) and "order" in said:
            said = {"number": said["order"], **{name: value for name, value in said.items() if name != "order"}}
        return _tuples(said)


class SubtaskSays(BaseModel):
    """What nobody could guess is asked for; the rest has a safe default, which the plan's card shows."""

    title: str = Field(min_length=1, max_length=120)
    why: str = Field(max_length=300)
    kind: WorkKind | None = None
    changes_tests: bool = False
    role: Name = ""
    project: Name = ""
    files: tuple[Name, ...] = Field(default=(), max_length=60)
    size: SubtaskSize | None = None
    hours: float | None = Field(default=None, ge=0, le=1000)
    review_minutes: int | None = Field(default=None, ge=0, le=10_000)
    confidence: Confidence | None = None
    test: str = Field(default="", max_length=300)
    needs: tuple[NeedSays, ...] = Field(default=(), max_length=60)
    informs: tuple[int, ...] = Field(default=(), max_length=60)
    decides: bool = False
    phase: int = Field(default=1, ge=1, le=20)
    tags: tuple[Name, ...] = Field(default=(), max_length=10)

    @model_validator(mode="before")
    @classmethod
    def _shape(cls, said: Any) -> Any:
        """Earlier plans marked a spike beside the kind, and many models number what they list."""
        if not isinstance(said, dict):
            return said
        kind = said.get("kind") or ("spike" if said.get("spike") is True else None)
        known = {name: value for name, value in said.items() if name not in ("spike", "number")}
        return _tuples({**known, "kind": kind})

    @field_validator("kind", "size", "confidence", mode="before")
    @classmethod
    def _word(cls, said: Any, field: ValidationInfo) -> StrEnum | None:
        return read_word(said, _WORDS[str(field.field_name)])


_WORDS: dict[str, type[StrEnum]] = {"kind": WorkKind, "size": SubtaskSize, "confidence": Confidence}


class PlanSays(BaseModel):
    """Either a whole plan, or one question, or the reason why there can be none."""

    status: PlanStatus
    goal: str = Field(default="", max_length=300)
    summary: str = Field(default="", max_length=1000)
    subtasks: tuple[SubtaskSays, ...] = Field(default=(), max_length=60)
    phases: tuple[PhaseSays, ...] = Field(default=(), max_length=20)
    assumptions: tuple[BecauseSays, ...] = Field(default=(), max_length=20)
    issues: tuple[BecauseSays, ...] = Field(default=(), max_length=20)
    risks: tuple[RiskSays, ...] = Field(default=(), max_length=20)
    question: str = Field(default="", max_length=500)
    why_it_matters: str = Field(default="", max_length=300)
    options: tuple[Name, ...] = Field(default=(), max_length=5)
    reason: str = Field(default="", max_length=1000)

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
            phases=tuple(PlanPhase(**dict(phase)) for phase in self.phases),
            assumptions=tuple(Assumption(**dict(each)) for each in self.assumptions),
            issues=tuple(PlanIssue(**dict(each)) for each in self.issues),
            risks=tuple(Risk(**dict(risk)) for risk in self.risks),
            subtasks=tuple(
                _subtask(number, says, self._informs(number)) for number, says in enumerate(self.subtasks, 1)
            ),
        )

    def _informs(self, number: int) -> list[Need]:
        """Those that say of themselves that they inform this one."""
        told = (other for other, says in enumerate(self.subtasks, 1) if number in says.informs)
        return [Need(number=other, edge=Edge.INFORMS) for other in told]


def _subtask(number: int, says: SubtaskSays, informs: Sequence[Need]) -> Subtask:
    """With what code fills in; what a planner leaves out is never what asks less of the work."""
    named = [Need(**dict(need)) for need in says.needs]
    needs = (*named, *(need for need in informs if need.number not in {each.number for each in named}))
    sized = says.hours is not None or says.size is not None
    size = max(size_of(says.hours or 0.0), says.size or SubtaskSize.SMALL, key=[*SubtaskSize].index)
    size = size if sized else SubtaskSize.MEDIUM
    missing = {"kind": says.kind is None, "size": not sized, "confidence": says.confidence is None}
    return Subtask(
        number=number,
        title=says.title,
        why=says.why,
        kind=kind_of(says.kind, says.files),
        changes_tests=says.changes_tests,
        role=says.role,
        project=says.project,
        files=says.files,
        hours=HOURS[size] if says.hours is None else says.hours,
        review_minutes=REVIEW_MINUTES[size] if says.review_minutes is None else says.review_minutes,
        size=size,
        confidence=says.confidence or Confidence.LOW,
        test=says.test,
        needs=needs,
        decides=says.decides,
        phase=says.phase,
        tags=tuple(tag.casefold() for tag in says.tags),
        assumed=tuple(name for name, is_missing in missing.items() if is_missing),
    )
