"""Facts of work: from an accepted plan to a merged pull request."""

from dataclasses import dataclass, field

from agents.domain.checks.evaluation import Change, ChangedTest, Checked, Evaluation, RiskLevel, Score
from agents.domain.checks.scope import Scope
from agents.domain.fact import AboutWork, Event, MeasuredWork
from agents.domain.ids import PersonId
from agents.domain.knowledge.owners import Carried
from agents.domain.reason import Cause
from agents.domain.work.commit_style import CommitStyle
from agents.domain.work.work import Degraded, Ending, SubtaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkBegun(Event):
    """The task has a branch of its own, on which the subtasks' work is brought together."""

    branch: str
    base: str  # commit
    into: str = ""  # the branch it began from, and is for
    co_author: str = ""  # `Name <address>` of whoever asked, where commits are to name them
    style: CommitStyle = field(default_factory=CommitStyle)  # of the project's commits


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskReady(AboutWork):
    """Its turn has come: a minion is asked for."""

    scope: Scope
    feedback: tuple[str, ...] = ()
    afresh: bool = False  # a person had a word in it, so attempts are counted anew
    anew: bool = False  # on another branch: what is wrong with the old one stays in its history
    step: str = ""  # the worker's step; empty: the one that worked before, or the first
    onward: bool = False  # another worker's turn, not another attempt at the same work
    degraded: Degraded | None = None  # a person settles for less than the plan says; None: as before


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionStarted(AboutWork):
    branch: str
    base: str
    engine: str  # which engine in which sandbox
    sandbox: str = ""  # the same, for the present of the task; facts of earlier versions do not say it
    went_on: str = ""  # the bot died under this run: whether it goes on or starts again
    notes: tuple[str, ...] = ()  # of the project that it is shown, by their names


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionProgressed(AboutWork):
    turns: int
    seconds: float
    doing: str
    changed: int = 0
    heard: int = 0  # the last wish that it was told
    skills: tuple[str, ...] = ()  # that it was given in this run


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionAsked(MeasuredWork):
    """It waits for a person; the decision that was opened with it says for what."""

    commit: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionAnswered(AboutWork):
    answer: str
    by: tuple[PersonId, ...]  # empty: nobody answered in time, so its default holds


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettled(AboutWork):
    """A person decided on the paths that a minion asked for; it goes on either way."""

    scope: Scope  # as it is from now on
    answer: str
    by: PersonId
    opened: tuple[str, ...] = ()  # locked interfaces that it may change


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionStopped(MeasuredWork):
    """By a person's wish. What it had done is committed on its branch."""

    commit: str
    doing: str = ""
    changes: tuple[Change, ...] = ()  # from where the branch began, as git measures it


@dataclass(frozen=True, slots=True, kw_only=True)
class MinionFailed(MeasuredWork):
    ending: Ending
    problem: str
    commit: str = ""
    patch: str = ""  # the artefact that holds what it had done
    changes: tuple[Change, ...] = ()  # from where the branch began, as git measures it


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkHandedIn(MeasuredWork):
    """Committed work to be judged. What the summary claims counts for nothing."""

    commit: str
    summary: str
    note: str = ""
    base: str = ""
    by: PersonId | None = None  # a person finished it by hand
    problem: str = ""  # why what was left could not be committed: the commit is the one before


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDue(AboutWork):
    """A step of the workflow that looks at the work is to be done."""

    step: str
    visit: int  # how often it was due since a person last had a word in the subtask, this time included


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPassed(MeasuredWork):
    step: str
    commit: str  # the one it looked at, or made
    checked: Checked = field(default_factory=Checked)
    ran: bool = True  # False: a gate that the project does not have


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRefused(MeasuredWork):
    """It goes back to a worker, or to a person; the facts that are recorded with it say which."""

    step: str
    commit: str
    checked: Checked = field(default_factory=Checked)
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksResumed(AboutWork):
    """A person sends refused work back to the step that refused it: something around it was mended."""

    step: str
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksWaived(AboutWork):
    """People go on without what these checks say of this attempt."""

    step: str
    checks: tuple[str, ...]
    by: tuple[PersonId, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsShown(AboutWork):
    """Existing tests that the work changed are shown to a person, as the approved plan allows."""

    step: str
    commit: str
    tests: tuple[ChangedTest, ...]
    keys: tuple[str, ...]  # of all of them, also of those that are too many to be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsAccepted(AboutWork):
    step: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    by: tuple[PersonId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEvaluated(MeasuredWork):
    evaluation: Evaluation
    risk: RiskLevel
    why: tuple[Cause, ...] | str = ""  # what makes it that risky; a sentence in older facts


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePassed(AboutWork):
    """The work may go onto the task's branch. `by` is empty where the risk is low, or the time ran out."""

    by: tuple[PersonId, ...] = ()
    by_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskEscalated(AboutWork):
    """The rules ran out; a person decides with the evidence."""

    why: Cause
    patch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskTaken(AboutWork):
    """A person finishes it by hand, on the subtask's branch."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPublished(AboutWork):
    """The branch that a person took over is where they work; or it could not be brought there."""

    branch: str
    how: str = ""  # what they type to be on it
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskDone(AboutWork):
    commit: str  # tip of the task's branch with this work on it


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskDropped(AboutWork):
    by: PersonId
    why: Cause = ""
    outcome: SubtaskState = SubtaskState.CANCELLED  # failed, or blocked by one that failed; older facts do not say


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCompleted(Event):
    """Every subtask is done or dropped; the whole is ready to be handed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullOpened(Event):
    number: int
    url: str
    head: str
    changes: tuple[Change, ...]
    risk: RiskLevel
    why: tuple[Cause, ...] | str = ""
    into: str = ""  # the branch that it asks to be merged into
    files: int = 0  # that changed, in all; 0 in older facts, where the changes are all there are
    draft: bool = False  # until the outside review is over, or the merge is approved
    notes: tuple[Carried, ...] = ()  # on what was learnt, in a commit of their own on top of the work


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideReviewEnded(Event):
    """A person says that people outside have read the pull request."""

    head: str
    by: tuple[PersonId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeApproved(Event):
    head: str
    by: tuple[PersonId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeFailed(Event):
    """It does not fit on what others did meanwhile, or the forge refused."""

    problem: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(Event):
    commit: str
    into: str
    advice: str = ""  # for whoever works in that branch: what their files still need


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHandedOver(Event):
    """A person takes what there is: branches and a patch."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed(Event):
    """None of its subtasks came to anything, so there is nothing to hand over."""

    reason: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKept(Event):
    """What there was when a person took over."""

    branches: tuple[str, ...]
    patch: str = ""
    how: tuple[str, ...] = ()  # what they type to be on the branches that were brought to where they work
    problems: tuple[str, ...] = ()  # why others could not be
