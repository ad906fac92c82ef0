"""All kinds of facts, each from the room of its concept. The log of these is the memory of the whole program."""

from agents.domain.asking import facts as asking
from agents.domain.asking.facts import (
    AnswerWanted as AnswerWanted,
    ChangeWanted as ChangeWanted,
    CommandMeant as CommandMeant,
    FollowUpSaid as FollowUpSaid,
    FollowUpSettled as FollowUpSettled,
    QuestionAnswered as QuestionAnswered,
    QuestionAsked as QuestionAsked,
    TaskWithdrawn as TaskWithdrawn,
)
from agents.domain.decisions import decision
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
from agents.domain.fact import *  # noqa: F403
from agents.domain.fact import Event as Event
from agents.domain.learning import proposal
from agents.domain.learning.proposal import (
    ProposalApproved as ProposalApproved,
    ProposalMade as ProposalMade,
    ProposalRejected as ProposalRejected,
)
from agents.domain.models import money
from agents.domain.models.money import (
    BudgetRaised as BudgetRaised,
    BudgetReached as BudgetReached,
    BudgetWarned as BudgetWarned,
    ModelAskedAgain as ModelAskedAgain,
    ModelDegraded as ModelDegraded,
    ModelLacks as ModelLacks,
)
from agents.domain.planning import facts as planning
from agents.domain.planning.facts import *  # noqa: F403
from agents.domain.project import ground
from agents.domain.project.ground import (
    BaselineBegun as BaselineBegun,
    BaselineMeasured as BaselineMeasured,
    EnvironmentFailed as EnvironmentFailed,
    EnvironmentReady as EnvironmentReady,
    GroundNoted as GroundNoted,
    GroundSettled as GroundSettled,
    SetupAllowed as SetupAllowed,
    SetupBegun as SetupBegun,
    SetupFailed as SetupFailed,
    SetupProposed as SetupProposed,
    SetupWanted as SetupWanted,
)
from agents.domain.task import facts as task
from agents.domain.task.facts import *  # noqa: F403
from agents.domain.work import facts as work, remote_facts
from agents.domain.work.facts import *  # noqa: F403
from agents.domain.work.remote_facts import (
    ChecksAwaited as ChecksAwaited,
    ChecksSeen as ChecksSeen,
    DraftDue as DraftDue,
    DraftOpened as DraftOpened,
)

# Whatever a room of facts defines. `Event.__subclasses__()` would not do: with slots it lists each class twice.
ALL: tuple[type[Event], ...] = tuple(
    kind
    for room in (task, asking, decision, planning, money, work, remote_facts, proposal, ground)
    for kind in vars(room).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == room.__name__
)
OF_PROJECTS = frozenset(kind for kind in ALL if issubclass(kind, OnProject))  # noqa: F405
