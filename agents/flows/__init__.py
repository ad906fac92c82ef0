"""One file a stage, in the order a task meets them, and the table that chains them.

    intake -> decompose -> review -> debate, if they disagree -> (a person approves; minions come next)
    a remark on the way -> understand

A flow reads the task, does its slow work, and ends by recording facts. It never calls another
flow: the fact it records is what starts the next one, also after a restart.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from agents.domain import events as e
from agents.domain.events import Event
from agents.flows.debate import debate
from agents.flows.decompose import decompose
from agents.flows.intake import intake
from agents.flows.review import review
from agents.flows.understand import understand
from agents.ports import Ports

Flow = Callable[[Event, Ports], Coroutine[Any, Any, None]]

FLOW_AFTER: dict[type[Event], Flow] = {
    e.TaskRequested: intake,
    e.ProjectChosen: decompose,
    e.DecompositionDrafted: review,
    e.DecompositionSentBack: decompose,
    e.ReviewersDisagreed: debate,
    e.ClarificationAnswered: decompose,
    e.PlanChangeRequested: decompose,
    e.RemarkMade: understand,
}

FLOWS: dict[str, Flow] = {flow.__name__: flow for flow in FLOW_AFTER.values()}

# Facts after which nothing runs by itself: a person is waited for, the task rests or has ended, or nothing changed.
RESTS: frozenset[type[Event]] = frozenset(
    {
        e.RequestCorrected,
        e.TaskStopped,
        e.TaskResumed,
        e.TaskBackburnered,
        e.TaskCancelled,
        e.TaskMuted,
        e.JobParked,
        e.JobRetried,  # starts its own job again; see bot/readers.py
        e.DecisionOpened,
        e.DecisionVoted,
        e.DecisionMade,
        e.DecisionHeld,
        e.DecisionReminded,
        e.DecisionExpired,
        e.DecisionSuperseded,
        e.DecisionWithdrawn,
        e.DecompositionApproved,
        e.DecompositionBlocked,
        e.DecompositionEscalated,
        e.PlanAccepted,
        e.ApprovalOffered,
        e.TaskAskedAbout,
        e.BudgetWarned,
        e.BudgetReached,
        e.BudgetRaised,
    }
)
