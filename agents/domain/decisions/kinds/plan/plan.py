"""A plan as it was shown: approve it, ask for another one, snooze the task, or cancel it."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, HEARD, STEERING, Kind, Requester, Rule
from agents.domain.decisions.kind import (
    Chosen,
    DecisionKind,
    Facts,
    Moment,
    Question,
    Withdrawal,
    ask,
    cancel,
    withdraw,
)
from agents.domain.decisions.kinds.task.snoozed import SNOOZED
from agents.domain.decisions.subject import OfPlan
from agents.domain.ids import PersonId
from agents.domain.task.task import Task

APPROVAL = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS, reminders=2)


class PlanOption(StrEnum):
    APPROVE = "approve"
    CHANGES = "changes"
    NARROW = "narrow"
    SEND_BACK = "send_back"
    BACKBURNER = "backburner"
    CANCEL = "cancel"


# What the planner is told, by how changes were asked for.
WISHES: dict[str, str] = {
    "changes": "{words}",
    "narrow": "Do less: {words}",
    "send_back": "Start over, and heed this: {words}",
    "information": "Find this out before anything else, by a spike where the files do not tell: {words}",
}
BLOCKED = (PlanOption.CHANGES, PlanOption.NARROW, PlanOption.CANCEL)  # where a reviewer says stop


def apply(task: Task, subject: OfPlan, chosen: Chosen, moment: Moment) -> Facts:
    """Accepted as shown, back to the planner with a person's words, or the task rests, or ends."""
    match chosen.option.value:
        case PlanOption.APPROVE:
            return [accept(task, subject.hash, chosen.by, moment)]
        case PlanOption.CANCEL:
            return cancel(task, chosen, moment)
        case PlanOption.BACKBURNER:
            snoozed = e.TaskBackburnered(task=task.id, at=moment.at, by=chosen.person)
            return [snoozed, *ask(task, Question(kind=SNOOZED), moment)]
        case how:
            words = WISHES[how].format(words=chosen.words)
            return [e.PlanChangeRequested(task=task.id, at=moment.at, by=chosen.person, words=words)]


def accept(task: Task, hash: str, by: tuple[PersonId, ...], moment: Moment) -> e.PlanAccepted:
    """With the workflow as it is now; a later one is for later plans."""
    return e.PlanAccepted(task=task.id, at=moment.at, hash=hash, by=by, workflow=moment.workflow())


def change_plan(task: Task, by: PersonId, words: str, moment: Moment) -> Facts:
    """Anybody who is heard may ask for changes; it grants nothing, so it needs no right."""
    shown = [d for d in task.open if d.kind in (Kind.PLAN, Kind.DEBATE)]
    if not shown:
        return []
    asked = e.PlanChangeRequested(task=task.id, at=moment.at, by=by, words=words)
    return [*withdraw(shown, Withdrawal.CHANGES, moment), asked]


PLAN = DecisionKind(
    name=Kind.PLAN,
    subject=OfPlan,
    rule=APPROVAL,
    apply=apply,
    options=PlanOption,
    approves=frozenset({PlanOption.APPROVE}),
    needs_words=frozenset({PlanOption.CHANGES, PlanOption.NARROW, PlanOption.SEND_BACK, PlanOption.CANCEL}),
    wider={
        **dict.fromkeys((PlanOption.CHANGES, PlanOption.NARROW, PlanOption.SEND_BACK), HEARD),
        **dict.fromkeys((PlanOption.BACKBURNER, PlanOption.CANCEL), STEERING),
    },
)
