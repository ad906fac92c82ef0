"""What reviewers of a plan are asked for, and what code makes of their answers."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator

from agents.domain.planning.decomposition import Most20
from agents.domain.planning.review import (
    LONGEST,
    Argument,
    Citation,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Finding,
    Position,
    Side,
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


def has_words(*said: str) -> bool:
    return any(letter.isalnum() for text in said for letter in text)


class CriticAnswer(BaseModel):
    BY: ClassVar[str] = "verdict"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "proceed": (), "revise": ("changes",), "halt": ("issues",), "no_verdict": ()
    }  # fmt: skip
    verdict: Critic
    issues: Annotated[tuple[Annotated[Finding, BeforeValidator(_finding_said)], ...], Most20] = ()
    untested_assumptions: Annotated[tuple[Line, ...], Most20] = ()
    changes: Annotated[tuple[Line, ...], Most20] = ()

    def contradiction(self) -> str:
        """A stop or a wish for changes that does not say why is no verdict: nobody could act on it."""
        if self.verdict not in (Critic.HALT, Critic.REVISE) or has_words(*map(str, self.issues), *self.changes):
            return ""
        return f"it says `{self.verdict}` and gives no reason: name in `issues` what is wrong"

    def says(self) -> CriticSays:
        return CriticSays(
            verdict=self.verdict,
            issues=self.issues,
            assumptions=self.untested_assumptions,
            changes=self.changes,
        )


class CustodietAnswer(BaseModel):
    """Short: what is longer is cut."""

    BY: ClassVar[str] = "verdict"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "ok": (), "warn": ("issue",), "block": ("issue",), "no_verdict": ()
    }  # fmt: skip
    verdict: Custodiet
    issue: Line = ""
    principle: Name = ""
    suggestion: Line = ""
    asks_for_change: bool = False

    def contradiction(self) -> str:
        """A stop or a warning that does not say of what is no verdict."""
        if self.verdict not in (Custodiet.BLOCK, Custodiet.WARN) or has_words(self.issue, self.suggestion):
            return ""
        return f"it says `{self.verdict}` and gives no reason: say in `issue` what goes beyond the request"

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


class PositionSays(StrEnum):
    """Models read names literally: `revise` was taken for a plan that should be revised."""

    KEEP = "keep"
    CONCEDE = "concede"


class DebateAnswer(BaseModel):
    """Evidence is a quote of the request, a path of the project, or path:line."""

    position: PositionSays
    point: Annotated[str, AnswerBound(400, least=1)]
    evidence: Annotated[tuple[Line, ...], AnswerBound(5)] = ()
    tension: Line = ""

    def argues(self, side: Side) -> Argument:
        position = Position.MAINTAIN if self.position is PositionSays.KEEP else Position.REVISE
        return Argument(side=side, position=position, point=self.point, evidence=self.evidence, tension=self.tension)
