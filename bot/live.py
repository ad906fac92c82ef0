"""For whoever looks now: what changed in the store, and what runs at this moment. In memory only."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import count

from agents.domain.ids import TaskId
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, one_line
from agents.ports import Listener, Show

LINES, CHARACTERS, COMMAND = 20, 4_000, 160  # that are shown
APART = 0.4  # seconds between two pictures of one task
_REMEMBERED = 64  # texts that need not be searched for secrets again for the next reader
_MARKS = frozenset(".FEsxX")  # one for each test, and no word


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One command of a minion or a gate, as it is at this moment."""

    number: int
    subtask: int
    command: str
    since: datetime
    gate: str = ""  # the one that runs it, if it is no minion
    said: str = ""


class Live:
    """Commands that run, and the last they said. Where nobody looks it costs next to nothing."""

    def __init__(self) -> None:
        self._running: dict[TaskId, dict[int, Running]] = {}
        self._lookers: dict[TaskId, set[asyncio.Event]] = {}
        self._due: set[TaskId] = set()
        self._numbers = count(1)
        self._one_at_a_time = asyncio.Lock()  # many threads that search would hold up the loop

    def of(self, task: TaskId, subtask: int, now: Callable[[], datetime]) -> Show:
        return partial(self._show, task, subtask, now)

    def runs(self, task: TaskId) -> bool:
        return task in self._running

    async def running(self, task: TaskId, redact: Redact) -> tuple[Running, ...]:
        """Harmless to show: secrets are looked for only in what somebody looks at."""
        runs = sorted(self._running.get(task, {}).values(), key=lambda run: (run.subtask, run.number))
        if not runs:
            return ()
        async with self._one_at_a_time:
            return await asyncio.to_thread(lambda: tuple(_shown(run, redact) for run in runs))

    @contextmanager
    def looking(self, task: TaskId) -> Iterator[asyncio.Event]:
        """An event that is set when there is something else to see. Whoever waits for it clears it."""
        event = asyncio.Event()
        self._lookers.setdefault(task, set()).add(event)
        try:
            yield event
        finally:
            self._lookers[task].discard(event)
            if not self._lookers[task]:
                del self._lookers[task]

    @contextmanager
    def _show(
        self, task: TaskId, subtask: int, now: Callable[[], datetime], command: str, gate: str = ""
    ) -> Iterator[Listener]:
        number, runs = next(self._numbers), self._running.setdefault(task, {})
        runs[number] = Running(number=number, subtask=subtask, command=command, gate=gate, since=now())

        def listen(last: str) -> None:
            if number in runs:
                runs[number] = replace(runs[number], said=last)
                self._changed(task)

        self._changed(task)
        try:
            yield listen
        finally:
            del runs[number]
            if not runs:
                del self._running[task]
            self._changed(task)

    def _changed(self, task: TaskId) -> None:
        if task in self._lookers and task not in self._due:
            self._due.add(task)
            asyncio.get_running_loop().call_later(APART, self._wake, task)

    def _wake(self, task: TaskId) -> None:
        self._due.discard(task)
        for event in self._lookers.get(task, ()):
            event.set()


def _shown(run: Running, redact: Redact) -> Running:
    return replace(run, command=one_line(clean(redact(run.command)), COMMAND), said=last_lines(redact, run.said))


@lru_cache(_REMEMBERED)
def last_lines(redact: Redact, said: str) -> str:
    """The last lines, without secrets. What may be half of one is not shown until the rest is there."""
    lines = redact(_whole_words(said)).rstrip().split("\n")
    return "\n".join(lines[-LINES:])[-CHARACTERS:].strip("\n")


def _whole_words(said: str) -> str:
    before, _, line = said.rpartition("\n")
    words, _, last = line.rpartition(" ")
    return said if _MARKS.issuperset(last) else f"{before}\n{words}"


class ChangeNotifier:
    """Tells listeners on the event loop what was committed; `notify` may be called from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Queue[frozenset[str]]] = set()
        self._wakes: list[tuple[frozenset[str], asyncio.Event]] = []

    def attach(self) -> None:
        """Changes are told on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def wake_on(self, topics: frozenset[str], event: asyncio.Event) -> None:
        self._wakes.append((topics, event))

    def notify(self, topics: frozenset[str]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._spread, topics)

    def notify_all(self) -> None:
        """On its own loop: nobody can say what changed, so everybody looks."""
        for _, event in self._wakes:
            event.set()
        for queue in self._listeners:
            queue.put_nowait(frozenset({"needs"}))

    def _spread(self, topics: frozenset[str]) -> None:
        for wanted, event in self._wakes:
            if wanted & topics:
                event.set()
        for queue in self._listeners:
            queue.put_nowait(topics)

    async def changes(self) -> AsyncIterator[frozenset[str]]:
        """What changed, as it changes; what piled up meanwhile comes at once. The first is empty and comes at once."""
        queue: asyncio.Queue[frozenset[str]] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield frozenset()
            while True:
                topics = await queue.get()
                while not queue.empty():
                    topics |= queue.get_nowait()
                yield topics
        finally:
            self._listeners.discard(queue)
