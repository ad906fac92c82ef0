"""What the console and the CLI may ask and do. Both go through here, so both see and decide the same."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from agents.domain.decisions.decision import Decision
from agents.domain.ids import Account, PersonId, TaskId, Thread
from agents.domain.learning.proposal import Listed
from agents.domain.task.task import Task
from agents.domain.work.outcome import WorkerOutcome
from agents.domain.work.work import SubtaskState, phase_state
from bot.live import Running
from bot.messages import Card, Delivery
from bot.network import LookUp
from store.chat.sessions import Session
from store.streams.evaluations import EvaluationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    status: int = 200
    media: str = "text/plain; charset=utf-8"


Endpoint = Callable[[], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message in a thread: a person's words, or a card of the bot."""

    id: str
    thread: Thread
    at: datetime
    by: str = ""  # the name to show; empty for the bot
    text: str = ""
    card: Card | None = None
    edited: bool = False
    seen: bool = False  # the bot has noticed it
    private: bool = False  # only the reader sees it
    mine: bool = False  # the reader wrote it on this surface, so they may change it


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A thread as one person sees it."""

    thread: Thread
    channel: str  # "console:general"
    messages: tuple[Message, ...]
    task: Task | None = None
    more: int = 0  # replies that this view leaves out


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """An open decision as a card with its buttons, and whether the one who asks may make it."""

    decision: Decision
    task: Task
    card: Card
    mine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One fact of a task, in words."""

    version: int
    at: datetime
    kind: str
    words: str
    by: str = ""  # name of the person it is attributed to
    hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    task: Task
    owner: str  # name
    status: Card
    needs: tuple[Need, ...]
    timeline: tuple[TimelineEntry, ...]  # oldest first
    more: int = 0  # older facts left out
    kept: tuple[str, ...] = ()  # names of diffs, patches and logs
    outcomes: tuple[WorkerOutcome, ...] = ()  # of all runs that ended and of their reviewers
    running: tuple[Running, ...] = ()  # at this moment
    evaluations: tuple[EvaluationResult, ...] = ()  # how each attempt was judged, oldest first

    @property
    def phases(self) -> tuple[tuple[int, SubtaskState], ...]:
        """The phases of a plan with several, each with what its subtasks come to together."""
        plan, works = self.task.plan.draft, self.task.work.subtasks
        if plan is None or not works or len(plan.phases) == 1:
            return ()
        here = {
            number: [work.state for work in works if self.task.plan.subtask(work.number).phase == number]
            for number in plan.phases
        }
        return tuple((number, phase_state(states)) for number, states in here.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What became of a delivery, where that was soon known."""

    refused: bool
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """The part of a list that is wanted."""

    search: str = ""
    skip: int = 0
    most: int | None = None  # None: all of them


EVERYTHING = Portion()


class Sessions(Protocol):
    """Who is signed in. Asked at every request, so that whatever ends has ended."""

    async def begin_session(self, session: Session, token_hash: str) -> bool:
        """False: that is not the token of this login. The hash is a SHA-256, as 64 hex digits."""

    async def find_session(self, key: str) -> Session | None: ...

    async def sessions(self, login: str) -> Sequence[Session]: ...

    async def end_sessions(self, login: str, id: str = "") -> int: ...

    async def administers(self, account: Account) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What our own pages show besides what the query API answers."""

    sessions: Sessions
    health: Mapping[str, Endpoint]
    look_up: LookUp | None  # whose a connection is
    suggestions: Sequence[str]  # of what to ask for; may still change


class QueryApi(Protocol):
    async def hear(self, delivery: Delivery) -> Heard | None:
        """Take a delivery. It is stored when this returns; None: what it meant is not known yet."""
        ...

    async def channel(self, channel: str, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Conversation]:
        """The latest threads of a channel, oldest first, each with its first message and its last few replies."""
        ...

    async def conversation(self, thread: Thread, viewer: Account) -> Conversation | None: ...

    async def tasks(
        self, viewer: Account, *, ended: bool = False, limit: int | None = None, search: str = "", before: int = 0
    ) -> Sequence[Task]:
        """Tasks that this person may see, newest first; with `ended`, those that have ended too.

        `before`: only those with smaller numbers.
        """
        ...

    async def page(self, task: TaskId, viewer: Account, before: int | None = None) -> TaskPage | None:
        """None where there is no such task, and where this person may not see it: they cannot tell which.

        `before`: its timeline ends with the fact before this one.
        """
        ...

    async def kept_text(self, task: TaskId, name: str, viewer: Account) -> str | None:
        """A long text that was kept of a task: a diff, a patch, a log."""
        ...

    async def pull(self, project: str, number: int, viewer: Account) -> TaskId | None:
        """The task that a pull request of the local forge is of."""
        ...

    async def count_needs(self, viewer: Account) -> int:
        """How much waits for this person."""
        ...

    async def needs(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        """What waits for this person, oldest first."""
        ...

    async def waiting(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        """What waits for anybody, of tasks that this person may see, oldest first. Some of them have ended."""
        ...

    async def proposals(self, viewer: Account, *, pending: bool) -> Sequence[Listed]:
        """What tasks that this person may see gave rise to, oldest first; `pending`: and nobody has decided on."""
        ...

    async def name_of(self, viewer: Account) -> str: ...

    async def names(self, people: Collection[PersonId]) -> Mapping[PersonId, str]:
        """What to call each of these people."""
        ...

    async def audible(self, names: frozenset[str], viewer: Account) -> frozenset[str]:
        """Of what changed, what this person may hear of."""
        ...

    async def live(self, task: TaskId, viewer: Account) -> Sequence[Running]:
        """What runs for a task at this moment; nothing where this person may not see it."""
        ...

    def looking(self, task: TaskId) -> AbstractContextManager[asyncio.Event]:
        """Set, while somebody looks, when `live` has something else to say. Whoever waits for it clears it."""
        ...

    def changes(self) -> AsyncIterator[frozenset[str]]:
        """What changed, as it changes: threads ("console:general:…"), tasks ("T-3"), "needs". Never ends by itself."""
        ...
