"""What the query API answers with, and what our own pages are given besides."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agents.domain.decisions.decision import Decision
from agents.domain.ids import Thread
from agents.domain.metrics.run_row import Run
from agents.domain.task.task import Task
from agents.domain.work.outcome import WorkerOutcome
from agents.domain.work.step_times import Times
from bot.cards.opening import Opening
from bot.cards.planning.phase_map import PhaseOnMap, map_of
from bot.cards.planning.wishes import WishRow
from bot.live import Running
from bot.messages import Button, Card, Graph
from bot.network import LookUp
from bot.queries.people_queries import PeopleQueries
from store.running.acts import Act
from store.streams.projections import EvaluationResult


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
class KeptText:
    """A long text of a task: a diff, a patch, a log."""

    text: str
    others: tuple[str, ...] = ()  # names of the other diffs and patches of the task, and its own
    need: Need | None = None  # the open decision that it is shown for
    comments: Button | None = None  # of that decision: what comments on its lines are sent with


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
    runs: tuple[Run, ...] = ()  # of minions, planner and reviewers, oldest first
    workflow: Graph | None = None  # that the task keeps; None until its plan is approved
    wishes: tuple[WishRow, ...] = ()  # of people, oldest first
    subtasks: tuple[tuple[str, ...], ...] = ()  # of its plan: number, title, kind, size, confidence and order
    spent: float = 0.0  # dollars
    times: Times = field(default_factory=dict)  # how long each step took, by subtask

    @property
    def phase_map(self) -> tuple[PhaseOnMap, ...]:
        """The phases of a plan with several, each with its subtasks and what they come to together."""
        return map_of(self.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPage:
    """What is named in the settings, and who changed it; for the operator and admins."""

    projects: tuple[tuple[str, str, str], ...]  # name, where it is, its channel
    people: tuple[tuple[str, str], ...]  # group, and who is in it
    models: tuple[tuple[str, str], ...]  # for what, and which
    acts: tuple[tuple[Act, str], ...]  # newest first, with the name of who did it


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What our own pages show besides what the query API answers."""

    sessions: PeopleQueries
    health: Mapping[str, Endpoint]
    look_up: LookUp | None  # whose a connection is
    opening: Opening
    channels: list[str]  # of the console, without its name; may still change
