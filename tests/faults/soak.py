"""Fifty people busy at once in one program, and a heartbeat that says how long its loop was ever held up (P11)."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from agents.domain.ids import Account, Thread
from agents.llm.gateway import Gateway
from bot.app import Program, running
from bot.config.settings_source import load_settings
from bot.messages import Button, Pressed, Said
from bot.queries import Conversation
from tests.fakes.clock import ScaledClock
from tests.fakes.ports import free_port
from tests.faults.console_trial import SCALE, furnished

BEAT = 0.005  # seconds
REMARKS = 5
CHANNEL = "console:general"
_WORST = re.compile(r"^overlord_loop_worst_stall_seconds (\S+)$", re.MULTILINE)


@dataclass
class Soaked:
    """Times in seconds."""

    tasks: int
    worst: float = 0.0  # by our heartbeat
    busy: float = 0.0  # the longest the loop worked without a pause, in its own time, whoever else uses the machine
    told: float = 0.0  # by the program's own
    pages: int = 0
    took: float = 0.0


class Busy:
    """One person: asks for work, chooses, remarks, cancels, always waiting to see what came of it."""

    def __init__(self, program: Program, number: int) -> None:
        self._desk, self._clock = program.queries, program.services.clock
        self._me = Account(f"console:busy-{number}")
        self._thread = Thread(f"{CHANNEL}:busy-{number}")
        self._sent = 0

    async def talk(self) -> None:
        await self._say("add a health check", mention=True)
        await self._press("which project is this for?", "api")
        for number in range(REMARKS):
            await self._say(f"mind the old clients, part {number}")
        await self._say("cancel because that was only a soak")
        await self._press("?", "Cancel")
        await self._until_cancelled()

    async def _say(self, text: str, *, mention: bool = False) -> None:
        key, now = self._key(), self._clock.now()
        said = Said(
            key=key, thread=self._thread, channel=CHANNEL, message=key, by=self._me, text=text, mentions_bot=mention,
            at=now,
        )  # fmt: skip
        await self._desk.hear(said)

    async def _press(self, title: str, label: str) -> None:
        message, button = await self._found(title, label)
        pressed = Pressed(
            key=self._key(), thread=self._thread, channel=CHANNEL, message=message, by=self._me,
            token=button.choice.token, at=self._clock.now(),
        )  # fmt: skip
        heard = await self._desk.hear(pressed)
        assert heard is None or not heard.refused, heard

    async def _found(self, title: str, label: str) -> tuple[str, Button]:
        async for conversation in self._changes():
            for message in conversation.messages:
                for button in message.card.buttons if message.card else ():
                    if message.card and message.card.title.endswith(title) and button.label.startswith(label):
                        return message.id, button
        raise AssertionError("changes never end")

    async def _until_cancelled(self) -> None:
        async for conversation in self._changes():
            if conversation.task and conversation.task.has_ended:
                return

    async def _changes(self) -> AsyncIterator[Conversation]:
        """One's own thread, each time something happens in it."""
        async for names in self._desk.changes():
            if not names or self._thread in names:
                conversation = await self._desk.conversation(self._thread, self._me)
                if conversation:
                    yield conversation

    def _key(self) -> str:
        self._sent += 1
        return f"{self._me}:{self._sent}"


@asynccontextmanager
async def beating(soaked: Soaked) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            before, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT)
            soaked.worst = max(soaked.worst, time.perf_counter() - before - BEAT)
            soaked.busy = max(soaked.busy, time.thread_time() - worked)

    heart = asyncio.create_task(beat())
    try:
        yield
    finally:
        heart.cancel()


async def soak(home: Path, tasks: int = 50) -> Soaked:
    """Everybody talks; meanwhile somebody reads the pages, whose making is work for the loop too.

    What a first question to a model loads (three seconds, in a thread) is loaded before: it holds a loop up as well.
    """
    await Gateway().warm()
    port, soaked = free_port(), Soaked(tasks)
    settings = load_settings({"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": str(port)}, cwd=furnished(home))
    async with (
        running(settings, clock=ScaledClock(SCALE, time.time())) as program,
        httpx.AsyncClient(base_url=program.address, verify=False, timeout=60) as browser,
    ):
        started = time.perf_counter()
        async with beating(soaked), asyncio.TaskGroup() as people:
            talks = [people.create_task(Busy(program, number).talk()) for number in range(tasks)]
            while not all(talk.done() for talk in talks):
                for page in ("/c/general", "/needs", "/tasks"):
                    assert (await browser.get(page)).status_code == 200
                    soaked.pages += 1
        soaked.took = time.perf_counter() - started
        soaked.told = float(_WORST.findall((await browser.get("/metrics")).text)[0])
    return soaked
