"""What happens after a fact, in the order in which a task meets it, and the table that chains it.

    intake -> answer, where it is a question about the code; follow_up, for what is said about the answer
    intake -> decompose -> review -> debate, if they disagree -> (a person approves)
    beside planning: prepare_ground, which sets the project up and measures its baseline -> (a person consents)
    -> begin_work -> work -> evaluate -> (a step gate) -> integrate, for each subtask
    -> open_pull -> (a person merges) -> merge
    between subtasks, where they are due -> run_supervisors, and go_on_without them where they take long
    a remark on the way -> understand; while minions work -> weigh_wishes
    a person has a phase taken back -> revert_phase
    a person takes a branch -> publish_branch, takes it all -> keep_work
    for work that an issue asked for, beside all that -> tell_issue

A flow reads the task, does its slow work, and ends by recording facts. It never calls another
flow: the fact it records is what starts the next one, also after a restart.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.project.project import Project
from agents.domain.skills.drafting import makes_skill
from agents.domain.task.decide import to_weigh
from agents.domain.task.reports import PULL_TELLS, TELLS
from agents.domain.task.task import Task
from agents.flows.asking.answer import answer
from agents.flows.decompose import decompose
from agents.flows.deliver import (
    ask_merge,
    keep_work,
    merge,
    open_draft,
    open_pull,
    publish_branch,
    tell_issue,
    tell_pull,
)
from agents.flows.dispatch import begin_work, integrate, resume_work, tidy
from agents.flows.ground import prepare_ground
from agents.flows.hand_edit import check_edit
from agents.flows.intake import follow_up, intake, understand, weigh_wishes
from agents.flows.learning.notes import follow_notes, merge_notes
from agents.flows.learning.skills import check_skill, draft_skill
from agents.flows.phases.revert_phase import clear_phase, revert_phase
from agents.flows.review import debate, review
from agents.flows.steps import evaluate, run_step
from agents.flows.steps.awaiting import await_checks
from agents.flows.supervision.address import address
from agents.flows.supervision.assess import assess, replan
from agents.flows.supervision.run import go_on_without, run_supervisors
from agents.flows.work import work
from agents.ports import Ports

Flow = Callable[[Event, Ports], Coroutine[Any, Any, None]]


class Lane(StrEnum):
    """SHORT: somebody waits for it. LONG: minions and gates, a limited number at once in all and in each project."""

    SHORT = "short"
    LONG = "long"


class Repeats(StrEnum):
    """Jobs that a fact asks for again."""

    HELD_BACK = "held_back"  # those that the task's facts asked for while it was at rest
    PARKED = "parked"  # the one that the fact names


def always(about: Task | Project) -> bool:
    return True


def came_from_issue(task: Task) -> bool:
    return task.request.origin is not None


def is_question(task: Task) -> bool:
    return task.is_question


def is_request(task: Task) -> bool:
    return not task.is_question


def is_planned(task: Task) -> bool:
    """A planner splits it; of a skill code alone makes the plan."""
    return is_request(task) and not makes_skill(task)


def lacks_project(task: Task) -> bool:
    return task.project is None


def has_pull(task: Task) -> bool:
    return bool(task.delivery.pull)


def in_later_round(task: Task) -> bool:
    return task.delivery.rounds > 1


def has_unweighed(task: Task) -> bool:
    return bool(to_weigh(task))


def may_have_learnt(task: Task) -> bool:
    """Supervisors looked at it, or its minions were shown notes."""
    return bool(task.supervision.call) or any(work.notes for work in task.work.subtasks)


def has_notes_pending(project: Project) -> bool:
    return bool(project.learnt.pending)


def has_raised(task: Task) -> bool:
    return task.supervision.raised


def has_diverged(task: Task) -> bool:
    return task.supervision.diverged


@dataclass(frozen=True, slots=True)
class On:
    """What one fact starts. A fact may have several rows; one that starts nothing has a row without a flow."""

    fact: type[Event]
    run: Flow | None = None
    lane: Lane = Lane.SHORT
    counted: bool = False  # towards `limits.task_steps`; what ends a task, or saves its work, is never refused
    aside: bool = False  # may fail without holding up the task; it is tried for longer instead
    at_rest: bool = False  # runs while the task is stopped or snoozed, too
    when: Callable[[Any], bool] = always  # of the task, or of the project where the fact is on its stream
    repeats: Repeats | None = None

    @property
    def is_long(self) -> bool:
        return self.lane is Lane.LONG


# Facts with which people say something to minions at work.
SAYS_WISHES = (e.RemarkMade, e.MinionAnswered, e.ScopeSettled, e.SubtaskReady)

# Facts after which no commit of a task is left to carry a note.
ENDS = (e.Merged, e.TaskHandedOver, e.TaskCancelled, e.TaskFailed)

FLOW_AFTER: tuple[On, ...] = (
    On(e.TaskRequested, run=intake),
    On(e.RequestVouched, run=intake),
    On(e.ChangeWanted, run=intake, when=lacks_project),
    On(e.AnswerWanted, run=intake, when=lacks_project),
    On(e.ProjectChosen, run=answer, counted=True, when=is_question),
    On(e.QuestionAsked, run=answer, counted=True),
    On(e.FollowUpSaid, run=follow_up, counted=True),
    On(e.ProjectChosen, run=decompose, counted=True, when=is_planned),
    On(e.ProjectChosen, run=draft_skill, counted=True, when=makes_skill),
    On(e.ProjectChosen, run=prepare_ground, lane=Lane.LONG, aside=True, when=is_request),  # while the planner reads
    On(e.DecompositionDrafted, run=review, counted=True),
    On(e.FullReviewWanted, run=review, counted=True),
    On(e.VerdictWanted, run=review, counted=True),
    On(e.DecompositionSentBack, run=decompose, counted=True),
    On(e.ReviewersDisagreed, run=debate, counted=True),
    On(e.ClarificationAnswered, run=decompose, counted=True),
    On(e.PlanChangeRequested, run=decompose, counted=True, when=is_planned),
    On(e.PlanChangeRequested, run=draft_skill, counted=True, when=makes_skill),
    On(e.SkillEdited, run=check_skill, counted=True),
    On(e.PlanEdited, run=check_edit, counted=True),
    On(e.RemarkMade, run=understand, at_rest=True),  # a question is answered at any time
    On(e.PlanAccepted, run=begin_work),
    On(e.SetupWanted, run=prepare_ground, lane=Lane.LONG),
    On(e.GroundSettled, run=begin_work),
    On(e.TaskResumed, run=resume_work, repeats=Repeats.HELD_BACK),
    On(e.SubtaskReady, run=work, lane=Lane.LONG, counted=True),
    On(e.MinionAnswered, run=work, lane=Lane.LONG, counted=True),
    On(e.ScopeSettled, run=work, lane=Lane.LONG, counted=True),
    On(e.SubtaskTaken, run=publish_branch),
    On(e.PhaseRevertWanted, run=revert_phase),
    *(On(fact, run=clear_phase, aside=True) for fact in (e.PhaseRestarted, e.PhaseRevertWanted, e.PhaseReverted)),
    On(e.WorkHandedIn, run=evaluate),
    On(e.StepDue, run=run_step, lane=Lane.LONG, counted=True),
    On(e.DraftDue, run=open_draft, aside=True),
    On(e.ChecksAwaited, run=await_checks),
    On(e.GatePassed, run=integrate, counted=True),
    On(e.WorkCompleted, run=open_pull),
    On(e.OutsideReviewEnded, run=ask_merge),
    On(e.MergeApproved, run=merge),
    On(e.TaskHandedOver, run=keep_work),
    On(e.TaskCancelled, run=tidy),
    On(e.SupervisorsCalled, run=run_supervisors, aside=True),
    On(e.SupervisorsAwaited, run=go_on_without),
    On(e.AssessmentDue, run=assess, aside=True),
    On(e.AssessmentDue, run=go_on_without),
    On(e.DriftJudged, run=replan, when=has_diverged),
    On(e.TaskWithdrawn),
    On(e.TaskFailed, run=tidy),
    On(e.JobRetried, at_rest=True, repeats=Repeats.PARKED),
    *(On(fact, run=tell_issue, aside=True, when=came_from_issue) for fact in TELLS),
    On(e.PullOpened, run=tell_pull, aside=True, when=in_later_round),
    *(On(fact, run=tell_pull, aside=True, when=has_pull) for fact in PULL_TELLS),
    *(On(fact, run=weigh_wishes, aside=True, when=has_unweighed) for fact in SAYS_WISHES),
    # After these nothing runs by itself: a person is waited for, the task rests or has ended, or nothing changed.
    On(e.QuestionAnswered),
    On(e.FollowUpSettled),
    On(e.CommandMeant),  # it is said again as a command; see bot/intake/meant_commands.py
    On(e.FollowUpOpened),  # the follow-up has facts of its own
    On(e.RequestCorrected),
    On(e.RequestEdited),
    On(e.WishWeighed),
    On(e.WishSettled),
    On(e.TaskStopped),
    On(e.TaskBackburnered),
    On(e.TaskMuted),
    On(e.DecisionOpened),
    On(e.DecisionVoted),
    On(e.DecisionMade),
    On(e.DecisionHeld),
    On(e.DecisionDeferred),
    On(e.DecisionReminded),
    On(e.DecisionExpired),
    On(e.DecisionSuperseded),
    On(e.DecisionWithdrawn),
    On(e.DebateRoundHeld),  # the debate itself goes on
    On(e.ReviewerTried),
    On(e.PlanningSimplified),  # the same flow asks again
    On(e.OutlineChosen),  # the outline is drafted with it
    On(e.PlanEditRefused),
    On(e.DecompositionApproved),
    On(e.DecompositionBlocked),
    On(e.DecompositionEscalated),
    On(e.ApprovalOffered),
    On(e.TaskAskedAbout),
    On(e.WordsRemoved),
    On(e.BudgetWarned),
    On(e.ModelAskedAgain),
    On(e.ModelDegraded),
    On(e.ModelLacks),
    On(e.GuidanceLeftOut),
    On(e.WorkflowRead),  # the same flow asks the planner
    On(e.BudgetReached),
    On(e.BudgetRaised),
    On(e.WorkBegun),
    On(e.MinionStarted),
    On(e.MinionProgressed),
    On(e.MinionAsked),
    On(e.MinionStopped),
    On(e.StepPassed),
    On(e.StepRefused),
    On(e.ChecksResumed),  # the step that is due is recorded with it
    On(e.ChecksWaived),
    On(e.TestsShown),  # a person is asked
    On(e.TestsAccepted),  # the step that is due is recorded with it
    On(e.DraftOpened),
    On(e.ChecksSeen),
    On(e.WorkEvaluated),
    On(e.BranchPublished),
    On(e.SubtaskDone),
    On(e.SubtaskDropped),
    On(e.PhaseRevertFailed),  # a person is asked
    On(e.PhaseKept),  # subtasks that may start are recorded with it
    On(e.MergeFailed),
    On(e.WorkKept),
    On(e.SetupAllowed),  # the task that it was asked for goes on by SetupWanted
    On(e.EnvironmentReady),
    On(e.EnvironmentFailed),
    On(e.SetupProposed),  # the same flow asks for consent
    On(e.SetupBegun),
    On(e.SetupFailed),
    On(e.GroundNoted),
    On(e.BaselineBegun),
    On(e.BaselineMeasured),
    On(e.WorkCounted),
    On(e.SupervisorSkipped),
    On(e.DirectiveEnded),
    On(
        e.SupervisorsReported, run=address, when=has_raised, at_rest=True
    ),  # subtasks that may start are recorded with it
    On(e.SupervisorsLate),
    On(e.SkillWanted),  # the project is chosen with it, or next
    On(e.SkillDrafted),
    On(e.SkillApproved),  # the plan is accepted with it
    On(e.SkillRejected),  # the task is cancelled with it
    On(e.DirectivesSettled),
    On(e.RemainderDrafted),  # a person is asked
    On(e.RemainderSettled),
    On(e.PolishingBegun),  # as above
    On(e.PolishingEnded),
    On(e.PlanAmended),
    On(e.ProposalMade),
    On(e.ProposalApproved),  # opens a task of its own; see bot/running/new_threads.py
    On(e.ProposalRejected),
    *(On(fact, run=follow_notes, aside=True, when=may_have_learnt) for fact in ENDS),
    On(e.NotesConfirmed, run=follow_notes, aside=True),
    On(e.SupervisorRan, run=follow_notes, aside=True, when=has_notes_pending),
    On(e.NotesMergeApproved, run=merge_notes, aside=True),
    On(e.NotesDiscarded),
    On(e.NotesUsed),
    On(e.NotesProved),
    On(e.NotesOpened),
    On(e.NotesMerged),
    On(e.NotesUnmerged),
)

FLOWS: dict[str, Flow] = {row.run.__name__: row.run for row in FLOW_AFTER if row.run}


def rows_after(fact: type[Event]) -> Sequence[On]:
    return _ROWS[fact]


def row_of(fact: type[Event], flow: str) -> On:
    """The row that asked for a job; an empty one where the table has none any more."""
    return next((row for row in _ROWS[fact] if row.run and row.run.__name__ == flow), On(fact))


COUNTED = frozenset(row.fact for row in FLOW_AFTER if row.counted)
_ROWS = {fact: tuple(row for row in FLOW_AFTER if row.fact is fact) for fact in {row.fact for row in FLOW_AFTER}}
