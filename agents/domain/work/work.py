"""The work on subtasks: where each stands, what may be written, what runs came to, and how the whole is delivered."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from agents.domain.checks.evaluation import ChangedTest, Checked, Evaluation, RiskLevel, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.ids import PersonId, TaskId
from agents.domain.knowledge.owners import Carried
from agents.domain.reason import Cause, Reason, Why
from agents.domain.work.commit_style import CommitStyle


class SubtaskState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    EVALUATING = "evaluating"
    DONE = "done"
    NEEDS_HUMAN = "needs_human"
    PAUSED = "paused"
    FAILED = "failed"  # its attempts came to nothing, and a person dropped it
    BLOCKED = "blocked"  # it never began, for it needs one that failed
    CANCELLED = "cancelled"


# Once a subtask is in one of these, nothing more will come of it.
DROPPED = frozenset({SubtaskState.FAILED, SubtaskState.BLOCKED, SubtaskState.CANCELLED})
SETTLED = DROPPED | {SubtaskState.DONE}


def phase_state(states: Collection[SubtaskState]) -> SubtaskState:
    """A phase is as its subtasks are: first what needs a person, then what moves, then how they ended."""
    for state in (SubtaskState.NEEDS_HUMAN, SubtaskState.RUNNING, SubtaskState.EVALUATING, SubtaskState.PAUSED):
        if state in states:
            return state
    if SETTLED.issuperset(states):
        ends = (SubtaskState.DONE, SubtaskState.FAILED, SubtaskState.BLOCKED, SubtaskState.CANCELLED)
        return next(state for state in ends if state in states)
    return SubtaskState.RUNNING if SETTLED.intersection(states) else SubtaskState.PENDING


class Ending(StrEnum):
    """Why a run ended without work to judge."""

    BLOCKED = "blocked"  # task_blocked: it says that it cannot be done
    TURNS = "turns"
    ERRORS = "errors"  # three tool errors in a row
    TIMEOUT = "timeout"
    NO_SANDBOX = "no_sandbox"
    NO_GROUND = "no_ground"  # its folder or what it may write cannot be read: ours to mend, not the minion's blocker
    NO_ANSWER = "no_answer"  # the model
    TOO_LONG = "too_long"  # what it was told is longer than its model takes
    CONFLICT = "conflict"  # its commits do not fit on what others did meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePause:
    """While there is one nothing new is given to minions and gates; what has begun goes on."""

    by: PersonId
    at: datetime


class Degraded(StrEnum):
    """How much less than the plan says a person settled for, after attempts that failed."""

    CORE = "core"  # only what the subtask is for, without its edges
    STUB = "stub"  # the interfaces, with a TODO wherever something is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A check that people went on without."""

    step: str
    check: str
    by: tuple[PersonId, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTests:
    """Changed tests that a person was asked to accept; of their texts only the first are kept here."""

    step: str
    commit: str
    tests: tuple[ChangedTest, ...]
    names: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedTests:
    names: tuple[str, ...]
    keys: tuple[str, ...]  # each stands for one test, as it was and as it is
    by: tuple[PersonId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """Checks of the forge that a step waits for."""

    step: str
    commit: str
    since: datetime
    checked: Checked  # what the step found before
    waiting: tuple[str, ...] = ()  # those that have not ended, as far as they are known
    ended: int = 0
    problem: str = ""  # why they could not be read the last time


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The present of one subtask, as the task remembers it."""

    number: int
    state: SubtaskState = SubtaskState.PENDING
    queued: bool = False  # its turn has come; a minion is on the way
    attempt: int = 0  # the run that is under way or was the last
    first: int = 1  # the run that it began with, or will begin with; a later one where a person had it begin anew
    onward: tuple[int, ...] = ()  # of those runs, who went on where another worker had ended
    tries: int = 0  # attempts since a person last had a word in it
    branch: str = ""
    base: str = ""  # the commit the branch began from
    commit: str = ""  # the last one on the branch
    joins: bool = False  # its commit is on the way onto the task's branch
    joined: tuple[tuple[str, str], ...] = ()  # what is on the task's branch of it: commits, and what each began from
    scope: Scope = field(default_factory=lambda: Scope(mode=ScopeMode.EXPLICIT))
    opened: tuple[str, ...] = ()  # locked interfaces that a person let it change
    feedback: tuple[str, ...] = ()  # what was found wrong, for the next attempt; what people want is in the wishes
    questions: int = 0  # asked in this attempt
    answer: str = ""  # to the question the run waits for
    settled: tuple[str, ...] = ()  # questions that nobody answered, each with the default that holds
    turns: int = 0
    seconds: float = 0.0
    doing: str = ""  # in a few words, for the status card
    changed: int = 0  # files
    heard: int = 0  # the number of the last wish that the minion was told
    skills: tuple[str, ...] = ()  # that its minions were given, in all attempts
    notes: tuple[str, ...] = ()  # of the project that its minions were shown, in all attempts
    engine: str = ""  # which engine in which sandbox its last minion had
    went_on: str = ""  # what became of the run when the bot died under it
    summary: str = ""  # what whoever handed it in says of it
    note: str = ""  # for those who come after, at most 500 characters
    problem: Cause = ""
    patch: str = ""  # name of the kept patch
    worker: str = ""  # the step whose minion worked last; empty: the first of the workflow
    step: str = ""  # where it is in its workflow
    visits: dict[str, int] = field(default_factory=dict)  # how often each step was due since a person had a word in it
    checked: Checked = field(default_factory=Checked)  # what steps found since the work was handed in
    uncommitted: str = ""  # why what was left could not be committed
    awaits: Awaited | None = None
    evaluation: Evaluation | None = None
    trees: tuple[str, ...] = ()  # of what was judged; empty where a gate refused it for good
    risk: RiskLevel | None = None
    by_time: bool = False  # nobody looked at it while its gate was open
    waived: tuple[Waiver, ...] = ()  # in this attempt
    degraded: Degraded | None = None  # since a person settled for less
    tests_shown: ShownTests | None = None
    tests_accepted: tuple[AcceptedTests, ...] = ()  # in all attempts: what was accepted is told by its content

    @property
    def is_settled(self) -> bool:
        """Nothing more will come of it."""
        return self.state in SETTLED

    @property
    def has_begun(self) -> bool:
        """Since a person last had it begin anew."""
        return self.attempt >= self.first

    @property
    def was_reverted(self) -> bool:
        """What it brought was taken back; it may come again."""
        taken_back = isinstance(self.problem, Reason) and self.problem.code is Why.REVERTED
        return self.state is SubtaskState.CANCELLED and taken_back

    @property
    def contribution(self) -> tuple[tuple[str, str], ...]:
        """What it has on the task's branch; earlier versions did not note it."""
        done = self.state is SubtaskState.DONE and self.commit
        return self.joined or (((self.commit, self.base),) if done else ())

    def attempt_of(self, run: int) -> int:
        """Which attempt a run belongs to: several workers of a workflow may take turns in one."""
        first = self.first if run >= self.first else 1
        return run - first + 1 - sum(1 for number in self.onward if first <= number <= run)

    @property
    def spoilt(self) -> bool:
        """A secret was committed. A branch goes with its history, so this one goes nowhere."""
        judged = self.evaluation
        if judged is None or judged.attempt != self.attempt:
            return False
        return any(gate.name == "secrets" and gate.score is Score.FAIL for gate in judged.gates)


def begin_anew(work: Work) -> Work:
    """As if nobody had begun, but for the numbers of its runs, and what it has on the task's branch."""
    if not work.has_begun and work.state is SubtaskState.PENDING:
        return work
    return Work(
        number=work.number,
        attempt=work.attempt,
        first=work.attempt + 1,
        onward=work.onward,
        joined=work.contribution,
        skills=work.skills,
        notes=work.notes,
        tests_accepted=work.tests_accepted,
    )


def run_key(task: TaskId, subtask: int, attempt: int) -> str:
    """Names one run: its transcript, its checkout, its logs."""
    return f"{task}.{subtask}-{attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverting:
    """A phase that is being taken back: no subtask starts meanwhile."""

    phase: int
    subtasks: tuple[int, ...]
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkState:
    subtasks: tuple[Work, ...] = ()  # once the plan is accepted
    branch: str = ""  # where the subtasks' work is brought together
    base: str = ""  # the commit it began from
    into: str = ""  # the branch it began from, and will be merged into
    co_author: str = ""  # that its commits name
    style: CommitStyle = field(default_factory=CommitStyle)  # of the project's commits
    reverting: Reverting | None = None

    def on(self, number: int) -> Work:
        return next(work for work in self.subtasks if work.number == number)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryState:
    pull: int = 0
    url: str = ""  # of the pull request
    head: str = ""  # that the merge is asked for; of an early draft none is
    draft: bool = False
    early: str = ""  # the head of a draft that was opened before the work was finished; empty once it is
    rounds: int = 0  # how often finished work was handed over
    anew: bool = False  # a phase was begun anew or taken back since, so it is handed over again
    notes: tuple[Carried, ...] = ()  # that the head brings in, beside the work
    advice: str = ""  # for whoever works in the branch that it was merged into
    merged_into: str = ""
