"""The present of a task, and the table of its states."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from agents.domain.asking.facts import TalkState
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.ids import DecisionId, TaskId
from agents.domain.learning.proposal import Proposal
from agents.domain.models.money import MoneyState
from agents.domain.planning.facts import PlanState
from agents.domain.project.ground import GroundState
from agents.domain.reason import Cause
from agents.domain.skills.facts import SkillWork
from agents.domain.supervision.facts import SupervisionState
from agents.domain.task.facts import Request
from agents.domain.task.wishes import Wish
from agents.domain.work.work import DeliveryState, WorkState


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
    ANSWERING = "answering"  # it is a question about the code, and a run looks for the answer
    ANSWERED = "answered"  # has ended, and goes on with the next word in its thread
    WITHDRAWN = "withdrawn"  # it was no request


S = TaskState
ENDED = frozenset({S.DONE, S.FAILED, S.CANCELLED, S.ANSWERED, S.WITHDRAWN})
AT_WORK = (S.RECEIVED, S.DECOMPOSING, S.IN_REVIEW, S.AWAITING_APPROVAL, S.RUNNING, S.POLISHING, S.ANSWERING)
RESTING = (S.BLOCKED, S.BACKBURNER, S.PAUSED)
PLANNING = (S.DECOMPOSING, S.IN_REVIEW, S.AWAITING_APPROVAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The present of one task. What grows without end stays in the log; this stays small."""

    id: TaskId
    request: Request
    vouched: bool = False  # somebody outside asked for it, and a person takes it on
    changed_at: datetime
    state: TaskState = S.RECEIVED
    before_rest: TaskState = S.RECEIVED
    project: str | None = None  # None: not chosen yet; empty: none is configured
    project_why: Cause = ""
    plan: PlanState = field(default_factory=PlanState)
    work: WorkState = field(default_factory=WorkState)
    delivery: DeliveryState = field(default_factory=DeliveryState)
    money: MoneyState = field(default_factory=MoneyState)
    open: tuple[Decision, ...] = ()
    wishes: tuple[Wish, ...] = ()  # of people, since the request
    last_wish: int = 0  # its number, also where it turned out to be none
    remarks: int = 0
    muted: bool = False
    parked: tuple[str, ...] = ()  # jobs that were given up, until a person asks for them again
    problem: Cause = ""
    reason: Cause = ""  # why it was cancelled
    ground: GroundState = field(default_factory=GroundState)
    talk: TalkState = field(default_factory=TalkState)
    followed_by: tuple[TaskId, ...] = ()  # what was asked for in its thread after its end
    skill: SkillWork | None = None  # that it makes, and nothing else; code alone says so
    proposals: tuple[Proposal, ...] = ()  # that it gave rise to and nobody has decided on yet
    supervision: SupervisionState = field(default_factory=SupervisionState)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    @property
    def is_question(self) -> bool:
        """About the code: what is said in its thread goes on with it, also once it is answered."""
        return self.state in (S.ANSWERING, S.ANSWERED)

    @property
    def at_rest(self) -> bool:
        """By a person's wish: what is under way may end, and nothing new begins."""
        return self.state in (S.PAUSED, S.BACKBURNER)

    @property
    def in_planning(self) -> bool:
        """It has a project and no accepted plan, also while it rests."""
        return (self.before_rest if self.state in RESTING else self.state) in PLANNING

    @property
    def in_work(self) -> bool:
        """Its plan is accepted and it has not ended, also while it rests."""
        return (self.before_rest if self.state in RESTING else self.state) in (S.RUNNING, S.POLISHING)

    @property
    def is_working(self) -> bool:
        """Subtasks may start: it rests nowhere."""
        return self.state in (S.RUNNING, S.POLISHING)

    def decision(self, id: DecisionId) -> Decision | None:
        return next((d for d in self.open if d.id == id), None)

    def of_kind(self, kind: Kind) -> Decision | None:
        return next((d for d in self.open if d.kind is kind), None)
