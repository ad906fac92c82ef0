"""The life of a task: one table of states, one fold from facts to the present."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import reduce
from typing import Any

from agents.domain import events as e
from agents.domain.changes import changed
from agents.domain.decisions import fold as ledger
from agents.domain.decisions.authority import BESIDE, OUTLIVES, Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.ids import DecisionId, PersonId, TaskId, Thread
from agents.domain.learning.proposal import Proposal
from agents.domain.planning import fold as plan_changes
from agents.domain.planning.debate import Debate, after_round
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.ladder import Level
from agents.domain.planning.verdicts import Review
from agents.domain.task.illegal import illegal
from agents.domain.task.origin import Mandate, Origin
from agents.domain.work import fold as work_changes
from agents.domain.work.work import Heard, Work
from agents.domain.workflow.workflow import Workflow


class TaskState(StrEnum):
    RECEIVED = "received"
    DECOMPOSING = "decomposing"
    IN_REVIEW = "in_review"
    AWAITING_APPROVAL = "awaiting_approval"
    RUNNING = "running"
    POLISHING = "polishing"
    DONE = "done"
    BLOCKED = "blocked"
    BACKBURNER = "backburner"
    PAUSED = "paused"
    FAILED = "failed"
    CANCELLED = "cancelled"


S = TaskState
ENDED = frozenset({S.DONE, S.FAILED, S.CANCELLED})
AT_WORK = (S.RECEIVED, S.DECOMPOSING, S.IN_REVIEW, S.AWAITING_APPROVAL, S.RUNNING, S.POLISHING)
RESTING = (S.BLOCKED, S.BACKBURNER, S.PAUSED)
PLANNING = (S.DECOMPOSING, S.IN_REVIEW, S.AWAITING_APPROVAL)

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
) | frozenset({e.ProposalApproved, e.ProposalRejected, e.ApprovalOffered})
MOST_SAID = 20


@dataclass(frozen=True, kw_only=True)  # no slots: it is copied for every fact
class Task:
    """The present of one task. What grows without end stays in the log; this stays small."""

    id: TaskId
    request: str
    owner: PersonId
    thread: Thread
    channel: str
    requested_at: datetime
    changed_at: datetime
    hidden: int = 0  # unseen characters that were taken out of the request
    origin: Origin | None = None  # the issue it came from
    direct: bool = False  # asked for in a direct message
    mandate: Mandate | None = None  # the proposal it carries out
    vouched: bool = False  # somebody outside asked for it, and a person takes it on
    state: TaskState = S.RECEIVED
    before_rest: TaskState = S.RECEIVED
    project: str | None = None  # None: not chosen yet; empty: none is configured
    project_why: str = ""
    open: tuple[Decision, ...] = ()
    remarks: int = 0
    muted: bool = False
    parked: tuple[str, ...] = ()  # jobs that were given up, until a person asks for them again
    problem: str = ""
    reason: str = ""
    plan: Decomposition | None = None
    plan_number: int = 0
    plan_level: Level = Level.PRIMARY  # how far planning had to be degraded (M222)
    plan_level_why: str = ""
    previous_plan: Decomposition | None = None  # what the reader of a changed plan has seen
    estimate: float = 0.0
    rehearsal: bool = False
    review: Review | None = None
    debate: Debate | None = None
    tries: int = 0  # decompositions since a person last had a word in it
    feedback: tuple[str, ...] = ()  # what the next decomposition must heed
    accepted_plan: str = ""  # hash
    workflow: Workflow | None = None  # that the plan was accepted under (M244)
    budget: float | None = None  # raised by a person, above the configured one
    raised: tuple[tuple[str, float], ...] = ()  # how far this task may go into the budgets it shares with others
    budgets_warned: tuple[str, ...] = ()
    guidance_left_out: tuple[tuple[str, str], ...] = ()  # files of the project's guidance, and why each was
    degraded: tuple[str, ...] = ()  # models that had to stand in for preferred ones
    works: tuple[Work, ...] = ()  # one a subtask, once the plan is accepted
    branch: str = ""  # where the subtasks' work is brought together
    base: str = ""  # the commit it began from
    into: str = ""  # the branch it began from, and will be merged into
    said: tuple[Heard, ...] = ()  # by entitled people while minions work: the last few
    pull: int = 0
    pull_url: str = ""
    head: str = ""  # of the pull request
    merged_into: str = ""
    proposals: tuple[Proposal, ...] = ()  # that it gave rise to and nobody has decided on yet

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def at_rest(self) -> bool:
        """By a person's wish: what is under way may end, and nothing new begins."""
        return self.state in (S.PAUSED, S.BACKBURNER)

    @property
    def in_planning(self) -> bool:
        """It has a project and no accepted plan, also while it rests."""
        return (self.before_rest if self.state in RESTING else self.state) in PLANNING

    @property
    def questions(self) -> tuple[Decision, ...]:
        """Open decisions that work waits for: neither the standing controls nor proposals nor what asks about words."""
        return tuple(d for d in self.open if d.kind not in BESIDE and d.kind not in OUTLIVES)

    @property
    def in_work(self) -> bool:
        """Its plan is accepted and it has not ended, also while it rests."""
        return (self.before_rest if self.state in RESTING else self.state) is S.RUNNING

    def work(self, number: int) -> Work:
        return next(work for work in self.works if work.number == number)

    def subtask(self, number: int) -> Subtask:
        assert self.plan is not None
        return next(subtask for subtask in self.plan.subtasks if subtask.number == number)

    def is_closing(self, number: int) -> bool:
        """Whether a subtask is the one that judges the whole."""
        return self.plan is not None and self.plan.is_closing(number)

    def decision(self, id: DecisionId) -> Decision | None:
        return next((d for d in self.open if d.id == id), None)

    def of_kind(self, kind: Kind) -> Decision | None:
        return next((d for d in self.open if d.kind is kind), None)


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
    return Task(
        id=first.task,
        request=first.request,
        owner=first.by,
        thread=first.thread,
        channel=first.channel,
        hidden=first.hidden,
        origin=first.origin,
        direct=first.direct,
        mandate=first.mandate,
        requested_at=first.at,
        changed_at=first.at,
    )


def evolve(task: Task, event: Event) -> Task:
    """Apply one fact. Raises IllegalMove if it cannot follow from where the task is."""
    changes = {**_move(task, event), "changed_at": event.at}
    if isinstance(event, e.DecisionOpened | e.AboutDecision):
        changes["open"] = _ledger(task, event)
    elif isinstance(event, e.AboutWork):
        changes["works"] = _works(task, event)
    elif more := _CHANGES.get(type(event)):
        changes |= more(task, event)
    return changed(task, changes)


# What a fact changes beside the state; the others change nothing else.
_CHANGES: dict[type[Event], Callable[[Task, Any], dict[str, Any]]] = {
    **plan_changes.CHANGES,
    e.ProjectChosen: lambda task, fact: {"project": fact.project, "project_why": fact.why},
    e.RequestVouched: lambda task, fact: {"vouched": True},
    e.RemarkMade: lambda task, fact: {
        "remarks": task.remarks + (not (fact.asks and fact.entitled)),
        **_heard(task, fact.text, fact),
    },
    e.RequestCorrected: lambda task, fact: {
        "request": fact.request,
        "hidden": fact.hidden,
        **_heard(task, f"The request was corrected. It is now: {fact.request}", None),
    },
    e.TaskMuted: lambda task, fact: {"muted": fact.muted},
    e.TaskCancelled: lambda task, fact: {"reason": fact.reason},
    e.JobRetried: lambda task, fact: {"parked": tuple(job for job in task.parked if job != fact.job), "problem": ""},
    e.BudgetReached: lambda task, fact: {
        "parked": (*task.parked, fact.job),
        "problem": f"the budget of {fact.budget} is used up",
    },
    e.ModelDegraded: lambda task, fact: {"degraded": (*task.degraded, fact.model)},
    e.GuidanceLeftOut: lambda task, fact: {"guidance_left_out": (*task.guidance_left_out, (fact.file, fact.why))},
    e.BudgetWarned: lambda task, fact: {"budgets_warned": (*task.budgets_warned, fact.budget)},
    e.BudgetRaised: lambda task, fact: (
        {"raised": (*((name, most) for name, most in task.raised if name != fact.budget), (fact.budget, fact.limit))}
        if fact.budget
        else {"budget": fact.limit}
    ),
    e.ReviewersDisagreed: lambda task, fact: {
        "review": fact.review,
        "debate": Debate(began=fact.review, now=fact.review, most=fact.rounds),
    },
    e.DebateRoundHeld: lambda task, fact: {"debate": _argued(task, fact)},
    e.WorkBegun: lambda task, fact: {"branch": fact.branch, "base": fact.base, "into": fact.into},
    e.PullOpened: lambda task, fact: {
        "pull": fact.number,
        "pull_url": fact.url,
        "head": fact.head,
        "into": fact.into or task.into,
    },
    e.MergeFailed: lambda task, fact: {"problem": fact.problem},
    e.Merged: lambda task, fact: {"head": fact.commit, "merged_into": fact.into, "problem": ""},
    e.TaskHandedOver: lambda task, fact: {"reason": "handed over"},
    e.TaskFailed: lambda task, fact: {"reason": fact.reason},
    e.ProposalMade: lambda task, fact: {"proposals": (*task.proposals, fact.proposal)},
    **dict.fromkeys(
        (e.ProposalApproved, e.ProposalRejected),
        lambda task, fact: {"proposals": tuple(p for p in task.proposals if p.id != fact.proposal)},
    ),
}


def _heard(task: Task, text: str, remark: e.RemarkMade | None) -> dict[str, Any]:
    """What minions at work must be told: the words of entitled people, and that the request is another one."""
    if not task.in_work or (remark is not None and (remark.asks or not remark.entitled)):
        return {}
    number = task.said[-1].number + 1 if task.said else 1
    heard = Heard(number=number, text=text, urgent=remark is None or remark.urgent)
    return {"said": (*task.said, heard)[-MOST_SAID:]}


def _works(task: Task, event: e.AboutWork) -> tuple[Work, ...]:
    if all(work.number != event.subtask for work in task.works):
        raise _illegal(task, event)
    return tuple(work_changes.evolve(w, event) if w.number == event.subtask else w for w in task.works)


def _argued(task: Task, fact: e.DebateRoundHeld) -> Debate:
    if task.debate is None or task.debate.next_round != fact.round.number:
        raise _illegal(task, fact)
    return after_round(task.debate, fact.round, task.request, task.plan.paths if task.plan else ())


def _ledger(task: Task, event: e.DecisionOpened | e.AboutDecision) -> tuple[Decision, ...]:
    if isinstance(event, e.DecisionOpened):
        if task.decision(event.decision.id):
            raise _illegal(task, event)
        return (*task.open, event.decision)
    known = task.decision(event.decision)
    if known is None:
        raise _illegal(task, event)
    now = ledger.evolve(known, event)
    after = (now if d.id == now.id else d for d in task.open)
    return tuple(d for d in after if d.state is DecisionState.OPEN)


def _move(task: Task, event: Event) -> dict[str, Any]:
    """The state that a fact takes a task to, and the one to come back to where it now rests."""
    kind = type(event)
    if kind in EVEN_WHEN_ENDED or (kind in STAYS and not task.ended):
        return {}
    if (task.state, kind) not in TASK_MOVES:
        return _moved_while_resting(task, event)
    to = TASK_MOVES[task.state, kind]
    if to is None:
        return {"state": task.before_rest}
    if to in RESTING and task.state not in RESTING:
        return {"state": to, "before_rest": task.state}
    return {"state": to}


def _moved_while_resting(task: Task, event: Event) -> dict[str, Any]:
    """Work that was under way when the task was stopped may still report; it goes on from there when it is resumed."""
    to = TASK_MOVES.get((task.before_rest, type(event)))
    if not task.at_rest or to in (None, S.PAUSED, S.BACKBURNER):
        raise _illegal(task, event)
    return {"before_rest": to}


def _illegal(task: Task, event: Event) -> IllegalMove:
    return illegal(task.id, task.state, event, ended=task.ended)
