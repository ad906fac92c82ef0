"""The planner asks about the request. Its options, if any, are answers that the planner suggests."""

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.task.task import Task

FREE = Option(value="")  # an answer in the person's own words


def takes_any_words(decision: Decision, text: str) -> Option | None:
    return FREE


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return [answered(task, chosen.decision.question, chosen, moment)]


def answered(task: Task, question: str, chosen: Chosen, moment: Moment) -> e.ClarificationAnswered:
    answer = chosen.answer
    return e.ClarificationAnswered(task=task.id, at=moment.at, by=chosen.person, question=question, answer=answer)


CLARIFICATION: DecisionKind[None] = DecisionKind(
    name=Kind.CLARIFICATION,
    rule=Rule(who=OWNERS, reminders=1, by_words=True),
    apply=apply,
    reads=takes_any_words,
    answers=True,
)
