"""A plan as it was shown: approve it, ask for another one, snooze the task, or cancel it."""

import re
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, HEARD, STEERING, Kind
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.decisions.subject import OfPlan
from agents.domain.planning.ladder import accept, send_back
from agents.domain.planning.plan_editing import edit_by_hand
from agents.domain.task.task import Task


class PlanOption(StrEnum):
    APPROVE = "approve"
    CHANGES = "changes"
    EDIT = "edit"
    NARROW = "narrow"
    SEND_BACK = "send_back"
    BACKBURNER = "backburner"
    CANCEL = "cancel"
    FULL = "full"
    APPROVE_ADD = "approve_add"


MOST_ADDED = 10  # small subtasks, without asking again
BLOCKED = (PlanOption.CHANGES, PlanOption.EDIT, PlanOption.NARROW, PlanOption.CANCEL)  # where a reviewer says stop


def apply_plan(task: Task, subject: OfPlan, chosen: Chosen, moment: Moment) -> Follows:
    """Accepted as shown, back to the planner with a person's words, or the task rests, or ends."""
    match chosen.option.value:
        case PlanOption.APPROVE:
            return [accept(task, subject.hash, chosen.by, moment)]
        case PlanOption.APPROVE_ADD:
            may_add = read_number(chosen.words)
            if may_add is None:
                raise Refused(Refusal.NEEDS_WORDS, decision=chosen.decision, option=chosen.option.letter)
            return [replace(accept(task, subject.hash, chosen.by, moment), may_add=may_add)]
        case PlanOption.EDIT:
            return [edit_by_hand(task, chosen, moment)]
        case PlanOption.FULL:
            return [e.FullReviewWanted(task=task.id, at=moment.at, by=chosen.person, number=task.plan.number)]
        case PlanOption.BACKBURNER:
            snoozed = e.TaskBackburnered(task=task.id, at=moment.at, by=chosen.person)
            return [snoozed, Question(kind=Kind.BACKBURNER)]
        case _:
            return [send_back(task, chosen, moment)]


def read_number(words: str) -> int | None:
    """How many small subtasks may be added; None: that is not said, or several numbers are."""
    found = re.findall(r"[-−]?\d+(?:[.,]\d+)?", words)
    return min(int(found[0]), MOST_ADDED) if len(found) == 1 and found[0].isdecimal() and len(found[0]) < 4 else None


PLAN = DecisionKind(
    name=Kind.PLAN,
    subject=OfPlan,
    rule=replace(APPROVAL, reminders=2),
    apply=apply_plan,
    options=PlanOption,
    approves=frozenset({PlanOption.APPROVE, PlanOption.APPROVE_ADD}),
    needs_words=frozenset(
        {PlanOption.CHANGES, PlanOption.EDIT, PlanOption.NARROW, PlanOption.SEND_BACK, PlanOption.APPROVE_ADD}
    ),
    by_name=frozenset({PlanOption.FULL, PlanOption.APPROVE_ADD}),  # on the short path; where supervisors look
    wider={
        **dict.fromkeys((PlanOption.CHANGES, PlanOption.NARROW, PlanOption.SEND_BACK, PlanOption.FULL), HEARD),
        **dict.fromkeys((PlanOption.EDIT, PlanOption.BACKBURNER, PlanOption.CANCEL), STEERING),
    },
)
