"""Decisions on the way to a plan."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, HEARD, OWNERS, STEERING, Kind, Requester, Rule
from agents.domain.decisions.kind import (
    Chosen,
    DecisionKind,
    Facts,
    Follows,
    Moment,
    Question,
    Withdrawal,
    takes_any_words,
    withdraw,
)
from agents.domain.decisions.subject import OfPlan, OfWords
from agents.domain.ids import PersonId
from agents.domain.planning.ladder import choose_outline
from agents.domain.task.task import Task

ANSWERED = Rule(who=OWNERS, reminders=1, by_words=True)
APPROVAL = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS, reminders=2)


def apply_clarification(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return [_answer(task, chosen.decision.question, chosen, moment)]


def _answer(task: Task, question: str, chosen: Chosen, moment: Moment) -> e.ClarificationAnswered:
    answer = chosen.answer
    return e.ClarificationAnswered(task=task.id, at=moment.at, by=chosen.person, question=question, answer=answer)


# The planner asks about the request. Its options, if any, are answers that the planner suggests.
CLARIFICATION: DecisionKind[None] = DecisionKind(
    name=Kind.CLARIFICATION, rule=ANSWERED, apply=apply_clarification, reads=takes_any_words, answers=True
)


NO_PLAN_YET = "I could not make a plan"  # what the planner is reminded of


class NoPlanOption(StrEnum):
    OUTLINE = "outline"  # unless the planner itself says no
    CANCEL = "cancel"


def apply_no_plan(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case NoPlanOption.OUTLINE:
            return choose_outline(task, chosen, moment)
        case _:
            return [_answer(task, NO_PLAN_YET, chosen, moment)]


# No plan could be made: say more, go on with a one-step plan that code writes, or cancel.
NO_PLAN: DecisionKind[None] = DecisionKind(
    name=Kind.NO_PLAN,
    rule=ANSWERED,
    apply=apply_no_plan,
    options=NoPlanOption,
    rights={NoPlanOption.OUTLINE: Kind.PLAN},
    reads=takes_any_words,
    answers=True,
)


class PlanOption(StrEnum):
    APPROVE = "approve"
    CHANGES = "changes"
    NARROW = "narrow"
    SEND_BACK = "send_back"
    BACKBURNER = "backburner"
    CANCEL = "cancel"


class DebateOption(StrEnum):
    APPROVE = "approve"
    NARROW = "narrow"
    INFORMATION = "information"
    CANCEL = "cancel"


# What the planner is told, by how changes were asked for.
WISHES: dict[str, str] = {
    "changes": "{words}",
    "narrow": "Do less: {words}",
    "send_back": "Start over, and heed this: {words}",
    "information": "Find this out before anything else, by a spike where the files do not tell: {words}",
}
BLOCKED = (PlanOption.CHANGES, PlanOption.NARROW, PlanOption.CANCEL)  # where a reviewer says stop


def apply_plan(task: Task, subject: OfPlan, chosen: Chosen, moment: Moment) -> Follows:
    """Accepted as shown, back to the planner with a person's words, or the task rests, or ends."""
    match chosen.option.value:
        case PlanOption.APPROVE:
            return [accept(task, subject.hash, chosen.by, moment)]
        case PlanOption.BACKBURNER:
            snoozed = e.TaskBackburnered(task=task.id, at=moment.at, by=chosen.person)
            return [snoozed, Question(kind=Kind.BACKBURNER)]
        case how:
            words = WISHES[how].format(words=chosen.words)
            return [e.PlanChangeRequested(task=task.id, at=moment.at, by=chosen.person, words=words)]


def accept(task: Task, hash: str, by: tuple[PersonId, ...], moment: Moment) -> e.PlanAccepted:
    """With the workflow as it is now; a later one is for later plans."""
    return e.PlanAccepted(task=task.id, at=moment.at, hash=hash, by=by, workflow=moment.workflow())


# A plan as it was shown: approve it, ask for another one, snooze the task, or cancel it.
PLAN = DecisionKind(
    name=Kind.PLAN,
    subject=OfPlan,
    rule=APPROVAL,
    apply=apply_plan,
    options=PlanOption,
    approves=frozenset({PlanOption.APPROVE}),
    needs_words=frozenset({PlanOption.CHANGES, PlanOption.NARROW, PlanOption.SEND_BACK}),
    wider={
        **dict.fromkeys((PlanOption.CHANGES, PlanOption.NARROW, PlanOption.SEND_BACK), HEARD),
        **dict.fromkeys((PlanOption.BACKBURNER, PlanOption.CANCEL), STEERING),
    },
)
# A plan that the reviewers left open, after a debate or without a verdict.
DEBATE = DecisionKind(
    name=Kind.DEBATE,
    subject=OfPlan,
    rule=APPROVAL,
    apply=apply_plan,
    options=DebateOption,
    approves=frozenset({DebateOption.APPROVE}),
    needs_words=frozenset({DebateOption.NARROW, DebateOption.INFORMATION}),
    wider={DebateOption.NARROW: HEARD, DebateOption.INFORMATION: HEARD, DebateOption.CANCEL: STEERING},
)


class ChangeOption(StrEnum):
    YES = "yes"
    NO = "no"


def apply_change(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Facts:
    return change_plan(task, chosen.person, subject.words, moment) if chosen.option.value == ChangeOption.YES else []


def change_plan(task: Task, by: PersonId, words: str, moment: Moment) -> Facts:
    """Anybody who is heard may ask for changes; it grants nothing, so it needs no right."""
    shown = [d for d in task.open if d.kind in (Kind.PLAN, Kind.DEBATE)]
    if not shown:
        return []
    asked = e.PlanChangeRequested(task=task.id, at=moment.at, by=by, words=words)
    return [*withdraw(shown, Withdrawal.CHANGES, moment), asked]


# Whether a remark, of which we are not sure, should change the plan that is shown.
CHANGE = DecisionKind(
    name=Kind.CHANGE, subject=OfWords, rule=ANSWERED, apply=apply_change, options=ChangeOption, answers=True
)
