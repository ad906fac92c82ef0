"""What the deciding part needs from the world. Adapters implement these; flows receive them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from agents.domain.checks.evaluation import Change
from agents.domain.checks.risk import Risk
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.ids import Account, PersonId, TaskId
from agents.domain.knowledge.note import Carried
from agents.domain.limits import Limits
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.points import Principle
from agents.domain.skills.drafting import Shelf
from agents.domain.skills.skill import Skill
from agents.domain.task.task import Task
from agents.domain.workflow.workflow import DEFAULT, Resolved, Workflow
from agents.ports.asking import (
    AskBrief as AskBrief,
    CodeReader as CodeReader,
    Found as Found,
    GoesOn as GoesOn,
    LookBrief as LookBrief,
    Nearby as Nearby,
    Surroundings as Surroundings,
)
from agents.ports.engines import (
    ADDRESS as ADDRESS,
    TOOLS_ADDRESS as TOOLS_ADDRESS,
    Act as Act,
    Answers as Answers,
    AskProgram as AskProgram,
    Errand as Errand,
    FindProgram as FindProgram,
    Lender as Lender,
    LentModel as LentModel,
    Loan as Loan,
    Program as Program,
)
from agents.ports.judging import (
    Candidate as Candidate,
    Forge as Forge,
    ForgeFailed as ForgeFailed,
    Gates as Gates,
    Issues as Issues,
    Judged as Judged,
    NoDrafts as NoDrafts,
    Pull as Pull,
    PullBook as PullBook,
    PullRecord as PullRecord,
    PullRequest as PullRequest,
    Specialist as Specialist,
    Target as Target,
    Trial as Trial,
)
from agents.ports.knowledge import NO_KNOWLEDGE as NO_KNOWLEDGE, Knowledge as Knowledge
from agents.ports.minions import (
    Asked as Asked,
    Brief as Brief,
    Files as Files,
    Finished as Finished,
    GaveUp as GaveUp,
    Minions as Minions,
    Outcome as Outcome,
    Packs,
    Progress as Progress,
    Turns as Turns,
    WantsScope as WantsScope,
    Watch as Watch,
)
from agents.ports.models import (
    Admitted as Admitted,
    Answered as Answered,
    Ask as Ask,
    Call as Call,
    CallBook as CallBook,
    Converse as Converse,
    Keep as Keep,
    Llm as Llm,
    Look as Look,
    Owed as Owed,
    Retries,
    Said as Said,
    Shape as Shape,
    Spent as Spent,
    Talker as Talker,
    Tool as Tool,
    ToolCall as ToolCall,
    Tried as Tried,
)
from agents.ports.workspace import (
    NOTHING_NEEDED as NOTHING_NEEDED,
    Artefacts as Artefacts,
    Checkout as Checkout,
    CheckoutFailed as CheckoutFailed,
    Checkouts as Checkouts,
    Door as Door,
    EndedBy as EndedBy,
    Ground as Ground,
    Grounds as Grounds,
    Joined as Joined,
    Listener as Listener,
    Live,
    Profile as Profile,
    Projects as Projects,
    ProjectUnusable as ProjectUnusable,
    Ran as Ran,
    Room as Room,
    Sandbox as Sandbox,
    SetUpEnded as SetUpEnded,
    Show as Show,
    Shown as Shown,
    Uncommittable as Uncommittable,
    Undone as Undone,
    Workspace as Workspace,
    show_nothing as show_nothing,
)

Decide = Callable[[Task, Moment], Sequence[Event]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """The job has nothing to do for so long; meanwhile nobody runs it."""

    seconds: float
    facts: Sequence[Event] = ()


class Clock(Protocol):
    """The time. Tests scale it and make it jump."""

    def now(self) -> datetime: ...

    def real_seconds(self, seconds: float) -> float:
        """How long to wait, on the machine's own clock, for so many seconds to pass on this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What happened to a task, what people decided of it and what it cost so far, for texts that outlive it."""

    facts: Sequence[tuple[str, Event]] = ()  # each with its hash, oldest first
    decisions: Sequence[Decision] = ()  # that are closed, oldest first
    names: Mapping[PersonId, str] = field(default_factory=dict)  # of whoever asked or decided, where one is known
    spent: float = 0.0  # dollars


class Store(Protocol):
    """The log of facts, as one job sees it."""

    async def task(self, id: TaskId) -> Task:
        """The task as its facts leave it now."""

    async def note(self, id: TaskId, decide: Decide) -> Task:
        """Append facts while the job goes on, and return the task as it is then. Raises StaleLease."""

    async def accounts(self, person: PersonId) -> Sequence[Account]:
        """Under which a person is known."""

    async def name(self, person: PersonId) -> str:
        """What a person is called; empty if they are not known."""

    async def history(self, id: TaskId) -> History: ...

    async def surroundings(self, id: TaskId) -> Surroundings:
        """What stands around the task's request, as far as its owner may see it."""

    async def until(self, id: TaskId, holds: Callable[[Task], bool]) -> Task:
        """Wait for the task to be so."""

    async def record(self, id: TaskId, decide: Decide) -> None:
        """Load the task, decide, append the facts and end the job, all in one transaction.

        A decision is a plain function, so nothing slow can be awaited inside the transaction.
        """

    async def record_or_wait(self, id: TaskId, decide: Callable[[Task, Moment], Sequence[Event] | Later]) -> None:
        """As `record`; or the facts are appended and the same job comes again later, which is no failure of it."""


class Texts(Protocol):
    """Words for git and forges."""

    def pull_text(self, task: Task, history: History) -> tuple[str, str]:
        """Title and body of a pull request."""

    def commit_text(self, task: Task, number: int, summary: str = "") -> str:
        """What a commit of one subtask says in the history. `summary`: of whoever did the work."""

    def merge_text(self, task: Task, history: History) -> str: ...

    def audit_text(self, task: Task, history: History) -> str:
        """Who did and decided what, each line with the hash that the log has for it."""

    def join_text(self, task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
        """What stands in the history where a subtask's work comes in."""

    def revert_text(self, task: Task, number: int, commit: str) -> str:
        """What stands in the history where a subtask's work is taken back."""

    def notes_text(self, task: Task, carried: Sequence[Carried]) -> str:
        """What a commit of notes says, and the pull request that holds it alone: a line, and the rest."""

    def issue_comment(self, task: Task, fact: Event) -> str: ...

    def pull_comment(self, task: Task, fact: Event) -> str: ...


class Shelves(Protocol):
    """The skills of projects, as they are committed on the branch that work is for."""

    async def shelf(self, project: str) -> Shelf:
        """Where they are, and what calls for each."""

    async def read(self, project: str) -> Sequence[Skill]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything a flow may touch, made once in bot/app.py."""

    store: Store
    projects: Projects
    llm: Llm
    specialists: Sequence[Specialist]
    limits: Limits
    checkouts: Checkouts
    minions: Minions
    reader: CodeReader
    gates: Gates
    forge: Forge
    texts: Texts
    issues: Issues
    artefacts: Artefacts
    packs: Packs
    skills: Shelves
    retries: Retries
    resolve: Callable[[Task, str], Awaitable[Resolved]]  # the workflow, with what its project adds on such a branch
    live: Live
    risk: Callable[[Sequence[Change], float | None], Risk]  # of a change with such a coverage
    identity_of: Callable[[Sequence[Account]], str] = lambda accounts: ""  # how git is told of somebody, if it may be
    grounds: Grounds = NOTHING_NEEDED
    workflow: Callable[[Task], Workflow] = lambda task: DEFAULT  # the current one; a task may keep an older one
    worker_roles: Callable[[], Mapping[str, str]] = dict  # that may do a subtask, each with what it is for
    unfit: Callable[[str, Subtask], str] = lambda role, subtask: ""  # why a role cannot do a subtask; empty: it can
    gates_of: Callable[[str], Sequence[str]] = lambda role: ()  # that must pass before a reviewer reads the work
    principles: Sequence[Principle] = ()  # that plans are held against
    knowledge: Knowledge = NO_KNOWLEDGE
