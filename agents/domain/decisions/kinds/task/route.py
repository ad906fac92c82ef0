"""Nobody could tell what a message is: a person says whether it asks something, wants a change, or neither."""

from enum import StrEnum

from agents.domain.asking.turning import ask_about_code, settle_follow_up, turn_into_request, withdraw_request
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task


class RouteOption(StrEnum):
    ANSWER = "answer"
    CHANGE = "change"
    NOTHING = "nothing"


def apply_route(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Follows:
    said_by, words = chosen.decision.put_to, subject.words
    turns = () if task.of_kind(Kind.REROUTE) else (Question(kind=Kind.REROUTE),)
    match chosen.option.value:
        case RouteOption.ANSWER:
            return [*ask_about_code(task, said_by, words, moment, chosen.person), *turns]
        case RouteOption.CHANGE:
            facts = turn_into_request(task, said_by, words if task.is_question else "", moment)
            return [*_without(facts, chosen), *turns]
        case _:
            if task.is_question:
                return settle_follow_up(task, moment)
            return _without(withdraw_request(task, chosen.person, moment), chosen)


def _without(facts: Follows, chosen: Chosen) -> Follows:
    """It is being decided, so it is not withdrawn as well."""
    return [fact for fact in facts if getattr(fact, "decision", None) != chosen.decision.id]


ROUTE = DecisionKind(
    name=Kind.ROUTE,
    subject=OfWords,
    rule=Rule(who=OWNERS, put_to=True, reminders=1),
    apply=apply_route,
    options=RouteOption,
)
