"""Presses and commands that change nothing: what happened, and what to do next."""

from collections.abc import Callable

from agents.domain.decisions.authority import NotYours, Requester
from agents.domain.decisions.decision import Decision, DecisionState, NameOf, Refusal, Refused
from agents.domain.errors import OverlordError
from bot.cards.kinds.table import prompt
from bot.cards.parts.rights import who_may

Words = tuple[str, str]
_STATUS = "Say `status` to see where it stands."


def put_into_words(error: OverlordError, name: NameOf) -> OverlordError:
    """A refusal of the domain says what it is about; other errors have their words."""
    if isinstance(error, NotYours):
        error.what = _OWN[error.rule.requester] if error.own else "This is not yours to decide"
        error.next_step = f"It needs {who_may(error.rule, error.wider)}."
    elif isinstance(error, Refused):
        closed = error.decision if error.why is Refusal.CLOSED else None
        error.what, error.next_step = _closed(closed, name) if closed else _WORDS[error.why](error)
    return error


_OWN: dict[Requester, str] = {
    Requester.NEVER: "You asked for this work, so you cannot be one of the people who approve it",
    Requester.UNLESS_CHANNEL_FORBIDS: "In this channel nobody approves their own request",
}


def _needs_words(error: Refused) -> Words:
    decision = error.decision
    asks = prompt(decision, decision.option(error.option)) if decision else ""
    return "This needs a few words from you", asks or "Say why, or what should be different."


_WORDS: dict[Refusal, Callable[[Refused], Words]] = {
    Refusal.UNKNOWN: lambda r: ("I do not know this button", "Say `status` to see what is open."),
    Refusal.NOT_OFFERED: lambda r: ("This button is not one of the choices", "Press one that the card shows."),
    Refusal.NEEDS_WORDS: _needs_words,
    Refusal.NO_CLOCK: lambda r: ("No clock is running here", "Decide when you are ready; it waits for you."),
    Refusal.VOTED: lambda r: (
        "Your approval is counted already",
        "Another person must approve as well; you count once.",
    ),
    Refusal.MEANWHILE: lambda r: ("That was decided meanwhile", "Your words are kept: press what else they are."),
    Refusal.MERGING: lambda r: (
        f"{r.task} is on its way to the merge just now",
        "Nothing was changed. Press again when its next card is here: changes can be asked for then.",
    ),
    Refusal.ENDED: lambda r: (f"{r.task} has ended ({r.option})", "There is nothing left to cancel."),
    Refusal.ASKED: lambda r: (f"Cancelling {r.task} was asked for already", "Confirm or keep it on that card."),
    Refusal.NOTHING: lambda r: (f"{r.task} has nothing to {r.option}", _STATUS),
    Refusal.NO_APPROVAL: lambda r: (f"Nothing in {r.task} waits for an approval", _STATUS),
}


def _closed(decision: Decision, name: NameOf) -> Words:
    when = f"{decision.closed_at:%Y-%m-%d %H:%M} UTC" if decision.closed_at else "earlier"
    match decision.state:
        case DecisionState.DECIDED:
            who = " and ".join(name(person) for person in decision.decided_by)
            what = f"This was already decided by {who}" if who else "Nobody decided in time, so the default was taken"
            return f"{what} ({when})", "Nothing is left to do here."
        case DecisionState.EXPIRED:
            return f"This expired ({when})", "Ask again if you still want it."
        case DecisionState.SUPERSEDED:
            return "What this card showed has changed since", "Look for the newer card in the thread."
        case _:
            return f"This is no longer needed ({when})", "Say `status` to see where the task stands."
