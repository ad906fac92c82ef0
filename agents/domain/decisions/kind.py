"""A kind of decision: the record that each kind in `kinds` fills in, and what kinds share (asking, reading, ending)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import ChannelPolicy, Kind, Rule
from agents.domain.decisions.decision import Decision, Option, with_letters
from agents.domain.decisions.subject import OfHead, OfPlan, OfStep, Subject
from agents.domain.events import Event
from agents.domain.ids import DecisionId, PersonId, ProjectId
from agents.domain.learning.proposal import Proposal
from agents.domain.learning.signature import Pattern, Signature
from agents.domain.limits import Limits
from agents.domain.metrics.retry_rate import Retried
from agents.domain.planning.work_kind import Took
from agents.domain.project.project import Project
from agents.domain.reason import Cause
from agents.domain.skills.fared import Fared
from agents.domain.supervision.counting import Watching
from agents.domain.supervision.facts import Supervision
from agents.domain.supervision.tuning import OFF, SupervisorSettings
from agents.domain.task.task import Task, TaskState
from agents.domain.work.git_names import PLAIN, GitManners
from agents.domain.workflow.workflow import DEFAULT, Workflow

CANCEL = "cancel"  # an option that many kinds offer: it ends the task, and wants a reason
Facts = list[Event]
S = TypeVar("S", bound="Subject | None")
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When something is decided, what led to it, and under which policy."""

    at: datetime
    cause: str  # a delivery, a job, a timer: derived ids differ between causes
    channel: ChannelPolicy = field(default_factory=ChannelPolicy)
    limits: Limits = field(default_factory=Limits)
    workflow: Callable[[Task], Workflow] = lambda task: DEFAULT  # that its plan is approved under; read when needed
    manners: Callable[[Task], GitManners] = lambda task: PLAIN  # how git is used for it
    budget: float | None = None  # dollars a task may cost, where that is configured
    who: Callable[[PersonId], PersonId] = lambda id: id  # whom an id stands for now: accounts may be linked since
    is_proposed: Callable[[Proposal], bool] = lambda its: False  # whether one like it is open, under way or rejected
    repeated: Callable[[Task, Sequence[Signature]], Sequence[Pattern]] = lambda task, fresh: ()  # that other tasks met
    skills_fared: Callable[[Task], Mapping[str, Fared]] = lambda task: {}  # those it used that help too seldom
    retried: Callable[[Task], Mapping[str, Retried]] = lambda task: {}  # roles of its runs that retry too often
    leaves: bool = False  # what is handed over leaves this machine
    past: Callable[[], Sequence[Took]] = tuple  # what subtasks took that were done lately
    project: Callable[[], Project | None] = lambda: None  # that the task is of, as it is now; None: nothing is known
    supervision: Callable[[Task], SupervisorSettings] = lambda task: OFF  # whether and when supervisors look at it

    def watching(self, task: Task) -> Watching:
        """For what supervisors count."""
        settings = self.supervision(task)
        project = self.project() if settings.enabled else None
        state = project.supervision if project else Supervision()
        return Watching(at=self.at, cause=self.cause, settings=settings, state=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An option of a decision and the people who chose it; nobody, where time did."""

    decision: Decision
    option: Option
    by: tuple[PersonId, ...] = ()
    words: str = ""
    entitled: bool = False  # one of them owns the task or is an approver

    @property
    def person(self) -> PersonId:
        """Whoever chose it, where time cannot."""
        return self.by[0]

    @property
    def answer(self) -> str:
        """In their own words, or in those of the option."""
        return self.words or self.option.label or self.option.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to put to a person."""

    kind: Kind
    options: tuple[Option, ...] = ()  # empty: all that the kind has
    text: str = ""
    evidence: tuple[Cause, ...] = ()
    subject: Subject | None = None
    default: str = ""  # the value that silence takes
    put_to: PersonId | None = None  # None: the task's owner
    project: ProjectId | None = None  # that asks, in the thread of the task; None: the task itself asks
    cause: str = ""  # tells it from other questions of its kind that the same moment leads to


# What a decision leads to: facts, and questions that `table.open_questions` then puts to people.
Follows = Sequence[Event | Question]
Apply = Callable[[Task, S, Chosen, Moment], Follows]
ReadsWords = Callable[[Decision, str], Option | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionKind(Generic[S]):
    """A kind of decision: what it is about, how it can be decided and by whom, and what follows."""

    name: Kind
    rule: Rule | Mapping[RiskLevel, Rule]  # who may decide and what silence means; or one for each risk
    apply: Apply[S]
    subject: type[S] | None = None  # None: the task as such
    options: type[StrEnum] | None = None  # None: people or models name them
    wider: Mapping[str, Rule] = field(default_factory=dict)  # options that grant nothing, and more people may take
    approves: frozenset[str] = _NOTHING  # options that grant; where several people are needed, they need them
    needs_words: frozenset[str] = _NOTHING
    rights: Mapping[str, str] = field(default_factory=dict)  # options that need another rule, and its name
    reads: ReadsWords | None = None  # the option that takes words which name none; None: no option does
    answers: bool = False  # its options are answers in words, so what is said beside one makes another answer
    by_name: frozenset[str] = _NOTHING  # options that are offered only where they are named
    waits: bool = True  # work waits for it, and words can answer it
    leaves_machine: bool = False  # never decided by time, whatever a policy says

    @property
    def cancels(self) -> bool:
        """Whether an option of its own ends the task. One that a model or a person named so means only itself."""
        return self.waits and CANCEL in tuple(self.options or ())

    @property
    def by_risk(self) -> bool:
        return not isinstance(self.rule, Rule)

    def row(self, risk: RiskLevel | None) -> Rule:
        """The rule, for a change of this risk."""
        if isinstance(self.rule, Rule):
            return self.rule
        return self.rule[risk or RiskLevel.LOW]

    def offer(self, *values: str) -> tuple[Option, ...]:
        """These options, with their letters; all there are if none is named, but for those that must be."""
        named = values or tuple(value for value in self.options or () if value not in self.by_name)
        return with_letters(*(self.option(value) for value in named))

    def option(self, value: str) -> Option:
        return Option(
            value=value,
            needs_words=value in self.needs_words or (self.cancels and value == CANCEL),
            right=self.rights.get(value, ""),
            approves=value in self.approves,
        )


FREE = Option(value="")  # an answer in the person's own words


def takes_any_words(decision: Decision, text: str) -> Option | None:
    return FREE


def risk_of(subject: Subject | None) -> RiskLevel | None:
    return subject.risk if isinstance(subject, OfHead | OfStep) else None


def same_option(decision: Decision, value: str) -> Option | None:
    """The option of this value, if it is offered."""
    return next((option for option in decision.options if option.value == value), None)


_ASSENT = re.compile(
    r"(?:y|yes|yep|yeah|ok|okay|sure|fine|allowed?|go ahead|do it|please do|of course|approved?|lgtm|ship it|merge it"
    r"|looks good|sounds good|that(?:'s| is) (?:ok|okay|fine)|👍|✅|\+1)"
    r"(?:[\s,.!]+(?:please|to me|then|thanks|by me|go ahead|do it|allow it|approved?))*",
    re.IGNORECASE,
)


def assents(text: str) -> bool:
    """Whether it is a plain yes, however it is put."""
    return bool(_ASSENT.fullmatch(text.strip().rstrip(".!")))


# No work waits for these, and they stay open when their task has ended.
OUTLIVES = frozenset({Kind.DIRECTIVES, Kind.NOTES, Kind.NOTES_MERGE, Kind.PROPOSAL})


class Withdrawal(StrEnum):
    """Why a question is no longer needed. Earlier versions stored a sentence."""

    SAID_SINCE = "said_since"
    DECIDED = "decided"
    CHANGES = "changes"
    CANCELLED = "cancelled"
    TAKEN_OVER = "taken_over"
    BUDGET = "budget"
    CORRECTED = "corrected"
    EDITED = "edited"
    STUCK = "stuck"
    FAILED = "failed"
    DONE = "done"
    SNOOZED = "snoozed"
    PHASE = "phase"
    REROUTED = "rerouted"
    WITHDRAWN = "withdrawn"


def withdraw(decisions: Sequence[Decision], why: Withdrawal, moment: Moment) -> Facts:
    return [
        e.DecisionWithdrawn(task=d.task, project=d.project, at=moment.at, decision=d.id, why=why) for d in decisions
    ]


def ending_with(task: Task, but: DecisionId | None = None) -> tuple[Decision, ...]:
    """Open decisions that are pointless once their task has ended."""
    return tuple(d for d in task.open if d.id != but and d.kind not in OUTLIVES)


def offers_to_go_on(task: Task) -> tuple[Decision, ...]:
    """The cards of a task that was stopped or snoozed. Where it is blocked meanwhile, their buttons lead nowhere."""
    return tuple(d for d in task.open if d.kind in (Kind.STOPPED, Kind.BACKBURNER))


def cancel_task(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """For the reason that is given with it, or was when cancelling was asked for."""
    asked_for = chosen.decision.question if chosen.decision.kind is Kind.CANCEL else ""
    ended = e.TaskCancelled(task=task.id, at=moment.at, by=chosen.person, reason=chosen.words or asked_for)
    return [ended, *withdraw(ending_with(task, but=chosen.decision.id), Withdrawal.CANCELLED, moment)]


def hand_over(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """A person goes on with what there is."""
    ended = e.TaskHandedOver(task=task.id, at=moment.at, by=chosen.person)
    return [ended, *withdraw(ending_with(task, but=chosen.decision.id), Withdrawal.TAKEN_OVER, moment)]


def resume(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Follows:
    return [e.TaskResumed(task=task.id, at=moment.at, by=chosen.person), *_snoozed_plan(task)]


_ABOUT_PLANS = frozenset({Kind.PLAN, Kind.DEBATE, Kind.NO_PLAN, Kind.CLARIFICATION, Kind.CHANGE, Kind.SKILL_DRAFT})


def _snoozed_plan(task: Task) -> list[Question]:
    """A plan whose own button snoozed the task is asked about again; whatever else was asked has stayed open."""
    draft = task.plan.draft
    if draft is None or task.before_rest is not TaskState.AWAITING_APPROVAL:
        return []
    if any(decision.kind in _ABOUT_PLANS for decision in task.open):
        return []
    return [Question(kind=Kind.PLAN, subject=OfPlan(hash=draft.hash, version=task.plan.number))]


def retry_jobs(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    return [e.JobRetried(task=task.id, at=moment.at, by=chosen.person, job=job) for job in task.parked]
