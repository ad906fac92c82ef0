"""Presses that may not count: on what is closed, too late, or not theirs."""

from dataclasses import replace
from datetime import datetime

from agents.domain.decisions.authority import ChannelPolicy, Presser, Silence, check
from agents.domain.decisions.decision import HOLD, Decision, DecisionState, Refusal, Refused
from agents.domain.decisions.table import lapsed, rights_to, rule_of
from agents.domain.ids import PersonId


def refuse_unless_open(decision: Decision) -> None:
    """A press on something no longer open gets an honest answer."""
    if decision.state is not DecisionState.OPEN:
        raise Refused(Refusal.CLOSED, decision=decision)


def refuse_if_late(decision: Decision, at: datetime) -> None:
    """Time decides by the clock, not when somebody gets round to writing it down."""
    if lapsed(decision, at):
        expires = rule_of(decision).silence is Silence.EXPIRES
        state = DecisionState.EXPIRED if expires else DecisionState.DECIDED
        refuse_unless_open(replace(decision, state=state, closed_at=decision.due))


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
