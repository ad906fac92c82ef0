"""What reviewers of a plan are asked for, and what code makes of their answers."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field, field_validator, model_validator

from agents.domain.planning.findings import Citation, Finding
from agents.domain.planning.plan_reading import read_word
from agents.domain.planning.review import Critic, CriticSays, Custodiet, CustodietSays, Position
from agents.domain.text.sanitize import first_words
from agents.flows.outcomes import Line, Name

WORDS = 15  # of the scope guard's issue and of its suggestion


class FindingSays(BaseModel):
    what: Line
    fix: Line = ""
    subtask: int = Field(default=0, ge=0, le=60)
    principle: Name = ""

    @model_validator(mode="before")
    @classmethod
    def _plain_text(cls, said: Any) -> Any:
        return {"what": said} if isinstance(said, str) else said

    def finding(self) -> Finding:
        return Finding(what=self.what, fix=self.fix, subtask=self.subtask, principle=Citation(title=self.principle))


def _verdict(said: Any, kind: type[StrEnum]) -> Any:
    """A word of ours, in capitals too; anything else is refused as it is."""
    return read_word(said, kind) or said


class CriticAnswer(BaseModel):
    probe: Critic  # what it says of a small plan with a planted defect
    verdict: Critic
    issues: tuple[FindingSays, ...] = Field(default=(), max_length=20)
    untested_assumptions: tuple[Line, ...] = Field(default=(), max_length=20)
    changes: tuple[Line, ...] = Field(default=(), max_length=20)

    @field_validator("probe", "verdict", mode="before")
    @classmethod
    def _word(cls, said: Any) -> Any:
        return _verdict(said, Critic)

    def says(self) -> CriticSays:
        return CriticSays(
            verdict=self.verdict,
            issues=tuple(issue.finding() for issue in self.issues),
            assumptions=self.untested_assumptions,
            changes=self.changes,
        )


class CustodietAnswer(BaseModel):
    """Short: what is longer is cut."""

    verdict: Custodiet
    issue: Line = ""
    principle: Name = ""
    suggestion: Line = ""
    asks_for_change: bool = False

    @field_validator("verdict", mode="before")
    @classmethod
    def _word(cls, said: Any) -> Any:
        return _verdict(said, Custodiet)

    def says(self) -> CustodietSays:
        return CustodietSays(
            verdict=self.verdict,
            issue=first_words(self.issue, WORDS),
            principle=Citation(title=self.principle),
            suggestion=first_words(self.suggestion, WORDS),
            asks_for_change=self.asks_for_change,
        )


class SpecialistAnswer(BaseModel):
    concerns: tuple[Line, ...] = Field(default=(), max_length=10)
    suggestions: tuple[Line, ...] = Field(default=(), max_length=10)


class DebateAnswer(BaseModel):
    """Evidence is a quote of the request, a path of the plan, or path:line."""

    position: Position
    point: str = Field(min_length=1, max_length=400)
    evidence: tuple[Line, ...] = Field(default=(), max_length=5)
    tension: Line = ""
