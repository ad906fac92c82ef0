"""Whether a remark, of which we are not sure, should change the plan that is shown."""

from enum import StrEnum

from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.kinds.plan.plan import change_plan
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task


class ChangeOption(StrEnum):
    YES = "yes"
    NO = "no"


def apply(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Facts:
    return change_plan(task, chosen.person, subject.words, moment) if chosen.option.value == ChangeOption.YES else []


CHANGE = DecisionKind(
    name=Kind.CHANGE,
    subject=OfWords,
    rule=Rule(who=OWNERS, reminders=1, by_words=True),
    apply=apply,
    options=ChangeOption,
    answers=True,
)
