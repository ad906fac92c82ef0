"""One durable pause for a person: what is asked, of whom, until when, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.decisions.authority import RULES, ChannelPolicy, Kind, OnTimeout, Presser, Rule, Silence, check
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, PersonId, ProjectId, StreamId, TaskId, derived, fingerprint
from agents.domain.limits import Limits

NameOf = Callable[[PersonId], str]

SHORT = 45  # characters that a button shows whole, on a phone too
HOLD = "h"  # the letter of Pause clock / Hold; no option has it
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
class Option:
    """One way to decide. `value` is what the program reads; `label` is set only where people named the option."""

    value: str
    letter: str = ""
    label: str = ""
    asks: str = ""  # words the person must give with it, and what for
    right: Kind | None = None  # whoever may decide this kind may take this option; None: as the decision's own
    approves: bool = False  # this option grants; where several people are needed, it is the one that needs them


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
    evidence: tuple[str, ...] = ()
    subject: str = ""  # hash of the thing decided on, such as a plan
    version: int = 0  # of the plan that is decided on
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
    def rule(self) -> Rule:
        return RULES[self.kind]

    @property
    def fingerprint(self) -> str:
        shown = [part for option in self.options for part in (option.letter, option.value, option.label, option.asks)]
        return fingerprint(self.kind, self.question, self.subject, *self.evidence, "|", *shown)

    @property
    def can_be_held(self) -> bool:
        return self.closed_by_silence and self.rule.silence is not Silence.EXPIRES

    @property
    def closed_by_silence(self) -> bool:
        """Whether a clock runs that closes it; a reminder closes nothing."""
        if self.due is None or self.rule.silence is Silence.WAITS:
            return False
        return self.rule.silence is Silence.EXPIRES or (bool(self.default) and self.held_by is None)

    def lapsed(self, at: datetime) -> bool:
        """Whether its time is over and silence closes it."""
        return self.due is not None and self.due <= at and self.closed_by_silence

    def option(self, letter: str) -> Option:
        for option in self.options:
            if option.letter == letter:
                return option
        raise PressRefused("This button is not one of the choices", next_step="Press one that the card shows.")


def decision_id(task: TaskId, kind: Kind, cause: str) -> DecisionId:
    """The same cause always gives the same id, so a replayed step opens nothing twice."""
    return DecisionId(derived("decision", task, kind, cause))


def lettered(*options: Option) -> tuple[Option, ...]:
    """Give each option its letter, in the order people will see them."""
    return tuple(replace(option, letter=letter) for letter, option in zip(LETTERS, options, strict=False))


def numbers(decision: Decision) -> dict[str, int]:
    """By letter: what is too long for a button is numbered in the text, and so is what stands beside it."""
    offered = [option for option in decision.options if option.label and not option.asks]
    if all(len(option.label) <= SHORT for option in offered):
        return {}
    return {option.letter: number for number, option in enumerate(offered, 1)}


def timed(decision: Decision, channel: ChannelPolicy, limits: Limits) -> Decision:
    """The decision with the moment at which silence first means something."""
    return replace(decision, due=_first_due(decision, channel, limits))


def _first_due(decision: Decision, channel: ChannelPolicy, limits: Limits) -> datetime | None:
    match decision.rule.silence:
        case Silence.TAKES_DEFAULT if decision.default:
            return decision.opened_at + limits.within("question_default")
        case Silence.PASSES if channel.on_timeout is OnTimeout.PASS and decision.default:
            return decision.opened_at + limits.within("medium_gate")
        case Silence.EXPIRES:
            return decision.opened_at + limits.within("confirm")
        case _:
            return decision.opened_at + limits.within("reminder") if decision.rule.reminders else None


def next_reminder(decision: Decision, limits: Limits, at: datetime) -> datetime | None:
    """When to remind again after one more reminder now. One that came late does not bring the next one sooner."""
    again = decision.reminders + 1 < decision.rule.reminders
    return max(decision.due or at, at) + limits.within("reminder") if again else None


def refuse_unless_open(decision: Decision, name_of: NameOf) -> None:
    """A press on something no longer open gets an honest answer."""
    when = f"{decision.closed_at:%Y-%m-%d %H:%M} UTC" if decision.closed_at else "earlier"
    match decision.state:
        case DecisionState.OPEN:
            return
        case DecisionState.DECIDED:
            who = " and ".join(name_of(p) for p in decision.decided_by)
            what = f"This was already decided by {who}" if who else "Nobody decided in time, so the default was taken"
            raise PressRefused(f"{what} ({when})", next_step="Nothing is left to do here.")
        case DecisionState.EXPIRED:
            raise PressRefused(f"This expired ({when})", next_step="Ask again if you still want it.")
        case DecisionState.SUPERSEDED:
            raise PressRefused(
                "What this card showed has changed since", next_step="Look for the newer card in the thread."
            )
        case DecisionState.WITHDRAWN:
            raise PressRefused(
                f"This is no longer needed ({when})", next_step="Say `status` to see where the task stands."
            )


def refuse_if_late(decision: Decision, at: datetime) -> None:
    """Time decides by the clock, not when somebody gets round to writing it down."""
    if decision.lapsed(at):
        state = DecisionState.EXPIRED if decision.rule.silence is Silence.EXPIRES else DecisionState.DECIDED
        refuse_unless_open(replace(decision, state=state, closed_at=decision.due), str)


def refuse_unless_entitled(
    decision: Decision, letter: str, presser: Presser, requester: PersonId, channel: ChannelPolicy
) -> None:
    """Rights at the moment of the press. Holding a clock only delays, so the owner may always do that."""
    if (letter == HOLD and presser.is_(requester)) or (decision.rule.put_to and presser.is_(decision.put_to)):
        return
    option = next((option for option in decision.options if option.letter == letter), None)
    if option and option.right:
        check(option.right, presser, requester, channel)
    else:
        check(decision.kind, presser, requester, channel, option.value if option else "")


def may_decide(kind: Kind, put_to: PersonId, presser: Presser, requester: PersonId, channel: ChannelPolicy) -> bool:
    """Whether this person may make a decision of this kind now; one of its options may need more."""
    if RULES[kind].put_to and presser.is_(put_to):
        return True
    try:
        check(kind, presser, requester, channel)
    except PressRefused:
        return False
    return True


def voters(decision: Decision, letter: str, presser: Presser) -> tuple[PersonId, ...]:
    """Everybody who has now chosen this option; a person counts once, whatever account they use."""
    others = tuple(v.by for v in decision.votes if v.option == letter and not presser.is_(v.by))
    return (*others, presser.person)


def has_voted(decision: Decision, letter: str, presser: Presser) -> bool:
    return any(v.option == letter and presser.is_(v.by) for v in decision.votes)
