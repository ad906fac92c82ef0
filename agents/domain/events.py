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
from agents.domain.knowledge import facts as knowledge
from agents.domain.knowledge.facts import (
    NotesConfirmed as NotesConfirmed,
    NotesDiscarded as NotesDiscarded,
    NotesMergeApproved as NotesMergeApproved,
    NotesMerged as NotesMerged,
    NotesOpened as NotesOpened,
    NotesProved as NotesProved,
    NotesUnmerged as NotesUnmerged,
    NotesUsed as NotesUsed,
)
from agents.domain.learning import proposal
from agents.domain.learning.proposal import (
    ProposalApproved as ProposalApproved,
    ProposalMade as ProposalMade,
    ProposalRejected as ProposalRejected,
)
from agents.domain.models import control, money
from agents.domain.models.control import ReviewerTried as ReviewerTried
from agents.domain.models.money import (
    BudgetRaised as BudgetRaised,
    BudgetReached as BudgetReached,
    BudgetWarned as BudgetWarned,
    ModelAskedAgain as ModelAskedAgain,
    ModelDegraded as ModelDegraded,
    ModelLacks as ModelLacks,
)
from agents.domain.phases import facts as phases
from agents.domain.phases.facts import (
    PhaseKept as PhaseKept,
    PhaseRestarted as PhaseRestarted,
    PhaseReverted as PhaseReverted,
    PhaseRevertFailed as PhaseRevertFailed,
    PhaseRevertWanted as PhaseRevertWanted,
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
from agents.domain.skills import facts as skills
from agents.domain.skills.facts import (
    SkillApproved as SkillApproved,
    SkillDrafted as SkillDrafted,
    SkillEdited as SkillEdited,
    SkillRejected as SkillRejected,
    SkillWanted as SkillWanted,
)
from agents.domain.supervision import facts as supervision
from agents.domain.supervision.facts import (
    AssessmentDue as AssessmentDue,
    DirectiveEnded as DirectiveEnded,
    DirectivesSettled as DirectivesSettled,
    DriftJudged as DriftJudged,
    PolishingBegun as PolishingBegun,
    PolishingEnded as PolishingEnded,
    RemainderDrafted as RemainderDrafted,
    RemainderSettled as RemainderSettled,
    SupervisorRan as SupervisorRan,
    SupervisorsAwaited as SupervisorsAwaited,
    SupervisorsCalled as SupervisorsCalled,
    SupervisorSkipped as SupervisorSkipped,
    SupervisorsLate as SupervisorsLate,
    SupervisorsReported as SupervisorsReported,
    WorkCounted as WorkCounted,
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
    for room in (
        *(task, asking, decision, planning, money, control, work, remote_facts, proposal, ground),
        *(supervision, skills, knowledge, phases),
    )
    for kind in vars(room).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == room.__name__
)
OF_PROJECTS = frozenset(kind for kind in ALL if issubclass(kind, OnProject))  # noqa: F405
