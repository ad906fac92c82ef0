"""One file a stage, in the order a task meets them, and the table that chains them.

    intake -> decompose -> review -> debate, if they disagree -> (a person approves)
    -> begin_work -> work -> evaluate -> (a step gate) -> integrate, for each subtask
    -> open_pull -> (a person merges) -> merge
    a remark on the way -> understand
    a person takes a branch -> publish_branch, takes it all -> keep_work
    for work that an issue asked for, beside all that -> tell_issue

A flow reads the task, does its slow work, and ends by recording facts. It never calls another
flow: the fact it records is what starts the next one, also after a restart.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.issue_comments import TELLS
from agents.flows.debate import debate
from agents.flows.decompose import decompose
from agents.flows.deliver import merge, open_pull
from agents.flows.dispatch import begin_work, resume_work, tidy
from agents.flows.evaluate import evaluate
from agents.flows.hand_over import keep_work, publish_branch
from agents.flows.intake import intake
from agents.flows.integrate import integrate
from agents.flows.review import review
from agents.flows.tell_issue import tell_issue
from agents.flows.understand import understand
from agents.flows.work import work
from agents.ports import Ports

Flow = Callable[[Event, Ports], Coroutine[Any, Any, None]]

FLOW_AFTER: dict[type[Event], Flow] = {
    e.TaskRequested: intake,
    e.RequestVouched: intake,
    e.ProjectChosen: decompose,
    e.DecompositionDrafted: review,
    e.DecompositionSentBack: decompose,
    e.ReviewersDisagreed: debate,
    e.ClarificationAnswered: decompose,
    e.PlanChangeRequested: decompose,
    e.RemarkMade: understand,
    e.PlanAccepted: begin_work,
    e.TaskResumed: resume_work,
    e.SubtaskReady: work,
    e.MinionAnswered: work,
    e.ScopeSettled: work,
    e.SubtaskTaken: publish_branch,
    e.WorkHandedIn: evaluate,
    e.GatePassed: integrate,
    e.WorkCompleted: open_pull,
    e.MergeApproved: merge,
    e.TaskHandedOver: keep_work,
    e.TaskCancelled: tidy,
}

# Minions and gates: only so many at once, and never in the way of what people wait for.
TAKES_LONG: frozenset[Flow] = frozenset({work, evaluate})

# Beside the flow above, for tasks that came from an issue.
ON_ISSUE: dict[type[Event], Flow] = dict.fromkeys(TELLS, tell_issue)

# What may fail without holding up the task; it is tried for longer instead.
ASIDE: frozenset[str] = frozenset({tell_issue.__name__})

# C14: a task takes only so many of these by itself. What ends a task, or saves its work, is never refused.
COUNTED: frozenset[Flow] = frozenset({decompose, review, debate, work, evaluate, integrate})
STEPS: frozenset[type[Event]] = frozenset(fact for fact, flow in FLOW_AFTER.items() if flow in COUNTED)

FLOWS: dict[str, Flow] = {flow.__name__: flow for flow in (*FLOW_AFTER.values(), *ON_ISSUE.values())}

# Facts after which nothing runs by itself: a person is waited for, the task rests or has ended, or nothing changed.
RESTS: frozenset[type[Event]] = frozenset(
    {
        e.RequestCorrected,
        e.RequestEdited,
        e.TaskStopped,
        e.TaskBackburnered,
        e.TaskMuted,
        e.JobParked,
        e.JobRetried,  # starts its own job again; see bot/delivery/readers.py
        e.DecisionOpened,
        e.DecisionVoted,
        e.DecisionMade,
        e.DecisionHeld,
        e.DecisionDeferred,
        e.DecisionReminded,
        e.DecisionExpired,
        e.DecisionSuperseded,
        e.DecisionWithdrawn,
        e.DebateRoundHeld,  # the debate itself goes on
        e.PlanningSimplified,  # the same flow asks again
        e.OutlineChosen,  # the outline is drafted with it
        e.DecompositionApproved,
        e.DecompositionBlocked,
        e.DecompositionEscalated,
        e.ApprovalOffered,
        e.TaskAskedAbout,
        e.BudgetWarned,
        e.ModelDegraded,
        e.GuidanceLeftOut,
        e.BudgetReached,
        e.BudgetRaised,
        e.WorkBegun,
        e.MinionStarted,
        e.MinionProgressed,
        e.MinionAsked,
        e.MinionStopped,
        e.MinionFailed,
        e.WorkEvaluated,
        e.SubtaskEscalated,
        e.BranchPublished,
        e.SubtaskDone,
        e.SubtaskDropped,
        e.PullOpened,
        e.MergeFailed,
        e.Merged,
        e.WorkKept,
        e.ProposalMade,
        e.ProposalApproved,  # opens a task of its own; see bot/running/proposal_tasks.py
        e.ProposalRejected,
    }
)
