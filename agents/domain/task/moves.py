"""Where a task may be when a fact happens to it, and where that takes it."""

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.task import AT_WORK, PLANNING, RESTING, TaskState

S = TaskState

# What happens while minions work. One minion may be at it while another's trouble blocks the task.
OF_WORK: tuple[type[Event], ...] = (
    *(kind for kind in e.ALL if issubclass(kind, e.AboutWork)),
    e.WorkBegun,
    e.WorkCompleted,
    e.PullOpened,
    e.MergeApproved,
    e.MergeFailed,
)

# Where a task may be when a fact happens to it, and where that takes it. None: back to where it was before it rested.
TASK_MOVES: dict[tuple[TaskState, type[Event]], TaskState | None] = {
    (S.RECEIVED, e.ProjectChosen): S.DECOMPOSING,
    (S.BLOCKED, e.ProjectChosen): S.BLOCKED,
    **{(s, e.TaskStopped): S.PAUSED for s in AT_WORK},
    **{(s, e.TaskBackburnered): S.BACKBURNER for s in (*AT_WORK, S.PAUSED, S.BLOCKED)},
    **{(s, e.TaskResumed): None for s in (S.PAUSED, S.BACKBURNER)},
    **{(s, e.TaskCancelled): S.CANCELLED for s in (*AT_WORK, *RESTING)},
    **{(s, e.JobParked): S.BLOCKED for s in (*AT_WORK, *RESTING)},
    **{(s, e.BudgetReached): S.BLOCKED for s in (*AT_WORK, *RESTING)},
    (S.BLOCKED, e.JobRetried): None,
    **{(s, e.JobRetried): s for s in AT_WORK},  # it was laid aside while it was blocked, and brought back
    (S.DECOMPOSING, e.DecompositionDrafted): S.IN_REVIEW,
    (S.DECOMPOSING, e.PlanningSimplified): S.DECOMPOSING,
    **{(s, e.OutlineChosen): S.DECOMPOSING for s in (S.DECOMPOSING, S.AWAITING_APPROVAL, S.BLOCKED)},
    (S.DECOMPOSING, e.DecompositionSentBack): S.DECOMPOSING,
    (S.DECOMPOSING, e.DecompositionEscalated): S.AWAITING_APPROVAL,
    (S.DECOMPOSING, e.ClarificationAnswered): S.DECOMPOSING,
    (S.AWAITING_APPROVAL, e.ClarificationAnswered): S.DECOMPOSING,
    (S.IN_REVIEW, e.DecompositionSentBack): S.DECOMPOSING,
    (S.IN_REVIEW, e.ReviewersDisagreed): S.IN_REVIEW,
    (S.IN_REVIEW, e.DebateRoundHeld): S.IN_REVIEW,
    (S.IN_REVIEW, e.DecompositionApproved): S.AWAITING_APPROVAL,
    (S.IN_REVIEW, e.DecompositionBlocked): S.BLOCKED,
    (S.IN_REVIEW, e.DecompositionEscalated): S.AWAITING_APPROVAL,
    (S.AWAITING_APPROVAL, e.PlanAccepted): S.RUNNING,
    **{(s, e.PlanChangeRequested): S.DECOMPOSING for s in (*PLANNING, S.BLOCKED)},
    **{(s, kind): s for s in (S.RUNNING, S.BLOCKED) for kind in OF_WORK},
    (S.RUNNING, e.Merged): S.DONE,
    **{(s, e.TaskHandedOver): S.CANCELLED for s in (S.RUNNING, *RESTING)},
    **{(s, e.TaskFailed): S.FAILED for s in (S.RUNNING, *RESTING)},
}

# Facts that move no task. Those of the second kind may come late, after the task has ended.
STAYS: frozenset[type[Event]] = frozenset(
    {
        e.RequestVouched,
        e.RemarkMade,
        e.RequestCorrected,
        e.RequestEdited,
        e.TaskMuted,
        e.DecisionOpened,
        e.DecisionVoted,
        e.DecisionHeld,
        e.DecisionDeferred,
        e.BudgetWarned,
        e.ModelDegraded,
        e.GuidanceLeftOut,
        e.BudgetRaised,
        e.TaskAskedAbout,
        e.ProposalMade,
    }
)
EVEN_WHEN_ENDED: frozenset[type[Event]] = frozenset(
    {e.DecisionMade, e.DecisionReminded, e.DecisionExpired, e.DecisionSuperseded, e.DecisionWithdrawn, e.WorkKept}
) | frozenset({e.ProposalApproved, e.ProposalRejected, e.ApprovalOffered, e.WordsRemoved})
