"""Who may see a task: everybody, unless it was asked for in a direct message."""

from collections.abc import Iterable

from agents.domain.decisions.authority import STEERING, ChannelPolicy, Presser, may
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.table import rule_of
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
