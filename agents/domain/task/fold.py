"""A task as its facts leave it: where each fact takes it, and what it changes in each part."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from agents.domain import events as e
from agents.domain.asking.facts import fold as fold_talk
from agents.domain.decisions.decision import still_open
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.fact import Fold
from agents.domain.models.money import fold as fold_money
from agents.domain.phases.facts import fold_phases
from agents.domain.planning.debating import after_round
from agents.domain.planning.facts import at_first, fold as fold_plan
from agents.domain.project.ground import settle
from agents.domain.reason import Reason, Why
from agents.domain.skills.facts import SkillWork
from agents.domain.supervision.facts import fold as fold_supervision
from agents.domain.task.listening import TELLING, Hearing, listen
from agents.domain.task.task import AT_WORK, PLANNING, RESTING, Task, TaskState
from agents.domain.task.wishes import Wish, last_number
from agents.domain.work.fold import evolve as evolve_subtask, fold_delivery, fold_work
from agents.domain.work.work import Work, WorkState

S = TaskState
ABOUT_DECISIONS = (e.DecisionOpened, e.AboutDecision)

# What happens while minions work. One minion may be at it while another's trouble blocks the task.
OF_WORK: tuple[type[Event], ...] = (
    *(kind for kind in e.ALL if issubclass(kind, e.AboutWork)),
    e.WorkBegun,
    e.WorkCompleted,
    e.DraftOpened,
    e.PullOpened,
    e.OutsideReviewEnded,
    e.MergeApproved,
    e.MergeFailed,
    e.PlanAmended,
    e.PhaseRestarted,
    e.PhaseRevertWanted,
    e.PhaseReverted,
    e.PhaseRevertFailed,
    e.PhaseKept,
)

# Before its plan is approved a request may turn out to be a question, or none; and what was taken for one, a request.
ASKABLE = (S.RECEIVED, *PLANNING, S.BLOCKED)
TALK = (S.ANSWERING, S.ANSWERED)
BESIDE = (*(s for s in AT_WORK if s is not S.ANSWERING), *RESTING)  # a question is asked beside other work

# Where a task may be when a fact happens to it, and where that takes it. None: back to where it was before it rested.
TASK_MOVES: dict[tuple[TaskState, type[Event]], TaskState | None] = {
    (S.RECEIVED, e.ProjectChosen): S.DECOMPOSING,
    (S.BLOCKED, e.ProjectChosen): S.BLOCKED,
    (S.ANSWERING, e.ProjectChosen): S.ANSWERING,
    **{(s, e.AnswerWanted): S.ANSWERING for s in (*ASKABLE, *TALK, S.WITHDRAWN)},
    **{(s, e.ChangeWanted): S.RECEIVED for s in (S.RECEIVED, *TALK, S.BLOCKED, S.WITHDRAWN)},
    **{(s, e.QuestionAsked): s for s in BESIDE},
    **{(s, e.QuestionAsked): S.ANSWERING for s in TALK},
    **{(s, e.QuestionAnswered): s for s in BESIDE},
    (S.ANSWERING, e.QuestionAnswered): S.ANSWERED,
    **{(s, e.FollowUpSaid): S.ANSWERING for s in TALK},
    (S.ANSWERING, e.FollowUpSettled): S.ANSWERED,
    **{(s, e.TaskWithdrawn): S.WITHDRAWN for s in (*ASKABLE, *TALK)},
    **{(s, e.TaskStopped): S.PAUSED for s in AT_WORK},
    **{(s, e.TaskBackburnered): S.BACKBURNER for s in (*AT_WORK, S.PAUSED, S.BLOCKED)},
    **{(s, e.TaskResumed): None for s in (S.PAUSED, S.BACKBURNER)},
    **{(s, e.TaskCancelled): S.CANCELLED for s in (*AT_WORK, *RESTING)},
    **{(s, e.JobParked): S.BLOCKED for s in (*AT_WORK, *RESTING)},
    **{(s, e.BudgetReached): S.BLOCKED for s in (*AT_WORK, *RESTING)},
    (S.BLOCKED, e.JobRetried): None,
    **{(s, e.JobRetried): s for s in AT_WORK},  # it was snoozed while it was blocked, and brought back
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
    (S.AWAITING_APPROVAL, e.FullReviewWanted): S.IN_REVIEW,
    (S.AWAITING_APPROVAL, e.VerdictWanted): S.IN_REVIEW,
    **{(s, e.PlanEdited): S.DECOMPOSING for s in (S.AWAITING_APPROVAL, S.BLOCKED)},
    (S.DECOMPOSING, e.PlanEditRefused): S.AWAITING_APPROVAL,
    (S.DECOMPOSING, e.SkillDrafted): S.AWAITING_APPROVAL,
    (S.AWAITING_APPROVAL, e.SkillEdited): S.DECOMPOSING,
    (S.AWAITING_APPROVAL, e.SkillApproved): S.AWAITING_APPROVAL,
    (S.AWAITING_APPROVAL, e.SkillRejected): S.AWAITING_APPROVAL,
    **{(s, e.PlanChangeRequested): S.DECOMPOSING for s in (*PLANNING, S.BLOCKED)},
    **{(s, kind): s for s in (S.RUNNING, S.POLISHING, S.BLOCKED) for kind in OF_WORK},
    (S.RUNNING, e.PolishingBegun): S.POLISHING,
    **{(s, e.PolishingEnded): S.RUNNING for s in (S.RUNNING, S.POLISHING)},
    (S.RUNNING, e.Merged): S.DONE,
    **{(s, e.TaskHandedOver): S.CANCELLED for s in (S.RUNNING, S.POLISHING, *RESTING)},
    **{(s, e.TaskFailed): S.FAILED for s in (S.RUNNING, S.POLISHING, *RESTING)},
}

# Facts that move no task. Those of the second kind may come late, after the task has ended.
STAYS: frozenset[type[Event]] = frozenset(
    {
        e.RequestVouched,
        e.RemarkMade,
        e.RequestCorrected,
        e.RequestEdited,
        e.WishWeighed,
        e.WishSettled,
        e.TaskMuted,
        e.DecisionOpened,
        e.DecisionVoted,
        e.DecisionHeld,
        e.DecisionDeferred,
        e.BudgetWarned,
        e.ModelAskedAgain,
        e.ModelDegraded,
        e.ModelLacks,
        e.GuidanceLeftOut,
        e.WorkflowRead,
        e.BudgetRaised,
        e.TaskAskedAbout,
        e.CommandMeant,
        e.ProposalMade,
        e.SkillWanted,
        e.SetupWanted,
        e.SetupBegun,
        e.SetupFailed,
        e.GroundNoted,
        e.GroundSettled,
        e.BaselineBegun,
        e.BaselineMeasured,
        e.SupervisorsAwaited,
        e.SupervisorsLate,
        e.AssessmentDue,
        e.RemainderDrafted,
        e.RemainderSettled,
        *e.OF_PROJECTS,
    }
)
EVEN_WHEN_ENDED: frozenset[type[Event]] = frozenset(
    {e.DecisionMade, e.DecisionReminded, e.DecisionExpired, e.DecisionSuperseded, e.DecisionWithdrawn, e.WorkKept}
) | frozenset({e.ProposalApproved, e.ProposalRejected, e.ApprovalOffered, e.WordsRemoved, e.FollowUpOpened})
EVEN_WHEN_ENDED |= {e.SupervisorsReported, e.DirectivesSettled, e.DriftJudged}


def replay(history: Iterable[Event]) -> Task:
    """Rebuild a task from its facts."""
    first, *rest = history
    return reduce(evolve, rest, begin(first))


def begin(first: Event) -> Task:
    if not isinstance(first, e.TaskRequested):
        raise IllegalMove(
            f"a task begins with TaskRequested, not with {type(first).__name__}",
            next_step="Run `overlord doctor` to check the log.",
        )
    return Task(id=first.task, request=first.request, changed_at=first.at)


def evolve(task: Task, fact: Event) -> Task:
    """Apply one fact. Raises IllegalMove if it cannot follow from where the task is."""
    state, before_rest = _move(task, fact)
    wishes = _listen(task, fact) if type(fact) in TELLING else task.wishes
    moved = replace(
        task,
        state=state,
        before_rest=before_rest,
        changed_at=fact.at,
        plan=fold_plan(task.plan, fact),
        work=_works(task, fact) if isinstance(fact, e.AboutWork) else fold_phases(fold_work(task.work, fact), fact),
        delivery=fold_delivery(task.delivery, fact),
        money=fold_money(task.money, fact),
        open=still_open(task.open, fact) if isinstance(fact, ABOUT_DECISIONS) else task.open,
        talk=fold_talk(task.talk, fact),
        supervision=fold_supervision(task.supervision, fact),
        wishes=wishes,
        last_wish=max(task.last_wish, last_number(wishes)),
    )
    return fold(moved, fact)


fold = Fold[Task]()
fold.on(e.ProjectChosen)(lambda task, fact: replace(task, project=fact.project, project_why=fact.why))
fold.on(e.AnswerWanted)(lambda task, fact: replace(task, parked=(), problem="", skill=None))
fold.on(e.RequestVouched)(lambda task, fact: replace(task, vouched=True))
fold.on(e.FollowUpOpened)(lambda task, fact: replace(task, followed_by=(*task.followed_by, fact.follow_up)))
fold.on(e.TaskMuted)(lambda task, fact: replace(task, muted=fact.muted))
fold.on(e.TaskCancelled)(lambda task, fact: replace(task, reason=fact.reason))
fold.on(e.TaskFailed)(lambda task, fact: replace(task, reason=fact.reason))
fold.on(e.TaskHandedOver)(lambda task, fact: replace(task, reason=Reason(code=Why.HANDED_OVER)))
fold.on(e.OutlineChosen, e.PlanChangeRequested)(lambda task, fact: replace(task, parked=(), problem=""))
fold.on(e.DecompositionEscalated)(lambda task, fact: replace(task, problem="" if fact.debate else fact.why))
fold.on(e.ClarificationAnswered)(lambda task, fact: replace(task, problem=""))
fold.on(e.MergeFailed)(lambda task, fact: replace(task, problem=fact.problem))
fold.on(e.GroundSettled)(lambda task, fact: replace(task, ground=settle(task.ground, fact)))
fold.on(e.SetupBegun)(lambda task, fact: replace(task, ground=replace(task.ground, setting_up=fact.commands)))
fold.on(e.SetupFailed)(lambda task, fact: replace(task, ground=replace(task.ground, setting_up=0, log=fact.log)))
fold.on(e.GroundNoted)(
    lambda task, fact: replace(task, ground=replace(task.ground, notes=fact.notes, unread=fact.unread))
)
fold.on(e.BaselineBegun)(lambda task, fact: replace(task, ground=replace(task.ground, measuring=True)))
fold.on(e.BaselineMeasured)(lambda task, fact: replace(task, ground=replace(task.ground, baseline=fact.baseline)))
fold.on(e.Merged)(lambda task, fact: replace(task, problem=""))
fold.on(e.ProposalMade)(lambda task, fact: replace(task, proposals=(*task.proposals, fact.proposal)))


@fold.on(e.SkillWanted)
def _(task: Task, fact: e.SkillWanted) -> Task:
    return replace(task, skill=SkillWork(revises=fact.revises))


@fold.on(e.SkillDrafted)
def _(task: Task, fact: e.SkillDrafted) -> Task:
    drafted = SkillWork(
        revises=task.skill.revises if task.skill else "",
        number=fact.number,
        spec=fact.spec,
        edited_by=fact.edited_by,
        folder=fact.folder,
        faults=fact.faults,
        why=fact.why,
        into=fact.into,
        rehearsal=fact.rehearsal,
    )
    return replace(task, skill=drafted, plan=replace(task.plan, proposed=fact.workflow, manners=fact.manners))


@fold.on(e.SkillEdited)
def _(task: Task, fact: e.SkillEdited) -> Task:
    return replace(task, skill=replace(_skill(task, fact), edited=fact.spec, edited_by=fact.by))


@fold.on(e.SkillApproved)
def _(task: Task, fact: e.SkillApproved) -> Task:
    skill = replace(_skill(task, fact), spec=fact.spec, approved_by=fact.by)
    plan = replace(task.plan, draft=fact.plan, number=task.plan.number + 1, rehearsal=skill.rehearsal)
    return replace(task, skill=skill, plan=plan)


@fold.on(e.SkillRejected)
def _(task: Task, fact: e.SkillRejected) -> Task:
    return replace(task, skill=replace(_skill(task, fact), rejected=True))


@fold.on(e.RemarkMade)
def _(task: Task, fact: e.RemarkMade) -> Task:
    return replace(task, remarks=task.remarks + (not (fact.asks and fact.entitled)))


@fold.on(e.ChangeWanted)
def _(task: Task, fact: e.ChangeWanted) -> Task:
    asked = replace(task.request, text=fact.request or task.request.text)
    return replace(task, request=asked, parked=(), problem="")


@fold.on(e.RequestCorrected)
def _(task: Task, fact: e.RequestCorrected) -> Task:
    about = replace(task.request, text=fact.request, hidden=fact.hidden)
    request = replace(about, workflow=fact.workflow, role=fact.role)
    return replace(task, request=request)


@fold.on(e.JobParked)
def _(task: Task, fact: e.JobParked) -> Task:
    plan = at_first(task.plan) if fact.flow == "decompose" else task.plan
    return replace(task, plan=plan, parked=(*task.parked, fact.job), problem=fact.problem)


@fold.on(e.BudgetReached)
def _(task: Task, fact: e.BudgetReached) -> Task:
    return replace(task, parked=(*task.parked, fact.job), problem=Reason(code=Why.BUDGET_USED_UP, names=(fact.budget,)))


@fold.on(e.JobRetried)
def _(task: Task, fact: e.JobRetried) -> Task:
    return replace(task, parked=tuple(job for job in task.parked if job != fact.job), problem="")


@fold.on(e.DebateRoundHeld)
def _(task: Task, fact: e.DebateRoundHeld) -> Task:
    plan = task.plan
    if plan.debate is None or plan.debate.next_round != fact.round.number:
        raise _illegal(task, fact)
    return replace(task, plan=replace(plan, debate=after_round(plan.debate, fact.round)))


@fold.on(e.PlanAccepted)
def _(task: Task, fact: e.PlanAccepted) -> Task:
    drafted = task.plan.draft.subtasks if task.plan.draft else ()
    works = tuple(Work(number=subtask.number) for subtask in drafted)
    return replace(task, problem="", work=replace(task.work, subtasks=works))


@fold.on(e.PlanAmended)
def _(task: Task, fact: e.PlanAmended) -> Task:
    """In the order of the plan; what is done keeps what it came to."""
    known = {work.number: work for work in task.work.subtasks}
    works = tuple(known.get(step.number) or Work(number=step.number) for step in fact.plan.subtasks)
    return replace(task, work=replace(task.work, subtasks=works))


@fold.on(e.ProposalApproved, e.ProposalRejected)
def _(task: Task, fact: e.AboutProposal) -> Task:
    return replace(task, proposals=tuple(p for p in task.proposals if p.id != fact.proposal))


def _skill(task: Task, fact: Event) -> SkillWork:
    if task.skill is None:
        raise _illegal(task, fact)
    return task.skill


def _listen(task: Task, fact: Event) -> tuple[Wish, ...]:
    known = Hearing(
        wishes=task.wishes,
        last=task.last_wish,
        owner=task.request.by,
        in_work=task.in_work,
        open=task.open,
        work=task.work,
    )
    return listen(known, fact)


def _works(task: Task, fact: e.AboutWork) -> WorkState:
    known = task.work.subtasks
    if all(each.number != fact.subtask for each in known):
        raise _illegal(task, fact)
    now = tuple(evolve_subtask(each, fact) if each.number == fact.subtask else each for each in known)
    return replace(task.work, subtasks=now)


def _move(task: Task, fact: Event) -> tuple[TaskState, TaskState]:
    """The state that a fact takes a task to, and the one to come back to where it now rests."""
    kind = type(fact)
    if kind in EVEN_WHEN_ENDED or (kind in STAYS and (task.is_question or not task.has_ended)):
        return task.state, task.before_rest
    if (task.state, kind) not in TASK_MOVES:
        return task.state, _move_at_rest(task, fact)
    to = TASK_MOVES[task.state, kind]
    if to is None:
        return task.before_rest, task.before_rest
    if to in RESTING and task.state not in RESTING:
        return to, task.state
    return to, task.before_rest


def _move_at_rest(task: Task, fact: Event) -> TaskState:
    """Work that was under way when the task was stopped may still report; it goes on from there when it is resumed."""
    to = TASK_MOVES.get((task.before_rest, type(fact)))
    if not task.at_rest or to is None or to in (TaskState.PAUSED, TaskState.BACKBURNER):
        raise _illegal(task, fact)
    return to


def _illegal(task: Task, fact: Event) -> IllegalMove:
    said, act = _WORDS.get(task.state, task.state.replace("_", " ")), _ACTS.get(type(fact), "do that")
    over = "It has ended: mention me with a new request to start again."
    return IllegalMove(
        f"{task.id} is {said}, so I cannot {act} now",
        next_step=over if task.has_ended else "Say `status` to see where it stands.",
    )


_WORDS: dict[str, str] = {
    "paused": "stopped already",
    "backburner": "snoozed",
    "blocked": "waiting for you",
    "awaiting_approval": "waiting for an approval",
    "answering": "a question that is being answered",
    "answered": "a question that was answered",
}
_ACTS: dict[type[Event], str] = {
    e.TaskStopped: "stop it",
    e.TaskResumed: "resume it",
    e.TaskBackburnered: "snooze it",
    e.TaskCancelled: "cancel it",
    e.AnswerWanted: "make a question of it",
    e.ChangeWanted: "make a task of it",
    e.TaskWithdrawn: "withdraw it",
    e.PlanAccepted: "take a plan for it",
}
