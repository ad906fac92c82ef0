"""Facts of decisions, on the stream of the task or project that asks for them."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.decisions.decision import Decision
from agents.domain.fact import AboutDecision, Event, OnEitherStream
from agents.domain.ids import DecisionId, PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOpened(OnEitherStream):
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionVoted(AboutDecision):
    """One of several people needed has chosen."""

    option: str
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade(AboutDecision):
    """`by` is empty when silence took the default or passed the gate."""

    option: str
    by: tuple[PersonId, ...]
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHeld(AboutDecision):
    by: PersonId
    next_due: datetime | None = None  # when people are reminded of it
    because: str = ""  # they wrote something that may be the answer: the beginning of it


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDeferred(AboutDecision):
    """Nobody could see it, so its clock begins again."""

    next_due: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionReminded(AboutDecision):
    number: int
    next_due: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionExpired(AboutDecision):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSuperseded(AboutDecision):
    by: DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionWithdrawn(AboutDecision):
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalOffered(Event):
    """Someone approved in words, so they are shown the button (C37)."""

    by: PersonId
    decision: DecisionId
    option: str = ""  # letter of the one they named; empty: any that approves
