"""Whether a remark, of which we are not sure, should change the plan that is shown."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import ANSWER, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, Withdrawal, withdraw
from agents.domain.decisions.subject import OfWords
from agents.domain.ids import PersonId
from agents.domain.task.task import Task


class ChangeOption(StrEnum):
    YES = "yes"
    NO = "no"


def apply_change(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value != ChangeOption.YES:
        return []
    return change_plan(task, chosen.person, subject.words, moment, entitled=chosen.entitled)


def change_plan(task: Task, by: PersonId, words: str, moment: Moment, *, entitled: bool = False) -> Facts:
    """Anybody who is heard may ask for changes; it grants nothing, so it needs no right."""
    shown = [d for d in task.open if d.kind in (Kind.PLAN, Kind.DEBATE, Kind.SKILL_DRAFT)]
    if not shown:
        return []
    asked = e.PlanChangeRequested(task=task.id, at=moment.at, by=by, words=words, entitled=entitled)
    return [*withdraw(shown, Withdrawal.CHANGES, moment), asked]


CHANGE = DecisionKind(
    name=Kind.CHANGE, subject=OfWords, rule=ANSWER, apply=apply_change, options=ChangeOption, answers=True
)
