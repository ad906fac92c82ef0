"""Somebody's words in the thread of another's task: a task of their own, or a remark.

They are kept as a remark already. A task of its own is begun by `bot/running/new_threads.py`.
"""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfRemark
from agents.domain.task.task import Task


class SecondOption(StrEnum):
    TASK = "task"
    REMARK = "remark"


def apply_second(task: Task, subject: OfRemark | None, chosen: Chosen, moment: Moment) -> Facts:
    """A remark of somebody entitled reaches minions now. Earlier versions did not say who made it."""
    if chosen.option.value != SecondOption.REMARK or subject is None or not subject.entitled:
        return []
    by, text = chosen.person, chosen.decision.question
    return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=text, entitled=True, urgent=True)]


SECOND: DecisionKind[OfRemark] = DecisionKind(
    name=Kind.SECOND,
    subject=OfRemark,
    rule=Rule(who=OWNERS, put_to=True),
    apply=apply_second,
    options=SecondOption,
    waits=False,
)
