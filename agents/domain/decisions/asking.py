"""Opening and withdrawing decisions, and the moment at which anything is decided."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.domain import events as e
from agents.domain.decisions.authority import OUTLIVES, ChannelPolicy, Kind
from agents.domain.decisions.decision import Decision, Option, decision_id, timed
from agents.domain.events import Event
from agents.domain.ids import DecisionId, PersonId, ProjectId
from agents.domain.limits import Limits
from agents.domain.project.project import Project
from agents.domain.task.task import Task
from agents.domain.workflow.workflow import DEFAULT, Workflow

Facts = list[Event]
REASON = "Why? The reason is kept with the task."
OUTLINE = Option(value="outline", right=Kind.PLAN)  # M222: where there is no plan; whoever may approve one may take it


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When something is decided, what led to it, and under which policy."""

    at: datetime
    cause: str  # a delivery, a job, a timer: derived ids differ between causes
    channel: ChannelPolicy = field(default_factory=ChannelPolicy)
    limits: Limits = field(default_factory=Limits)
    workflow: Callable[[], Workflow] = lambda: DEFAULT  # that new plans are approved under; read when first needed
    budget: float | None = None  # dollars a task may cost, where that is configured
    who: Callable[[PersonId], PersonId] = lambda id: id  # whom an id stands for now: accounts may be linked since
    is_proposed: Callable[[str], bool] = lambda likeness: False  # whether one like it is open, under way or rejected
    leaves: bool = False  # what is handed over leaves this machine
    project: Callable[[], Project | None] = lambda: None  # that the task is of, as it is now; None: nothing is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to put to a person."""

    kind: Kind
    options: tuple[Option, ...]
    text: str = ""
    evidence: tuple[str, ...] = ()
    subject: str = ""
    version: int = 0  # of the plan that is asked about
    default: str = ""  # the value that silence takes
    put_to: PersonId | None = None  # None: the task's owner
    project: ProjectId | None = None  # that asks, in the thread of the task; None: the task itself asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An option and the people who chose it; nobody, where time did."""

    option: Option
    by: tuple[PersonId, ...] = ()
    words: str = ""


def ask(task: Task, question: Question, moment: Moment) -> Facts:
    """Open a decision, put to the task's owner or to whom the question says."""
    decision = Decision(
        id=decision_id(task.id, question.kind, moment.cause),
        task=task.id,
        project=question.project,
        kind=question.kind,
        options=question.options,
        question=question.text,
        evidence=question.evidence,
        subject=question.subject,
        version=question.version,
        put_to=question.put_to or task.request.by,
        opened_at=moment.at,
        default=next((o.letter for o in question.options if o.value == question.default), ""),
    )
    opened = timed(decision, moment.channel, moment.limits)
    return [e.DecisionOpened(task=task.id, project=question.project, at=moment.at, decision=opened)]


def withdraw(decisions: Sequence[Decision], why: str, moment: Moment) -> Facts:
    return [
        e.DecisionWithdrawn(task=d.task, project=d.project, at=moment.at, decision=d.id, why=why) for d in decisions
    ]


def ending_with(task: Task, but: DecisionId | None = None) -> tuple[Decision, ...]:
    """Open decisions that are pointless once their task has ended; what no work waited for can still be decided."""
    return tuple(d for d in task.open if d.id != but and d.kind not in OUTLIVES)


def offers_to_go_on(task: Task) -> tuple[Decision, ...]:
    """The cards of a task that was stopped or laid aside. Where it is blocked meanwhile, their buttons lead nowhere."""
    return tuple(d for d in task.open if d.kind in (Kind.STOPPED, Kind.BACKBURNER))


def supersede(old: Decision, task: Task, question: Question, moment: Moment) -> Facts:
    """What was shown has changed: the old card says so, a new one asks."""
    opened = ask(task, question, moment)
    new = decision_id(task.id, question.kind, moment.cause)
    return [e.DecisionSuperseded(task=task.id, project=old.project, at=moment.at, decision=old.id, by=new), *opened]
