"""Decisions about a task as such, at any time of its life."""

import re
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, OWNERS, STEERING, Kind, Requester, Rule, Silence
from agents.domain.decisions.decision import Decision, Option, Refusal, Refused, lettered
from agents.domain.decisions.kind import (
    Chosen,
    DecisionKind,
    Facts,
    Moment,
    Question,
    Withdrawal,
    hand_over,
    retry_jobs,
    withdraw,
)
from agents.domain.decisions.subject import OfBudget, OfJob, OfRemark, OfStep, OfWords
from agents.domain.planning.ladder import choose_outline
from agents.domain.task.task import Task
from agents.domain.work.dispatching import change_whole
from agents.domain.work.work import SubtaskState


class IntakeOption(StrEnum):
    TAKE = "take"
    CANCEL = "cancel"


def apply_intake(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return [e.RequestVouched(task=task.id, at=moment.at, by=chosen.person)]


# Take on a request of somebody outside, or not. Planners never see their text until an approver accepts it.
INTAKE: DecisionKind[None] = DecisionKind(
    name=Kind.INTAKE,
    rule=Rule(who=APPROVERS, requester=Requester.NEVER, reminders=2),
    apply=apply_intake,
    options=IntakeOption,
    approves=frozenset({IntakeOption.TAKE}),
)


def apply_project(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    project = chosen.option.value
    return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=chosen.person, why="")]


def read_project(decision: Decision, text: str) -> Option | None:
    named = [o for o in decision.options if re.search(rf"(?<![\w-]){re.escape(o.value)}(?![\w-])", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


# Which project a request is for. The options are the projects there are.
PROJECT: DecisionKind[None] = DecisionKind(
    name=Kind.PROJECT, rule=Rule(who=OWNERS, reminders=1, by_words=True), apply=apply_project, reads=read_project
)


class BudgetOption(StrEnum):
    CANCEL = "cancel"


RAISES = (1.5, 2, 4)  # by how much a limit can be raised


def raises(limit: float) -> tuple[Option, ...]:
    """Each option but the last is a limit in dollars."""
    limits = (round(limit * factor, 2) for factor in RAISES)
    offered = (Option(value=f"{each:g}", approves=True) for each in limits)
    return lettered(*offered, BUDGET.option(BudgetOption.CANCEL))


def apply_budget(task: Task, subject: OfBudget, chosen: Chosen, moment: Moment) -> Facts:
    limit = float(chosen.option.value)
    raised = e.BudgetRaised(task=task.id, at=moment.at, by=chosen.person, limit=limit, budget=subject.budget)
    return [raised, *retry_jobs(task, chosen, moment)]


# A budget is used up: raise it, or cancel.
BUDGET = DecisionKind(
    name=Kind.BUDGET,
    subject=OfBudget,
    rule=Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    apply=apply_budget,
    options=BudgetOption,
    wider={BudgetOption.CANCEL: STEERING},
)


class StuckOption(StrEnum):
    RETRY = "retry"
    OUTLINE = "outline"
    CANCEL = "cancel"


def apply_stuck(task: Task, subject: OfJob, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case StuckOption.OUTLINE:
            return choose_outline(task, chosen, moment)
        case _:
            return retry_jobs(task, chosen, moment)


# A job failed for good: try it again, go on without a planner where it was planning, or cancel.
STUCK = DecisionKind(
    name=Kind.STUCK,
    subject=OfJob,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply_stuck,
    options=StuckOption,
    rights={StuckOption.OUTLINE: Kind.PLAN},
)


class StoppedOption(StrEnum):
    RESUME = "resume"
    HAND_OVER = "hand_over"  # once there is work
    CANCEL = "cancel"


class SnoozedOption(StrEnum):
    RESUME = "resume"
    CANCEL = "cancel"


def apply_rest(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    """Of a task that was stopped, and of one that was snoozed."""
    match chosen.option.value:
        case StoppedOption.HAND_OVER:
            return hand_over(task, chosen, moment)
        case _:
            return [e.TaskResumed(task=task.id, at=moment.at, by=chosen.person)]


STOPPED: DecisionKind[None] = DecisionKind(name=Kind.STOPPED, rule=STEERING, apply=apply_rest, options=StoppedOption)
SNOOZED: DecisionKind[None] = DecisionKind(name=Kind.BACKBURNER, rule=STEERING, apply=apply_rest, options=SnoozedOption)


class CancelOption(StrEnum):
    CANCEL = "cancel"
    KEEP = "keep"


def confirmation(reason: str) -> Question:
    """A reason that was given already is not asked for again."""
    options = tuple(replace(each, needs_words=each.needs_words and not reason) for each in CANCEL.offer())
    return Question(kind=Kind.CANCEL, options=options, text=reason)


# Cancelling a task asks to confirm, and wants a reason.
CANCEL: DecisionKind[None] = DecisionKind(
    name=Kind.CANCEL,
    rule=Rule(who=OWNERS, silence=Silence.EXPIRES),
    apply=lambda task, subject, chosen, moment: [],
    options=CancelOption,
)


class ControlOption(StrEnum):
    STOP = "stop"
    BACKBURNER = "backburner"
    CANCEL = "cancel"


# The standing buttons of a status card. They steer the task (see `decisions/pressing.py`), and are never decided.
CONTROLS: DecisionKind[None] = DecisionKind(
    name=Kind.CONTROLS,
    rule=STEERING,
    apply=lambda task, subject, chosen, moment: [],
    options=ControlOption,
    waits=False,
)


class MeantOption(StrEnum):
    REMARK = "remark"


def apply_meant(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Facts:
    by = chosen.decision.put_to
    return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=subject.words, entitled=True)]


# Words that could answer several questions, or that approve: a person presses what they are.
# Every option but the last is an answer to another decision, which `table.conclude` then concludes.
MEANT = DecisionKind(
    name=Kind.MEANT, subject=OfWords, rule=Rule(who=OWNERS), apply=apply_meant, options=MeantOption, waits=False
)


class SecondOption(StrEnum):
    TASK = "task"
    REMARK = "remark"


def apply_second(task: Task, subject: OfRemark | None, chosen: Chosen, moment: Moment) -> Facts:
    """A remark of somebody entitled reaches minions now. Earlier versions did not say who made it."""
    if chosen.option.value != SecondOption.REMARK or subject is None or not subject.entitled:
        return []
    by, text = chosen.person, chosen.decision.question
    return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=text, entitled=True, urgent=True)]


# Somebody's words in the thread of another's task: a task of their own, or a remark.
# They are kept as a remark already. A task of its own is begun by `bot/running/new_threads.py`.
SECOND: DecisionKind[OfRemark] = DecisionKind(
    name=Kind.SECOND,
    subject=OfRemark,
    rule=Rule(who=OWNERS, put_to=True),
    apply=apply_second,
    options=SecondOption,
    waits=False,
)


class CorrectionOption(StrEnum):
    CHANGE = "change"
    KEEP = "keep"


def apply_correction(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    """At the merge the whole is worked on again; before it the minions are told."""
    if chosen.option.value == CorrectionOption.KEEP or not task.in_work:
        return []
    words = f"The request was edited after the plan was approved. It now says: {chosen.decision.question}"
    if merge := task.of_kind(Kind.MERGE):
        return [*withdraw([merge], Withdrawal.CHANGES, moment), change_whole(task, words, moment.at)]
    last = task.work.subtasks[-1]
    match last.state:
        case SubtaskState.EVALUATING:  # only checks are left, which no minion hears
            gates = [d for d in task.open if isinstance(d.subject, OfStep) and d.subject.subtask == last.number]
            return [*withdraw(gates, Withdrawal.CHANGES, moment), change_whole(task, words, moment.at)]
        case SubtaskState.DONE:
            raise Refused(Refusal.MERGING, task=task.id)
        case _:
            by = chosen.person
            return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=words, entitled=True, urgent=True)]


# The request was edited after its plan was approved: ask for that change, or keep what was approved.
CORRECTION: DecisionKind[None] = DecisionKind(
    name=Kind.CORRECTION, rule=Rule(who=OWNERS), apply=apply_correction, options=CorrectionOption, waits=False
)
