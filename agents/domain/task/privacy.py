"""Who may see a task: everybody, unless it was asked for in a direct message."""

from collections.abc import Iterable

from agents.domain.decisions.authority import ChannelPolicy, Kind, Presser, check
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.errors import PressRefused
from agents.domain.task.task import Task


def may_see(task: Task, viewer: Presser, channel: ChannelPolicy, decisions: Iterable[Decision]) -> bool:
    """`decisions` are all that the task ever put to people.

    A direct message is between its author and the bot. It is shown to whoever may steer the task (the owner and
    approvers), to whoever has something to decide in it now, and to whoever has decided something in it.
    """
    if not task.request.direct or _may(Kind.CONTROLS, task, viewer, channel):
        return True
    return any(
        _may(decision.kind, task, viewer, channel)
        if decision.state is DecisionState.OPEN
        else any(viewer.is_(person) for person in decision.decided_by)
        for decision in decisions
    )


def _may(kind: Kind, task: Task, viewer: Presser, channel: ChannelPolicy) -> bool:
    try:
        check(kind, viewer, task.request.by, channel)
    except PressRefused:
        return False
    return True
