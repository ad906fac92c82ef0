"""Facts of planning, from a first draft to an accepted plan."""

from dataclasses import dataclass

from agents.domain.fact import Event, Measured
from agents.domain.ids import PersonId
from agents.domain.planning.debate import MAX_ROUNDS, Debate, Round
from agents.domain.planning.decomposition import Decomposition, Level
from agents.domain.planning.verdicts import Review
from agents.domain.workflow.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionDrafted(Measured):
    number: int  # version of the plan
    plan: Decomposition
    estimate: float  # dollars
    rehearsal: bool = False  # no real model was asked
    level: Level = Level.PRIMARY
    why: str = ""  # of a level below the first


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionSentBack(Measured):
    """By code that checks it, or by the reviewers; people ask for changes in words of their own."""

    number: int
    reasons: tuple[str, ...]
    review: Review | None = None  # None: the checks found fault, and nobody was asked to review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewersDisagreed(Measured):
    number: int
    review: Review
    rounds: int = MAX_ROUNDS  # that they may argue


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRoundHeld(Event):
    """Noted as it happens: a debate that is cut short goes on from here."""

    number: int
    round: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionApproved(Measured):
    """By the reviewers; a person comes next."""

    number: int
    review: Review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionBlocked(Measured):
    number: int
    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionEscalated(Measured):
    """The rules ran out: no verdict, no agreement, or too many tries. A person decides with what there is."""

    number: int
    why: str
    review: Review | None = None
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationAnswered(Event):
    by: PersonId
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAccepted(Event):
    hash: str  # of the plan that was shown
    by: tuple[PersonId, ...]  # empty: the channel's policy lets a single subtask through
    workflow: Workflow | None = None  # the task goes on by it; None: accepted before workflows were kept


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChangeRequested(Event):
    by: PersonId
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSimplified(Event):
    """The planner could not take or finish the whole question; it is asked once more with less to read."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceLeftOut(Event):
    """A file of the project's own guidance for models could not be used; planning went on without it."""

    file: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineChosen(Event):
    """No model could plan it, and a person goes on with a one-step plan; it is reviewed and approved as any plan."""

    by: PersonId
