"""The state of a task in words."""

from collections.abc import Callable

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import questions
from agents.domain.task.task import Task, TaskState
from bot.cards.kinds.table import CARDS
from bot.messages import Tone

STATE: dict[TaskState, str] = {
    TaskState.RECEIVED: "Received",
    TaskState.DECOMPOSING: "Waiting for a plan",
    TaskState.IN_REVIEW: "Reviewers are reading the plan",
    TaskState.AWAITING_APPROVAL: "Waiting for approval",
    TaskState.RUNNING: "Running",
    TaskState.POLISHING: "Cleaning up",
    TaskState.DONE: "Done",
    TaskState.BLOCKED: "Blocked: it needs you",
    TaskState.BACKBURNER: "Snoozed",
    TaskState.PAUSED: "Stopped",
    TaskState.FAILED: "Failed",
    TaskState.CANCELLED: "Cancelled",
}

TONE: dict[TaskState, Tone] = {
    **dict.fromkeys(TaskState, Tone.PLAIN),
    TaskState.DONE: Tone.GOOD,
    TaskState.AWAITING_APPROVAL: Tone.ASKING,
    TaskState.BLOCKED: Tone.BAD,
    TaskState.FAILED: Tone.BAD,
}


def state_of(task: Task) -> str:
    """Where it stands, as far as its facts tell."""
    closer = _CLOSER.get(task.state)
    return (closer(task) if closer else "") or STATE[task.state]


def _planned(task: Task) -> str:
    if task.of_kind(Kind.CLARIFICATION) or task.of_kind(Kind.NO_PLAN):
        return "Waiting for an answer"
    if task.plan.draft or task.plan.tries:
        return f"Replanning, version {task.plan.number + 1}"
    return "Replanning" if task.plan.feedback else ""


def _reviewed(task: Task) -> str:
    if task.plan.debate is None:
        return ""
    if task.plan.debate.over:
        return "The critic and the scope guard have argued"
    return f"The critic and the scope guard argue, round {task.plan.debate.next_round} of {task.plan.debate.most}"


def _awaiting(task: Task) -> str:
    if task.of_kind(Kind.DEBATE):
        return "Waiting for a person's judgement"
    return "Waiting for you: there is no plan yet" if task.of_kind(Kind.NO_PLAN) else ""


def _blocked(task: Task) -> str:
    if task.of_kind(Kind.PLAN):
        return "A reviewer says stop: it needs you"
    return "Stopped at its budget: it needs you" if task.of_kind(Kind.BUDGET) else ""


def _at_work(task: Task) -> str:
    return next((card.at_work for card in CARDS.values() if card.at_work and task.of_kind(card.kind)), "")


_CLOSER: dict[TaskState, Callable[[Task], str]] = {
    TaskState.RECEIVED: lambda task: "Waiting for an answer" if questions(task) else "",
    TaskState.DECOMPOSING: _planned,
    TaskState.IN_REVIEW: _reviewed,
    TaskState.AWAITING_APPROVAL: _awaiting,
    TaskState.BLOCKED: _blocked,
    TaskState.RUNNING: _at_work,
}
