"""Presses that may not count: on what is closed, too late, or not theirs."""

from dataclasses import replace
from datetime import datetime

from agents.domain.decisions.authority import ChannelPolicy, Presser, Silence, check
from agents.domain.decisions.decision import HOLD, Decision, DecisionState, NameOf
from agents.domain.decisions.table import lapsed, rights_to, rule_of
from agents.domain.errors import PressRefused
from agents.domain.ids import PersonId


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
    if lapsed(decision, at):
        expires = rule_of(decision).silence is Silence.EXPIRES
        state = DecisionState.EXPIRED if expires else DecisionState.DECIDED
        refuse_unless_open(replace(decision, state=state, closed_at=decision.due), str)


def refuse_unless_entitled(
    decision: Decision, letter: str, presser: Presser, requester: PersonId, channel: ChannelPolicy
) -> None:
    """Rights at the moment of the press. Holding a clock only delays, so the owner may always do that."""
    rule = rule_of(decision)
    if (letter == HOLD and presser.is_(requester)) or (rule.put_to and presser.is_(decision.put_to)):
        return
    option = next((option for option in decision.options if option.letter == letter), None)
    rule, wider = rights_to(decision, option)
    check(rule, presser, requester, channel, wider)
