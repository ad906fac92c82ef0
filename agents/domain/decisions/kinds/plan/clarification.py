"""The planner asks about the request. Its options, if any, are answers that the planner suggests."""

from agents.domain.decisions.authority import ANSWER, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, takes_any_words
from agents.domain.planning.ladder import answer_planner
from agents.domain.task.task import Task


def apply_clarification(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return [answer_planner(task, chosen.decision.question, chosen, moment)]


CLARIFICATION: DecisionKind[None] = DecisionKind(
    name=Kind.CLARIFICATION, rule=ANSWER, apply=apply_clarification, reads=takes_any_words, answers=True
)
