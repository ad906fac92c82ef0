"""A desk without a store: it remembers in lists and answers by a short script, so that the console can be tested."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option, with_letters
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, PersonId, TaskId, Thread, derive_id
from agents.domain.learning.proposal import Listed
from agents.domain.metrics.figures import Metrics, measure
from agents.domain.metrics.run_row import Run
from agents.domain.planning.plan_faults import Fault
from agents.domain.task.facts import Request
from agents.domain.task.task import Task, TaskState
from agents.domain.text.redact import Redactor
from agents.domain.work.outcome import WorkerOutcome
from agents.ports import Listener
from bot.cards.replies import QueueStatus
from bot.live import Live, Running
from bot.messages import Button, Card, Choice, Delivery, Edited, Graph, Pressed, Row, Said, Style, Tone
from bot.queries import (
    EVERYTHING,
    Conversation,
    Heard,
    KeptText,
    Message,
    NamedPage,
    Need,
    Portion,
    TaskPage,
    TimelineEntry,
)
from bot.queries.learning import LearntSection
from bot.queries.metrics_queries import DAYS, EngineChoice
from bot.queries.query_api import MESSAGES_SHOWN, QueryApi
from bot.queries.role_queries import RolesShown
from store.streams.projections import EvaluationResult

LAST_REPLIES = 3
PLAN = with_letters(
    Option(value="approve", approves=True), Option(value="change", needs_words=True), Option(value="cancel")
)
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class Kept:
    """What the desk remembers of one thread."""

    channel: str
    messages: list[Message] = field(default_factory=list)
    authors: dict[str, Account] = field(default_factory=dict)
    private_to: dict[str, Account] = field(default_factory=dict)
    task: TaskId | None = None


class ScriptedDesk(QueryApi):
    """A request opens a task with a plan to approve; a press decides it once."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.heard: list[Delivery] = []
        self.threads: dict[Thread, Kept] = {}
        self.open_tasks: dict[TaskId, Task] = {}
        self.status: dict[TaskId, Card] = {}
        self.asked: dict[DecisionId, Need] = {}
        self.timelines: dict[TaskId, list[TimelineEntry]] = {}
        self.problem: OverlordError | None = None
        self.faults: tuple[Fault, ...] = ()  # of the next form
        self.texts: dict[tuple[TaskId, str], str] = {}
        self.outcomes: tuple[WorkerOutcome, ...] = ()
        self.evaluations: tuple[EvaluationResult, ...] = ()
        self.listed_runs: tuple[Run, ...] = ()
        self.workflow: Graph | None = None
        self.queue_status = QueueStatus(paused_by="", paused_at=None, waiting=())
        self.named_page = NamedPage(projects=(("shop", "/src/shop", ""),), people=(), models=(), acts=())
        self.learnt: tuple[LearntSection, ...] = ()
        self.roles_shown = RolesShown(kinds={}, sources=())
        self.choices: tuple[EngineChoice, ...] = ()
        self.measured = measure((), (), START, START)
        self.diff_of = "T-1.diff"  # what an open decision is shown for
        self.clock = START
        self.answers = True  # whether a request is answered at all
        self._names = names or {"ana": "Ana"}
        self.now = Live()  # what runs
        self._waiting: set[asyncio.Queue[frozenset[str]]] = set()

    # ── the QueryApi ────────────────────────────────────────────────────────────────────────────────────────────────

    async def hear(self, delivery: Delivery) -> Heard | None:
        if self.problem:
            raise self.problem
        if any(known.key == delivery.key for known in self.heard):
            return None
        self.heard.append(delivery)
        match delivery:
            case Said():
                self._said(delivery)
            case Edited():
                self._edited(delivery)
            case Pressed():
                return self._pressed(delivery)
        return None

    async def channel(self, channel: str, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Conversation]:
        newest = [thread for thread, kept in reversed(self.threads.items()) if kept.channel == channel]
        threads = newest[portion.skip :][: portion.most][::-1]
        return [self._shortened(self._seen_by(thread, viewer), LAST_REPLIES) for thread in threads]

    async def conversation(self, thread: Thread, viewer: Account, last: int = MESSAGES_SHOWN) -> Conversation | None:
        return self._shortened(self._seen_by(thread, viewer), last) if thread in self.threads else None

    async def tasks(
        self, viewer: Account, *, ended: bool = False, limit: int | None = None, search: str = "", before: int = 0
    ) -> Sequence[Task]:
        shown = [
            t for t in reversed(self.open_tasks.values()) if (ended or not t.has_ended) and search in t.request.text
        ]
        return [t for t in shown if not before or int(t.id[2:]) < before][:limit]

    async def page(self, task: TaskId, viewer: Account, before: int | None = None) -> TaskPage | None:
        if task not in self.open_tasks:
            return None
        needs = tuple(need for need in self.asked.values() if need.task.id == task)
        found = self.open_tasks[task]
        return TaskPage(
            task=found,
            owner=self._names.get(found.request.by, found.request.by),
            status=self.status[task],
            needs=needs,
            timeline=tuple(self.timelines[task]),
            kept=tuple(sorted(name for of, name in self.texts if of == task)),
            outcomes=self.outcomes,
            evaluations=self.evaluations,
            runs=self.listed_runs,
            workflow=self.workflow,
            running=await self.now.running(task, Redactor()),
        )

    async def check_form(self, token: str, words: str) -> tuple[Fault, ...]:
        return self.faults

    async def find_kept(self, task: TaskId, name: str, viewer: Account) -> KeptText | None:
        if (task, name) not in self.texts:
            return None
        others = tuple(sorted(each for of, each in self.texts if of == task and each.endswith((".diff", ".patch"))))
        need = next((need for need in self.asked.values() if need.task.id == task and name == self.diff_of), None)
        buttons = need.card.buttons if need else ()
        comments = next((button for button in buttons if button.asks), None)
        return KeptText(text=self.texts[task, name], others=others, need=need, comments=comments)

    async def find_named(self, viewer: Account) -> NamedPage | None:
        return self.named_page if viewer == "console:ana" else None

    async def pull(self, project: str, number: int, viewer: Account) -> TaskId | None:
        return TaskId("T-1") if (project, number) == ("sample", 1) else None

    async def queue(self) -> QueueStatus:
        return self.queue_status

    async def count_needs(self, viewer: Account) -> int:
        return len(self.asked)

    async def needs(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        found = [need for need in self.asked.values() if portion.search in need.task.request.text]
        return found[portion.skip :][: portion.most]

    async def waiting(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        return await self.needs(viewer, portion)

    async def roles(self) -> RolesShown:
        return self.roles_shown

    async def engine_choices(self) -> Sequence[EngineChoice]:
        return self.choices

    async def metrics(self, days: float = DAYS) -> Metrics:
        return replace(self.measured, since=self.measured.until - timedelta(days=days))

    async def learning(self, viewer: Account) -> Sequence[LearntSection]:
        return self.learnt

    async def proposals(self, viewer: Account, *, pending: bool) -> Sequence[Listed]:
        return []

    async def name_of(self, viewer: Account) -> str:
        return self._name(viewer)

    async def names(self, people: Collection[PersonId]) -> Mapping[PersonId, str]:
        return {person: self._names.get(person, person) for person in people}

    async def audible(self, names: frozenset[str], viewer: Account) -> frozenset[str]:
        mine = f"console:@{viewer.partition(':')[2]}:"
        return frozenset(name for name in names if not name.startswith("console:@") or name.startswith(mine))

    async def live(self, task: TaskId, viewer: Account) -> Sequence[Running]:
        return await self.now.running(task, Redactor())

    def looking(self, task: TaskId) -> AbstractContextManager[asyncio.Event]:
        return self.now.looking(task)

    async def changes(self) -> AsyncIterator[frozenset[str]]:
        queue: asyncio.Queue[frozenset[str]] = asyncio.Queue()
        self._waiting.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._waiting.discard(queue)

    # ── what a test does with it ────────────────────────────────────────────────────────────────────────────────

    def tick(self, minutes: float = 1) -> datetime:
        self.clock += timedelta(minutes=minutes)
        return self.clock

    def changed(self, *names: str) -> None:
        for queue in self._waiting:
            queue.put_nowait(frozenset(names))

    def runs(self, command: str, subtask: int = 1, gate: str = "") -> AbstractContextManager[Listener]:
        """A command of T-1, for as long as the block runs."""
        return self.now.of(TaskId("T-1"), subtask, lambda: self.clock)(command, gate)

    def write(self, thread: Thread, channel: str, by: Account, text: str, id: str = "") -> Message:
        """A person's message, as if heard earlier."""
        kept = self.threads.setdefault(thread, Kept(channel))
        id = id or derive_id(thread, str(len(kept.messages)))
        kept.authors[id] = by
        message = Message(id=id, thread=thread, at=self.tick(), by=self._name(by), text=text)
        kept.messages.append(message)
        self.changed(thread)
        return message

    def post(self, thread: Thread, card: Card, to: Account | None = None) -> Message:
        kept = self.threads[thread]
        id = derive_id(thread, "card", str(len(kept.messages)))
        if to:
            kept.private_to[id] = to
        message = Message(id=id, thread=thread, at=self.tick(), card=card, private=to is not None)
        kept.messages.append(message)
        self.changed(thread)
        return message

    def alter(self, thread: Thread, id: str, **change: object) -> None:
        """Edit a message in place: card=…, seen=True."""
        messages = self.threads[thread].messages
        at = next(at for at, message in enumerate(messages) if message.id == id)
        messages[at] = replace(messages[at], **change)  # type: ignore[arg-type]
        self.changed(thread)

    def open_task(
        self, thread: Thread, request: str, owner: str = "ana", *, state: TaskState = TaskState.AWAITING_APPROVAL,
        project: str | None = "shop",
    ) -> Task:  # fmt: skip
        id = TaskId(f"T-{len(self.open_tasks) + 1}")
        channel = self.threads[thread].channel
        asked = Request(text=request, by=PersonId(owner), thread=thread, channel=channel, at=self.clock)
        task = Task(id=id, state=state, changed_at=self.clock, project=project, request=asked)
        self.open_tasks[id] = task
        self.threads[thread].task = id
        self.status[id] = Card(title=f"{id} · {request}")
        self.timelines[id] = []
        self.record(id, "TaskRequested", f"Asked for: {request}", self._names.get(owner, owner))
        return task

    def record(self, task: TaskId, kind: str, words: str, by: str = "") -> None:
        timeline = self.timelines[task]
        version = len(timeline) + 1
        hash = derive_id("fact", task, str(version)).lower()
        timeline.append(TimelineEntry(version=version, at=self.tick(), kind=kind, words=words, by=by, hash=hash))
        self.changed(task)

    def ask(self, task: Task, card: Card, kind: Kind = Kind.PLAN) -> Need:
        """Open a decision and post its card; the card's buttons must name `card.decision`."""
        assert card.decision is not None
        decision = Decision(
            id=card.decision, task=task.id, kind=kind, options=PLAN, put_to=task.request.by, opened_at=self.clock
        )
        need = Need(decision=decision, task=task, card=card)
        self.asked[card.decision] = need
        self.post(task.request.thread, card)
        self.changed("needs", task.id)
        return need

    # ── the script ──────────────────────────────────────────────────────────────────────────────────────────────

    def _said(self, said: Said) -> None:
        message = self.write(said.thread, said.channel, said.by, said.text, said.message)
        heard = said.mentions_bot or said.direct
        if heard and said.thread.endswith(f":{said.message}") and self.answers:
            self.alter(said.thread, message.id, seen=True)
            task = self.open_task(said.thread, said.text, said.by.partition(":")[2])
            self.post(said.thread, self.status[task.id])
            self.ask(task, plan_card(task))

    def _edited(self, edited: Edited) -> None:
        self.alter(edited.thread, edited.message, text=edited.text, edited=True)

    def _pressed(self, pressed: Pressed) -> Heard:
        choice = Choice.of(pressed.token)
        need = self.asked.get(choice.decision) if choice else None
        if need is None or choice is None:
            told = Card(title="This was already decided by Ana", text="Nothing is left to do here.", tone=Tone.BAD)
            self.post(pressed.thread, told, to=pressed.by)
            return Heard(refused=True, words=told.fallback)
        del self.asked[choice.decision]
        word = need.decision.option(choice.letter).value
        after = Card(title=f"{need.task.id}: {word} by {pressed.name}", text=pressed.words, tone=Tone.GOOD)
        for message in list(self.threads[need.task.request.thread].messages):
            if message.card and message.card.decision == choice.decision:
                self.alter(need.task.request.thread, message.id, card=after)
        self.record(need.task.id, "DecisionMade", f"Decided: {word}", pressed.name)
        self.changed("needs", need.task.id, need.task.request.thread)
        return Heard(refused=False, words="")

    def _seen_by(self, thread: Thread, viewer: Account) -> Conversation:
        kept = self.threads[thread]
        messages = tuple(
            replace(m, mine=kept.authors.get(m.id) == viewer)
            for m in kept.messages
            if kept.private_to.get(m.id, viewer) == viewer
        )
        task = self.open_tasks[kept.task] if kept.task else None
        return Conversation(thread=thread, channel=kept.channel, messages=messages, task=task)

    def _shortened(self, whole: Conversation, last: int) -> Conversation:
        first, replies = whole.messages[:1], whole.messages[1:]
        left_out = max(0, len(replies) - last)
        return replace(whole, messages=(*first, *replies[left_out:]), more=left_out)

    def _name(self, account: Account) -> str:
        login = account.partition(":")[2]
        return self._names.get(login, login.capitalize())


def plan_card(task: Task, title: str = "", cause: str = "plan") -> Card:
    """A plan to approve, with a form and a confirmation behind two of its buttons."""
    decision = DecisionId(derive_id("decision", task.id, cause))
    return Card(
        title=title or f"Plan for {task.id}: two subtasks",
        text="1. Add the limiter\n2. Wire it into the API, after 1",
        rows=(Row(label="Critic", value="PROCEED"), Row(label="Custodiet", value="OK")),
        buttons=(
            Button(label="Approve plan", choice=Choice(decision=decision, letter="a"), style=Style.PRIMARY),
            Button(label="Request changes", choice=Choice(decision=decision, letter="b"), asks="What should change?"),
        ),
        more=(
            Button(
                label="Cancel task",
                choice=Choice(decision=decision, letter="c"),
                style=Style.DANGER,
                confirm="Cancel this task? Its branch is kept.",
            ),
        ),
        tone=Tone.ASKING,
        decision=decision,
        fingerprint=f"print-{decision}",
    )
