"""One durable pause for a person: what is asked, of whom, until when; the facts of it, and what they make of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.subject import OfRun, Subject
from agents.domain.errors import IllegalMove, PressRefused
from agents.domain.fact import AboutDecision, Event, OnEitherStream
from agents.domain.ids import DecisionId, PersonId, ProjectId, StreamId, TaskId, derive_id, fingerprint
from agents.domain.reason import Cause

NameOf = Callable[[PersonId], str]

SHORT = 45  # characters that a button shows whole, on a phone too
HOLD = "h"  # the letter of Pause timer / Wait for me; no option has it
LATER = "_"  # takes it out of one person's list for a while; no option has it
# One character each, whatever the script, so that a token stays short: enough for a thousand projects.
LETTERS = "abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + "".join(
    chr(0x4E00 + n) for n in range(1000)
)


class DecisionState(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTo:
    """An option of another decision; without a letter: an answer in a person's own words."""

    decision: DecisionId
    letter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to decide. `value` is what the program reads; `label` is set only where people named the option."""

    value: str
    letter: str = ""
    label: str = ""
    needs_words: bool = False
    right: str = ""  # whoever may decide by the rule of this name may take it; empty: as the decision's own
    approves: bool = False  # this option grants; where several people are needed, it is the one that needs them
    answers: AnswerTo | None = None  # what some words may have meant


class Refusal(StrEnum):
    """Why a press or a command changes nothing; what people read about it is in `bot/cards/decisions.py`."""

    UNKNOWN = "unknown"  # no such decision is open
    NOT_OFFERED = "not_offered"
    NEEDS_WORDS = "needs_words"
    NO_CLOCK = "no_clock"
    VOTED = "voted"  # they count once
    CLOSED = "closed"
    MEANWHILE = "meanwhile"  # what some words answered was decided since
    MERGING = "merging"
    WHOLE = "whole"  # it is judged as a whole already, so nothing is added to it
    CHANGED = "changed"  # the plan, since another one for the rest was drafted
    PHASE_OVER = "phase_over"  # its task has ended
    NO_PHASE = "no_phase"  # of this number
    NO_WORK = "no_work"  # is under way that a phase could belong to
    JOINING = "joining"  # a subtask of the phase, at this moment
    TAKING_BACK = "taking_back"  # a phase, already
    PHASE_CHANGED = "phase_changed"  # since its card was drawn
    ENDED = "ended"
    ASKED = "asked"  # to cancel
    NOTHING = "nothing"  # offers this
    NO_APPROVAL = "no_approval"  # is waited for
    ACCEPTED = "accepted"  # its plan: it is a request for good


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    by: PersonId
    option: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    id: DecisionId
    task: TaskId  # in whose thread it is asked
    project: ProjectId | None = None  # whose decision it is; None: the task's own
    kind: Kind
    options: tuple[Option, ...]
    question: str = ""
    evidence: tuple[Cause, ...] = ()
    subject: Subject | None = None  # the very thing that is decided on
    put_to: PersonId
    opened_at: datetime
    due: datetime | None = None  # when silence means something next
    default: str = ""  # letter of the option that silence takes
    reminders: int = 0
    held_by: PersonId | None = None
    held_because: str = ""  # what they wrote, where it may be the answer
    votes: tuple[Vote, ...] = ()
    state: DecisionState = DecisionState.OPEN
    outcome: str = ""  # letter
    words: str = ""
    decided_by: tuple[PersonId, ...] = ()
    closed_at: datetime | None = None

    @property
    def stream(self) -> StreamId:
        return self.project or self.task

    @property
    def plain_evidence(self) -> tuple[str, ...]:
        """Paths, or whatever else is shown as it was said."""
        return tuple(each for each in self.evidence if isinstance(each, str))

    @property
    def wording(self) -> str:
        """What is asked, in the words of whoever asks; empty where the kind alone says it."""
        return self.question or (self.subject.words if isinstance(self.subject, OfRun) else "")

    @property
    def fingerprint(self) -> str:
        options = [(option.letter, option.value, option.label, str(option.needs_words)) for option in self.options]
        shown = [part for option in options for part in option]
        return fingerprint(self.kind, self.question, repr(self.subject), *map(str, self.evidence), "|", *shown)

    def option(self, letter: str) -> Option:
        for option in self.options:
            if option.letter == letter:
                return option
        raise Refused(Refusal.NOT_OFFERED, decision=self)


class Refused(PressRefused):
    """A press or a command that changes nothing. `option`: the value of what was wanted."""

    def __init__(
        self, why: Refusal, *, task: TaskId | None = None, decision: Decision | None = None, option: str = ""
    ) -> None:
        super().__init__(why, next_step="")
        self.why, self.task, self.decision, self.option = why, task, decision, option


def decision_id(task: TaskId, kind: Kind, cause: str) -> DecisionId:
    """The same cause always gives the same id, so a replayed step opens nothing twice."""
    return DecisionId(derive_id("decision", task, kind, cause))


def with_letters(*options: Option) -> tuple[Option, ...]:
    """Give each option its letter, in the order people will see them."""
    return tuple(replace(option, letter=letter) for letter, option in zip(LETTERS, options, strict=False))


def numbers(decision: Decision) -> dict[str, int]:
    """By letter: what is too long for a button, or a mere sign, is numbered in the text, with what stands beside it."""
    offered = [option for option in decision.options if option.label and not option.needs_words]
    if all(len(option.label) <= SHORT and any(map(str.isalnum, option.label)) for option in offered):
        return {}
    return {option.letter: number for number, option in enumerate(offered, 1)}


def voters(decision: Decision, letter: str, presser: Presser) -> tuple[PersonId, ...]:
    """Everybody who has now chosen this option; a person counts once, whatever account they use."""
    others = tuple(v.by for v in decision.votes if v.option == letter and not presser.is_(v.by))
    return (*others, presser.person)


def has_voted(decision: Decision, letter: str, presser: Presser) -> bool:
    return any(v.option == letter and presser.is_(v.by) for v in decision.votes)


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
    """Someone approved in words, so they are shown the button."""

    by: PersonId
    decision: DecisionId
    option: str = ""  # letter of the one they named; empty: any that approves


CLOSES: dict[type[AboutDecision], DecisionState] = {
    DecisionMade: DecisionState.DECIDED,
    DecisionExpired: DecisionState.EXPIRED,
    DecisionSuperseded: DecisionState.SUPERSEDED,
    DecisionWithdrawn: DecisionState.WITHDRAWN,
}


def evolve(decision: Decision, event: AboutDecision) -> Decision:
    """Apply one fact. A decision that is closed stays as it is, for ever."""
    if decision.state is not DecisionState.OPEN:
        raise IllegalMove(
            f"decision {decision.id} is {decision.state}, so {type(event).__name__} cannot happen to it",
            next_step="Say `status` to see where the task stands.",
        )
    if state := CLOSES.get(type(event)):
        decision = replace(decision, state=state, closed_at=event.at, due=None)
    match event:
        case DecisionVoted(option=letter, by=person):
            return replace(decision, votes=(*decision.votes, Vote(by=person, option=letter, at=event.at)))
        case DecisionMade(option=letter, by=people, words=words):
            return replace(decision, outcome=letter, decided_by=people, words=words)
        case DecisionWithdrawn(why=why):
            return replace(decision, words=why)
        case DecisionHeld(by=person, next_due=due, because=words):
            return replace(decision, held_by=person, held_because=words, due=due)
        case DecisionReminded(next_due=due) | DecisionDeferred(next_due=due):
            number = event.number if isinstance(event, DecisionReminded) else decision.reminders
            return replace(decision, reminders=number, due=due)
        case _:
            return decision


def still_open(known: tuple[Decision, ...], event: DecisionOpened | AboutDecision) -> tuple[Decision, ...]:
    """The open decisions of a stream after one more fact about one of them."""
    about = event.decision.id if isinstance(event, DecisionOpened) else event.decision
    before = next((d for d in known if d.id == about), None)
    if isinstance(event, DecisionOpened) and before is None:
        return (*known, event.decision)
    if before is None or isinstance(event, DecisionOpened):
        state = "not open" if before is None else "open already"
        raise IllegalMove(
            f"decision {about} is {state}, so {type(event).__name__} cannot happen to it",
            next_step="Say `status` to see where the task stands.",
        )
    now = evolve(before, event)
    after = (now if d.id == about else d for d in known)
    return tuple(d for d in after if d.state is DecisionState.OPEN)


def replay(history: Iterable[Event]) -> dict[DecisionId, Decision]:
    """Every decision of a task as its facts leave it."""
    decisions: dict[DecisionId, Decision] = {}
    for event in history:
        match event:
            case DecisionOpened(decision=opened):
                decisions[opened.id] = opened
            case AboutDecision(decision=id):
                decisions[id] = evolve(decisions[id], event)
    return decisions
