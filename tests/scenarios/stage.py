"""A stage is one platform with people on it, played from outside, and the whole program behind it.

The same scenarios run on every stage. A platform adds one module that opens its stage.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Protocol, TypeVar

from agents.domain.ids import Account
from agents.ports import Clock, Ports
from bot.app import Program, running
from bot.cards.decisions import PUT_OFF
from bot.config.settings_source import SettingsSource
from tests.fakes.clock import ScaledClock
from tests.workspace import repositories

Found = TypeVar("Found")
OPERATOR = Account("cli:operator")
PATIENCE = 60.0  # seconds for something to become visible; machines are shared, and waiting costs only who fails


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A message as one person sees it."""

    text: str  # everything it says, title first
    buttons: tuple[str, ...] = ()  # labels that can be pressed now, the overflow menu's too, but for “Later”
    by_bot: bool = True
    private: bool = False
    later: bool = False  # every open decision has it, so scenarios need not say so

    def __post_init__(self) -> None:
        object.__setattr__(self, "later", PUT_OFF in self.buttons)
        object.__setattr__(self, "buttons", tuple(label for label in self.buttons if label != PUT_OFF))


class Stage(Protocol):
    """`who` is a short name such as "ana"; each has an account on the platform. A thread is an opaque handle."""

    @property
    def name(self) -> str: ...

    @property
    def channel(self) -> str:
        """The test's channel, as a policy names it."""
        ...

    def account(self, who: str) -> Account: ...

    async def say(self, who: str, text: str, *, thread: str = "", mention: bool = False, direct: bool = False) -> str:
        """Write a message: at the top of the test's channel (or to the bot directly), or as a reply in a thread.

        `mention` puts the platform's own mention of the bot in front. Returns the thread it is in.
        """
        ...

    async def edit(self, who: str, thread: str, text: str) -> None:
        """Edit the message that started the thread, which `who` wrote."""
        ...

    def name_in_text(self, who: str) -> str:
        """How people put something to this person by name, as it stands in a message that was typed."""
        ...

    def alone(self, who: str, thread: str) -> str:
        """Where this person is told what nobody else sees: the thread itself, or a line of their own."""
        ...

    async def press(self, who: str, thread: str, label: str, words: str = "") -> None:
        """Press the newest button with this label in the thread; `words` fill the form behind it, if there is one."""
        ...

    async def shown(self, who: str, thread: str) -> list[Shown]:
        """What this person sees in the thread now, oldest first, the first message included."""
        ...

    async def whispers(self, who: str, thread: str) -> list[Shown]:
        """What the bot said to this person alone because of something in this thread."""
        ...

    async def is_seen(self, thread: str) -> bool:
        """Whether the bot marked the thread's first message as noticed."""
        ...

    async def complaints(self) -> list[str]:
        """Pictures, buttons and colours that the bot showed anywhere without words for them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a scenario asks of the program behind its stage."""

    home: Path
    config: Callable[["Stage"], str]  # overlord.yaml, given how accounts and the channel are named
    environ: Mapping[str, str] = field(default_factory=dict)
    clock: Clock | None = None
    swap: Callable[[Ports], Ports] = lambda ports: ports  # another world for the flows than the settings give


OpenStage = Callable[[AsyncExitStack, Setup], Awaitable[tuple["Stage", "Host"]]]


class Host:
    """The program behind a stage; it can be stopped and started again while the platform stays."""

    def __init__(self, setup: Setup, stage: Stage, environ: Mapping[str, str]) -> None:
        self._setup = setup
        self._environ = {**environ, **setup.environ}
        self._stack = AsyncExitStack()
        setup.home.mkdir(parents=True, exist_ok=True)
        self._config = setup.home / "overlord.yaml"
        self._config.write_text(setup.config(stage))
        self.program: Program | None = None

    @property
    def home(self) -> Path:
        return self._setup.home

    async def start(self) -> Program:
        base = {"OVERLORD_HOME": str(self._setup.home), "OVERLORD_CONFIG": str(self._config)}
        fixed = {"OVERLORD_CONSOLE_PORT": "0", **base, **self._environ}
        source = SettingsSource(environ=fixed, cwd=self._setup.home, user="operator")
        for project in source.load().projects:
            if project.path:
                repositories.begin(project.path)
        self.program = await self._stack.enter_async_context(
            running(source.load(), self._setup.clock, self._setup.swap, source=source)
        )
        return self.program

    def amend(self, old: str, new: str) -> None:
        """Change overlord.yaml; it is read at the next start."""
        written = self._config.read_text()
        assert old in written
        self._config.write_text(written.replace(old, new))

    async def stop(self) -> None:
        await self._stack.aclose()
        self._stack = AsyncExitStack()
        self.program = None

    async def restart(self, later: float = 0.0, pace: float = 10) -> Program:
        """`later`: how many seconds it was down for; `pace`: how much faster than ours its time goes on then."""
        await self.stop()
        if later:
            clock = ScaledClock(pace, since=time.time())
            clock.shift = timedelta(seconds=later)
            self._setup = replace(self._setup, clock=clock)
        return await self.start()


async def wait_for_button(stage: Stage, who: str, thread: str, label: str) -> None:
    """People press what they see, so a press waits until the button is there."""

    async def offered() -> bool:
        shown = await stage.shown(who, thread)
        return any(label in message.buttons or (message.later and label == PUT_OFF) for message in shown)

    await until(offered, f"a button {label!r}")


async def until(look: Callable[[], Awaitable[Found | None]], what: str = "it", patience: float = PATIENCE) -> Found:
    """Wait until a look finds something; say what was last seen if it never does."""
    clock = asyncio.get_running_loop().time
    late = clock() + patience
    while clock() < late:
        if found := await look():
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"{what} did not come within {patience:g} s")
