"""All kinds of facts, each from the room of its concept. The log of these is the memory of the whole program."""

from typing import get_args

from agents.domain.decisions.decision import (
    ApprovalOffered as ApprovalOffered,
    DecisionDeferred as DecisionDeferred,
    DecisionExpired as DecisionExpired,
    DecisionHeld as DecisionHeld,
    DecisionMade as DecisionMade,
    DecisionOpened as DecisionOpened,
    DecisionReminded as DecisionReminded,
    DecisionSuperseded as DecisionSuperseded,
    DecisionVoted as DecisionVoted,
    DecisionWithdrawn as DecisionWithdrawn,
)
from agents.domain.fact import (
    AboutDecision as AboutDecision,
    AboutProposal as AboutProposal,
    AboutWork as AboutWork,
    Event as Event,
    Measured as Measured,
    MeasuredWork as MeasuredWork,
    OnEitherStream as OnEitherStream,
    OnProject as OnProject,
)
from agents.domain.learning.proposal import (
    ProposalApproved as ProposalApproved,
    ProposalMade as ProposalMade,
    ProposalRejected as ProposalRejected,
)
from agents.domain.models.money import (
    BudgetRaised as BudgetRaised,
    BudgetReached as BudgetReached,
    BudgetWarned as BudgetWarned,
    ModelDegraded as ModelDegraded,
)
from agents.domain.planning.facts import (
    ClarificationAnswered as ClarificationAnswered,
    DebateRoundHeld as DebateRoundHeld,
    DecompositionApproved as DecompositionApproved,
    DecompositionBlocked as DecompositionBlocked,
    DecompositionDrafted as DecompositionDrafted,
    DecompositionEscalated as DecompositionEscalated,
    DecompositionSentBack as DecompositionSentBack,
    GuidanceLeftOut as GuidanceLeftOut,
    OutlineChosen as OutlineChosen,
    PlanAccepted as PlanAccepted,
    PlanChangeRequested as PlanChangeRequested,
    PlanningSimplified as PlanningSimplified,
    ReviewersDisagreed as ReviewersDisagreed,
)
from agents.domain.task.facts import (
    JobParked as JobParked,
    JobRetried as JobRetried,
    ProjectChosen as ProjectChosen,
    RemarkMade as RemarkMade,
    RequestCorrected as RequestCorrected,
    RequestEdited as RequestEdited,
    RequestVouched as RequestVouched,
    TaskAskedAbout as TaskAskedAbout,
    TaskBackburnered as TaskBackburnered,
    TaskCancelled as TaskCancelled,
    TaskMuted as TaskMuted,
    TaskRequested as TaskRequested,
    TaskResumed as TaskResumed,
    TaskStopped as TaskStopped,
    WordsRemoved as WordsRemoved,
)
from agents.domain.work.facts import (
    BranchPublished as BranchPublished,
    GatePassed as GatePassed,
    MergeApproved as MergeApproved,
    Merged as Merged,
    MergeFailed as MergeFailed,
    MinionAnswered as MinionAnswered,
    MinionAsked as MinionAsked,
    MinionFailed as MinionFailed,
    MinionProgressed as MinionProgressed,
    MinionStarted as MinionStarted,
    MinionStopped as MinionStopped,
    PullOpened as PullOpened,
    ScopeSettled as ScopeSettled,
    SubtaskDone as SubtaskDone,
    SubtaskDropped as SubtaskDropped,
    SubtaskEscalated as SubtaskEscalated,
    SubtaskReady as SubtaskReady,
    SubtaskTaken as SubtaskTaken,
    TaskFailed as TaskFailed,
    TaskHandedOver as TaskHandedOver,
    WorkBegun as WorkBegun,
    WorkCompleted as WorkCompleted,
    WorkEvaluated as WorkEvaluated,
    WorkHandedIn as WorkHandedIn,
    WorkKept as WorkKept,
)

# Written out, not found: with slots=True, Event.__subclasses__() lists each class twice.
AnyEvent = (
    TaskRequested
    | RequestVouched
    | ProjectChosen
    | RemarkMade
    | RequestCorrected
    | RequestEdited
    | TaskStopped
    | TaskResumed
    | TaskBackburnered
    | TaskCancelled
    | TaskMuted
    | JobParked
    | JobRetried
    | DecisionOpened
    | DecisionVoted
    | DecisionMade
    | DecisionHeld
    | DecisionDeferred
    | DecisionReminded
    | DecisionExpired
    | DecisionSuperseded
    | DecisionWithdrawn
    | DecompositionDrafted
    | PlanningSimplified
    | GuidanceLeftOut
    | OutlineChosen
    | DecompositionSentBack
    | ReviewersDisagreed
    | DebateRoundHeld
    | DecompositionApproved
    | DecompositionBlocked
    | DecompositionEscalated
    | ClarificationAnswered
    | PlanAccepted
    | PlanChangeRequested
    | ApprovalOffered
    | TaskAskedAbout
    | WordsRemoved
    | BudgetWarned
    | ModelDegraded
    | BudgetReached
    | BudgetRaised
    | WorkBegun
    | SubtaskReady
    | MinionStarted
    | MinionProgressed
    | MinionAsked
    | MinionAnswered
    | ScopeSettled
    | MinionStopped
    | MinionFailed
    | WorkHandedIn
    | WorkEvaluated
    | GatePassed
    | SubtaskEscalated
    | SubtaskTaken
    | BranchPublished
    | SubtaskDone
    | SubtaskDropped
    | WorkCompleted
    | PullOpened
    | MergeApproved
    | MergeFailed
    | Merged
    | TaskHandedOver
    | TaskFailed
    | WorkKept
    | ProposalMade
    | ProposalApproved
    | ProposalRejected
)
ALL: tuple[type[Event], ...] = get_args(AnyEvent)
