"""A plan that the reviewers left open, after a debate or without a verdict."""

from enum import StrEnum

from agents.domain.decisions.authority import HEARD, STEERING, Kind
from agents.domain.decisions.kind import DecisionKind
from agents.domain.decisions.kinds.plan import plan
from agents.domain.decisions.subject import OfPlan


class DebateOption(StrEnum):
    APPROVE = "approve"
    NARROW = "narrow"
    INFORMATION = "information"
    CANCEL = "cancel"


DEBATE = DecisionKind(
    name=Kind.DEBATE,
    subject=OfPlan,
    rule=plan.APPROVAL,
    apply=plan.apply,
    options=DebateOption,
    approves=frozenset({DebateOption.APPROVE}),
    needs_words=frozenset({DebateOption.NARROW, DebateOption.INFORMATION, DebateOption.CANCEL}),
    wider={
        **dict.fromkeys((DebateOption.NARROW, DebateOption.INFORMATION), HEARD),
        DebateOption.CANCEL: STEERING,
    },
)
