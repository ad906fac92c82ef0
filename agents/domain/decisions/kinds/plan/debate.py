"""A plan that the reviewers left open, after a debate or without a verdict."""

from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, HEARD, STEERING, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfPlan
from agents.domain.planning.ladder import accept, send_back
from agents.domain.planning.plan_editing import edit_by_hand
from agents.domain.task.task import Task


class DebateOption(StrEnum):
    APPROVE = "approve"
    AGAIN = "again"  # ask those who gave no verdict
    NARROW = "narrow"
    INFORMATION = "information"
    EDIT = "edit"
    CANCEL = "cancel"


def apply_debate(task: Task, subject: OfPlan, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case DebateOption.APPROVE:
            return [accept(task, subject.hash, chosen.by, moment)]
        case DebateOption.AGAIN:
            return [e.VerdictWanted(task=task.id, at=moment.at, by=chosen.person, number=task.plan.number)]
        case DebateOption.EDIT:
            return [edit_by_hand(task, chosen, moment)]
        case _:
            return [send_back(task, chosen, moment)]


DEBATE = DecisionKind(
    name=Kind.DEBATE,
    subject=OfPlan,
    rule=replace(APPROVAL, reminders=2),
    apply=apply_debate,
    options=DebateOption,
    approves=frozenset({DebateOption.APPROVE}),
    needs_words=frozenset({DebateOption.NARROW, DebateOption.INFORMATION, DebateOption.EDIT}),
    by_name=frozenset({DebateOption.AGAIN}),  # where a verdict is missing
    wider={
        **dict.fromkeys((DebateOption.AGAIN, DebateOption.NARROW, DebateOption.INFORMATION), HEARD),
        **dict.fromkeys((DebateOption.EDIT, DebateOption.CANCEL), STEERING),
    },
)
