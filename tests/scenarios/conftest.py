"""Opens each scenario on every stage there is."""

import importlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.domain.ids import Account
from agents.ports import Ports
from bot.clock import ScaledClock
from tests.fakes.llm import ThinkingLlm
from tests.scenarios.stage import Host, Setup, Shown, Stage, until

STAGES = {
    "console": "tests.scenarios.console_stage",
    "discord": "tests.scenarios.discord_stage",
    "slack": "tests.scenarios.slack_stage",
    "slack-http": "tests.scenarios.slack_http_stage",
}

TWO_PROJECTS = """
projects:
  - name: api
    path: {home}
  - name: web
    path: {home}
groups:
  approver: [{lead}]
  tech_lead: [{lead}]
  security_team: [{sec}]
"""


@dataclass
class Play:
    """A stage, the program behind it, and the waiting that every scenario does."""

    stage: Stage
    host: Host

    async def sees(self, who: str, thread: str, *words: str, gone: str = "") -> Shown:
        """Wait until a message shows all these words (and its button `gone` is gone); returns the newest such."""

        async def look() -> Shown | None:
            shown = await self.stage.shown(who, thread)
            for message in reversed(shown):
                if message.by_bot and all(word in message.text for word in words) and gone not in message.buttons:
                    return message
            return None

        try:
            return await until(look, f"{words}")
        except AssertionError as missing:
            now = "\n---\n".join(m.text for m in await self.stage.shown(who, thread))
            raise AssertionError(f"{missing}; {who} sees:\n{now}") from None

    async def silence(self, who: str, thread: str) -> list[Shown]:
        """What there is once the program has nothing left to do."""

        async def idle() -> bool:
            program = self.host.program
            assert program
            waiting = await program.inbox.waiting()
            age = await program.office.database.read(lambda books: books.posts.next_due(program.office.clock.now()))
            return not waiting and age is None

        await until(idle, "silence")
        return await self.stage.shown(who, thread)


def planner_that_thinks(ports: Ports) -> Ports:
    """These scenarios end before there is a plan; the planner is still thinking."""
    return replace(ports, llm=ThinkingLlm())


@pytest.fixture(params=sorted(STAGES))
async def play(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Play]:
    def config(account: Callable[[str], Account]) -> str:
        return TWO_PROJECTS.format(home=tmp_path, lead=account("lead"), sec=account("sec"))

    module = importlib.import_module(STAGES[request.param])
    async with AsyncExitStack() as stack:
        clock = ScaledClock(10, since=time.time())  # so that edits two seconds apart are not waited for
        stage, host = await module.open_stage(
            stack, Setup(home=tmp_path / "home", config=config, clock=clock, swap=planner_that_thinks)
        )
        yield Play(stage, host)
