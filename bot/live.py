"""What runs at this moment and the last that it said: for people who look, in memory only. Nothing is decided on it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    """Where nobody looks it costs next to nothing."""

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

        def heard(last: str) -> None:
            if number in runs:
                runs[number] = replace(runs[number], said=last)
                self._changed(task)

        self._changed(task)
        try:
            yield heard
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
