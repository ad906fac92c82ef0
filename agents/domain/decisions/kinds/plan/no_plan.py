"""No plan could be made: say more, go on with a one-step plan that code writes, or cancel."""

from enum import StrEnum

from agents.domain.decisions.authority import ANSWER, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, takes_any_words
from agents.domain.planning.ladder import answer_planner, choose_outline
from agents.domain.task.task import Task

NO_PLAN_YET = "I could not make a plan"  # what the planner is reminded of


class NoPlanOption(StrEnum):
    OUTLINE = "outline"  # unless the planner itself says no
    CANCEL = "cancel"


def apply_no_plan(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case NoPlanOption.OUTLINE:
            return choose_outline(task, chosen, moment)
        case _:
            return [answer_planner(task, NO_PLAN_YET, chosen, moment)]


NO_PLAN: DecisionKind[None] = DecisionKind(
    name=Kind.NO_PLAN,
    rule=ANSWER,
    apply=apply_no_plan,
    options=NoPlanOption,
    rights={NoPlanOption.OUTLINE: Kind.PLAN},
    reads=takes_any_words,
    answers=True,
)
