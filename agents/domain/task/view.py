"""A task as others see it: who may, what its thread shows, and whether anything will move it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.domain.decisions.authority import STEERING, ChannelPolicy, Presser, may
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.table import questions, rule_of
from agents.domain.project.project import Project
from agents.domain.task.task import Task


def may_see(task: Task, viewer: Presser, channel: ChannelPolicy, decisions: Iterable[Decision]) -> bool:
    """`decisions` are all that the task ever put to people.

    A direct message is between its author and the bot. It is shown to whoever may steer the task (the owner and
    approvers), to whoever has something to decide in it now, and to whoever has decided something in it.
    """
    if not task.request.direct or may(STEERING, viewer, task.request.by, channel):
        return True
    return any(
        may(rule_of(decision), viewer, task.request.by, channel)
        if decision.state is DecisionState.OPEN
        else any(viewer.is_(person) for person in decision.decided_by)
        for decision in decisions
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What is written down to happen to a task by itself."""

    jobs: int = 0  # that wait or run
    unread: int = 0  # facts that the launcher has not been past: they may ask for a job


def is_stalled(task: Task, pending: Pending) -> bool:
    """Whether a task has not ended, nothing runs for it, and nobody was asked."""
    return not (task.has_ended or pending.jobs or pending.unread or questions(task))


def in_thread(task: Task, asking: Sequence[Project]) -> Task:
    """The task as its thread shows it: with the decisions that these projects ask for there."""
    if not asking:
        return task
    asked = (decision for project in asking for decision in project.open if decision.task == task.id)
    proposed = (each.proposal for project in asking for each in project.proposals if each.task == task.id)
    return replace(task, open=(*task.open, *asked), proposals=(*task.proposals, *proposed))
