"""What reviewers of a plan are asked for, and what code makes of their answers."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, field_validator

from agents.domain.planning.decomposition import Most20
from agents.domain.planning.plan_reading import read_word
from agents.domain.planning.review import (
    LONGEST,
    Citation,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Finding,
    Position,
)
from agents.domain.text.sanitize import AnswerBound, Line, Name, first_words

WORDS = 15  # of the scope guard's issue and of its suggestion


def _cited_words(cited: Any) -> Any:
    """An answer that was paid is kept as it was read, and read again after a crash: its text lies beside no id."""
    kept = isinstance(cited, dict) and cited.keys() == {"id", "title"} and cited["id"] == ""
    return cited["title"] if kept else cited


def _finding_said(said: Any) -> Any:
    """Bare text has no fix. A citation is looked up by its text, so nothing but a text is one."""
    cited = _cited_words(said.get("principle", "")) if isinstance(said, dict) else ""
    if not isinstance(cited, str) or len(cited) > LONGEST:
        raise ValueError(f"the principle must be a text of at most {LONGEST} characters")
    return {"what": said} if isinstance(said, str) else said


def _verdict(said: Any, kind: type[StrEnum]) -> Any:
    """A word of ours, in capitals too; anything else is refused as it is."""
    return read_word(said, kind) or said


class CriticAnswer(BaseModel):
    probe: Critic  # what it says of a small plan with a planted defect
    verdict: Critic
    issues: Annotated[tuple[Annotated[Finding, BeforeValidator(_finding_said)], ...], Most20] = ()
    untested_assumptions: Annotated[tuple[Line, ...], Most20] = ()
    changes: Annotated[tuple[Line, ...], Most20] = ()

    @field_validator("probe", "verdict", mode="before")
    @classmethod
    def _word(cls, said: Any) -> Any:
        return _verdict(said, Critic)

    def says(self) -> CriticSays:
        return CriticSays(
            verdict=self.verdict,
            issues=self.issues,
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
    concerns: Annotated[tuple[Line, ...], AnswerBound(10)] = ()
    suggestions: Annotated[tuple[Line, ...], AnswerBound(10)] = ()


class DebateAnswer(BaseModel):
    """Evidence is a quote of the request, a path of the plan, or path:line."""

    position: Position
    point: Annotated[str, AnswerBound(400, least=1)]
    evidence: Annotated[tuple[Line, ...], AnswerBound(5)] = ()
    tension: Line = ""
