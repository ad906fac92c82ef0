"""Facts, in the past tense. The log of these is the memory of the whole program."""

from dataclasses import dataclass
from typing import get_args

from agents.domain.decisions.facts import (
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
)
from agents.domain.ids import DecisionId, PersonId, Thread
from agents.domain.learning.facts import (
    ProposalApproved as ProposalApproved,
    ProposalMade as ProposalMade,
    ProposalRejected as ProposalRejected,
)
from agents.domain.planning.debate import MAX_ROUNDS, Debate, Round
from agents.domain.planning.decomposition import Decomposition
from agents.domain.planning.facts import (
    GuidanceLeftOut as GuidanceLeftOut,
    OutlineChosen as OutlineChosen,
    PlanningSimplified as PlanningSimplified,
)
from agents.domain.planning.ladder import Level
from agents.domain.planning.verdicts import Review
from agents.domain.task.origin import Mandate, Origin
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
from agents.domain.workflow.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequested(Event):
    request: str
    by: PersonId
    thread: Thread
    channel: str  # "console:general": whose policy holds
    hidden: int = 0  # characters that nobody sees, which were taken out of it (attack 22)
    origin: Origin | None = None  # the issue it came from; None: it was said in chat
    direct: bool = False  # to the bot alone, so not everybody may see it
    mandate: Mandate | None = None  # the approved proposal that it carries out


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestVouched(Event):
    """Somebody outside asked, and a person takes it on."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChosen(Event):
    project: str  # empty: none is configured
    by: PersonId | None  # None: a rule chose it, and `why` says which
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkMade(Event):
    """Someone who is heard said something that answers no open question."""

    by: PersonId
    text: str
    entitled: bool = False  # the owner or an approver said it: minions at work are told
    urgent: bool = False  # the bot was mentioned: it does not wait for a minion's next turn
    asks: bool = False  # somebody else said it to the bot: it may ask for a task of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCorrected(Event):
    """The request's author edited the message."""

    by: PersonId
    request: str
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEdited(Event):
    """The request's author edited the message after the plan was approved: what was decided stays as it was."""

    by: PersonId
    request: str
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStopped(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResumed(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBackburnered(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCancelled(Event):
    by: PersonId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMuted(Event):
    by: PersonId
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobParked(Event):
    """A job was given up after its recoveries were used up."""

    job: str
    flow: str
    problem: str
    kept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetried(Event):
    """A person asked for a parked job to be run again."""

    by: PersonId
    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionDrafted(Event):
    number: int  # version of the plan
    plan: Decomposition
    estimate: float  # dollars
    rehearsal: bool = False  # no real model was asked
    level: Level = Level.PRIMARY
    why: str = ""  # of a level below the first


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionSentBack(Event):
    """By code that checks it, or by the reviewers; people ask for changes in words of their own."""

    number: int
    reasons: tuple[str, ...]
    review: Review | None = None  # None: the checks found fault, and nobody was asked to review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewersDisagreed(Event):
    number: int
    review: Review
    rounds: int = MAX_ROUNDS  # that they may argue


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRoundHeld(Event):
    """Noted as it happens: a debate that is cut short goes on from here."""

    number: int
    round: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionApproved(Event):
    """By the reviewers; a person comes next."""

    number: int
    review: Review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionBlocked(Event):
    number: int
    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionEscalated(Event):
    """The rules ran out: no verdict, no agreement, or too many tries. A person decides with what there is."""

    number: int
    why: str
    review: Review | None = None
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationAnswered(Event):
    by: PersonId
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAccepted(Event):
    hash: str  # of the plan that was shown
    by: tuple[PersonId, ...]  # empty: the channel's policy lets a single subtask through
    workflow: Workflow | None = None  # M244: the task goes on by it; None: accepted before workflows were kept


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChangeRequested(Event):
    by: PersonId
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalOffered(Event):
    """Someone approved in words, so they are shown the button (C37)."""

    by: PersonId
    decision: DecisionId
    option: str = ""  # letter of the one they named; empty: any that approves


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAskedAbout(Event):
    """Someone asked how it stands; the answer is made from facts."""

    by: PersonId
    about: str  # status, why or cost


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWarned(Event):
    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDegraded(Event):
    """Another model than the preferred one answered (M222)."""

    model: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached(Event):
    """A call would have gone over the budget, so it was not made."""

    job: str
    flow: str
    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRaised(Event):
    by: PersonId
    limit: float
    budget: str = ""  # its name; empty: the task's own


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
