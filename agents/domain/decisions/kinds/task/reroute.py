"""The standing buttons for what was taken for something else: a question that is a request, or the other way round."""

from enum import StrEnum

from agents.domain.asking.turning import turn_into_question, turn_into_request, withdraw_request
from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.task.task import Task


class RerouteOption(StrEnum):
    CHANGE = "change"
    ANSWER = "answer"
    WITHDRAW = "withdraw"


def apply_reroute(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Follows:
    """What it became can be turned again; what was withdrawn is over. Approved work is stopped or cancelled instead."""
    if task.plan.accepted:
        raise Refused(Refusal.ACCEPTED, task=task.id)
    match chosen.option.value:
        case RerouteOption.CHANGE:
            return [*turn_into_request(task, chosen.person, chosen.words, moment), Question(kind=Kind.REROUTE)]
        case RerouteOption.ANSWER:
            return [*turn_into_question(task, chosen.person, moment), Question(kind=Kind.REROUTE)]
        case _:
            facts = withdraw_request(task, chosen.person, moment)
            return [fact for fact in facts if getattr(fact, "decision", None) != chosen.decision.id]


REROUTE: DecisionKind[None] = DecisionKind(
    name=Kind.REROUTE,
    rule=STEERING,
    apply=apply_reroute,
    options=RerouteOption,
    needs_words=frozenset({RerouteOption.CHANGE}),
    waits=False,
)
