"""Opens each scenario on every stage there is, in the world it asks for."""

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.domain.task.task import Task
from agents.llm.gateway import Gateway
from agents.ports import Llm, Ports
from bot.app import Program
from store.codec import Recorded
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.llm import ThinkingLlm
from tests.fakes.work import Workshop, idle
from tests.scenarios.stage import OPERATOR, PATIENCE, Host, Setup, Shown, Stage, until

# For modules that set `STAGES`: on each of three platforms; or by turns, for what happens behind them. Without it a
# scenario is played everywhere: how words and presses come in differs between Slack's two ways in.
THREE = ("console", "discord", "slack")
BY_TURNS: tuple[str, ...] = ()
STAGES = {
    "console": "tests.scenarios.console_stage",
    "discord": "tests.scenarios.discord_stage",
    "slack": "tests.scenarios.slack_stage",
    "slack-http": "tests.scenarios.slack_http_stage",
}
ALL = tuple(STAGES)

# Asked for by name alone.
MORE_STAGES = {"discord-deaf": "tests.scenarios.discord_deaf_stage"}

EVER = datetime.fromtimestamp(-1, UTC)  # before anything was due

PEOPLE = """
groups:
  approver: [{lead}]
  tech_lead: [{lead}]
  security_team: [{sec}]
  devops_team: [{ops}]
"""
TWO_PROJECTS = """
projects:
  - name: api
    path: {home}
  - name: web
    path: {home}
"""


@dataclass(frozen=True, kw_only=True)
class Given:
    """The world a scenario asks for. No project: the sample; no model: the rehearsal."""

    config: str = ""  # more of overlord.yaml; {channel} is the test's channel, {home} a folder
    llm: Llm | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    work: Workshop | None = field(default_factory=idle)  # None: real minions, gates and git

    def swap(self, ports: Ports) -> Ports:
        ports = self.work.swap(ports) if self.work else ports
        return replace(ports, llm=self.llm) if self.llm else ports


@dataclass
class Play:
    """A stage, the program behind it, and the waiting that every scenario does."""

    stage: Stage
    host: Host

    @property
    def program(self) -> Program:
        assert self.host.program, "the program is not running"
        return self.host.program

    async def sees(
        self, who: str, thread: str, *words: str, gone: str = "", offers: str = "", patience: float = PATIENCE
    ) -> Shown:
        """Wait until a message shows all these words, without the button `gone`, with `offers`; returns the newest."""

        def fits(message: Shown) -> bool:
            buttons = gone not in message.buttons and (not offers or offers in message.buttons)
            return message.by_bot and buttons and all(word in message.text for word in words)

        async def look() -> Shown | None:
            return next((m for m in reversed(await self.stage.shown(who, thread)) if fits(m)), None)

        try:
            return await until(look, f"{words}", patience)
        except AssertionError as missing:
            now = "\n---\n".join(m.text for m in await self.stage.shown(who, thread))
            raise AssertionError(f"{missing}; {who} sees:\n{now}") from None

    async def whispered(self, who: str, thread: str, *words: str) -> Shown:
        """Wait until this person alone is told something: there, or on a line of their own."""
        line = self.stage.alone(who, thread)

        async def look() -> Shown | None:
            there = [m for m in await self.stage.shown(who, thread) if m.private]
            own = await self.stage.shown(who, line) if line != thread else []
            return next((m for m in (*there, *own) if m.by_bot and all(word in m.text for word in words)), None)

        return await until(look, f"a whisper of {words}")

    async def silence(self, who: str, thread: str) -> list[Shown]:
        """What there is once all that was said is settled, announced and sent. Jobs may still be at work."""

        def settled(tx: Transaction) -> bool:
            unread = any(tx.log.unread(reader, 1) for reader in ("launcher", "announcer"))
            return not unread and not tx.deliveries.to_settle() and tx.posts.next_due(EVER) is None

        async def idle() -> bool:
            return await self.program.services.database.read(settled)

        await until(idle, "silence")
        return await self.stage.shown(who, thread)

    async def task(self) -> Task:
        """The newest task, as its facts leave it."""
        return (await self.program.queries.tasks(OPERATOR, ended=True))[0]

    async def facts(self) -> list[str]:
        """What has happened to the newest task, in a word each."""
        return [type(recorded.event).__name__ for recorded in await self.log()]

    async def happened(self, fact: str) -> None:
        async def look() -> bool:
            return fact in await self.facts()

        await until(look, fact)

    async def log(self) -> list[Recorded]:
        id = (await self.task()).id
        return await self.program.services.database.read(lambda tx: tx.log.facts(id))


@pytest.fixture(scope="session")
def loaded() -> None:
    """litellm takes seconds to load, and no scenario is about that."""
    asyncio.run(Gateway().warm())


Opened = Callable[[Given], Awaitable[Play]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Slack's two ways in differ in how words come in; what follows is played over one of them, on three platforms.

    A scenario that has the mark `parametrize` of `opened` says itself where it is played.
    """
    own = any("opened" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "opened" in metafunc.fixturenames and not own:
        stages = getattr(metafunc.module, "STAGES", sorted(STAGES)) or (_turn_of(metafunc),)
        metafunc.parametrize("opened", stages, indirect=True)


def on(*stages: str) -> pytest.MarkDecorator:
    """Where a scenario is played, though others of its module are played elsewhere."""
    return pytest.mark.parametrize("opened", stages, indirect=True)


def _turn_of(metafunc: pytest.Metafunc) -> str:
    """The module's first scenario is played on the first platform, the next on the next."""
    scenarios = [name for name in vars(metafunc.module) if name.startswith("test_")]
    return ALL[scenarios.index(metafunc.function.__name__) % len(ALL)]


@pytest.fixture
async def opened(request: pytest.FixtureRequest, loaded: None, tmp_path: Path) -> AsyncIterator[Opened]:
    """Opens the stage in a given world."""
    module = importlib.import_module((STAGES | MORE_STAGES)[request.param])
    stages: list[Stage] = []
    async with AsyncExitStack() as stack:

        async def open(given: Given) -> Play:
            def config(stage: Stage) -> str:
                names = {who: stage.account(who) for who in ("lead", "sec", "ops")}
                return (PEOPLE + given.config).format(home=tmp_path, channel=stage.channel, **names)

            clock = ScaledClock(10, since=time.time())  # so that edits two seconds apart are not waited for
            setup = Setup(
                home=tmp_path / "home", config=config, clock=clock, swap=given.swap, environ=dict(given.environ)
            )
            stage, host = await module.open_stage(stack, setup)
            stages.append(stage)
            return Play(stage, host)

        yield open
        for stage in stages:
            assert await stage.complaints() == [], "everything shown has its words"


@pytest.fixture
async def play(opened: Opened) -> Play:
    """Two projects, and a planner that is still thinking: these scenarios end before there is a plan."""
    return await opened(Given(config=TWO_PROJECTS, llm=ThinkingLlm()))
