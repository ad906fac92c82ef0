"""One program on Slack and on Discord at once: who people are, and how often they count (attacks 11, 15, 16)."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.ids import Account, TaskId
from agents.ports import Ports
from bot.platforms.slack.web_client import FRESH
from bot.queries.people_queries import PeopleQueries
from tests.builders.decisions import question
from tests.fakes.discord import FakeDiscord
from tests.fakes.llm import ThinkingLlm
from tests.fakes.slack import fake_slack
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack.world import TEAM
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.slack_stage import RETRIES, SlackStage
from tests.scenarios.stage import Host, Setup, Shown, Stage, until
from tests.store.room import APPROVE_OR_NOT, ask

HIGH = CRITICAL = "Approve"
SEC, SEC_HERE = "U0SEC", f"slack:{TEAM}:U0SEC"


@dataclass
class Both:
    slack: SlackStage
    discord: DiscordStage
    host: Host

    async def sees(self, stage: Stage, who: str, thread: str, *words: str) -> Shown:
        async def look() -> Shown | None:
            shown = await stage.shown(who, thread)
            return next((m for m in reversed(shown) if m.by_bot and all(word in m.text for word in words)), None)

        return await until(look, f"{words}")

    async def opened(self, kind: str) -> Decision:
        """A decision of this kind on T-1, as a flow would open it."""
        assert self.host.program
        office = self.host.program.services
        asked = question(kind, APPROVE_OR_NOT, "may we?")
        return await office.database.write(partial(ask, TaskId("T-1"), asked, office.moment("", "a flow")))

    async def state(self, decision: Decision) -> DecisionState:
        assert self.host.program
        known = await self.host.program.services.database.read(lambda tx: tx.ledger.find(decision.id))
        assert known
        return known.state

    async def outcome_of(self, account: str) -> str:
        """What became of this account's last press on a decision."""
        assert self.host.program
        decided = "state != 'received' AND outcome NOT LIKE 'link %'"
        sql = f"SELECT outcome FROM deliveries WHERE kind = 'Pressed' AND account = ? AND {decided}"

        async def settled() -> str:
            program = self.host.program
            assert program
            rows = await program.services.database.read(
                lambda tx: tx.db.exec_driver_sql(f"{sql} ORDER BY seq DESC", (account,)).scalars().all()
            )
            return str(rows[0]) if rows else ""

        return await until(settled, f"a press of {account}")


def config(slack: Callable[[str], Account], discord: Callable[[str], Account]) -> str:
    return f"""
projects: [{{name: web, path: .}}]
groups:
  security_team: ["{slack("sec")}", "{discord("sec")}"]
  tech_lead: ["{discord("lead")}"]
"""


def thinking(ports: Ports) -> Ports:
    return replace(ports, llm=ThinkingLlm())


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Both]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(fake_slack())
        slack.deliveries.times.retries = RETRIES
        discord = await stack.enter_async_context(FakeDiscord().running())
        on_slack, on_discord = SlackStage(slack), DiscordStage(discord)
        environ = {
            **{"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": slack.api_url},
            **{"DISCORD_TOKEN": discord.token, "DISCORD_API_URL": discord.api_url},
            "DISCORD_GATEWAY_URL": discord.gateway_url,
        }
        written = config(on_slack.account, on_discord.account)
        host = Host(Setup(home=tmp_path, config=lambda stage: written, swap=thinking), on_slack, environ)
        stack.push_async_callback(host.stop)
        await host.start()
        yield Both(on_slack, on_discord, host)


async def link(both: Both, who: str) -> None:
    """As people do it: a code from one platform, said on the other; both say yes, and the operator, for rights move."""
    line = await both.slack.say(who, "link", direct=True)
    card = await both.sees(both.slack, who, line, "Your code: ")
    found = re.search(r"Your code: (\w{8})", card.text)
    assert found
    other = await both.discord.say(who, f"link {found[1]}", direct=True)
    for stage, place in ((both.slack, line), (both.discord, other)):
        await both.sees(stage, who, place, "Is this account yours too?")
        await stage.press(who, place, "Link this account")
    assert both.host.program
    desk = PeopleQueries(both.host.program.services)

    async def confirmed() -> bool:
        return any(asked.waits_for_operator for asked in await desk.links())

    await until(confirmed, "a yes from both")
    await desk.link(both.slack.account(who), both.discord.account(who))


async def test_one_person_on_slack_and_on_discord_counts_once(both: Both) -> None:
    """Attack 11: the task is on Discord; its decision stands in Slack's home too, for whoever is the same person."""
    await link(both, "sec")
    thread = await both.discord.say("ana", "speed up web", mention=True)
    await both.sees(both.discord, "ana", thread, "T-1 ·")
    decision = await both.opened("gate_critical")
    await both.sees(both.discord, "sec", thread, "may we?")
    await both.discord.press("sec", thread, CRITICAL)
    assert "DecisionVoted" in await both.outcome_of(both.discord.account("sec"))

    both.slack.fake.open_home(SEC)

    async def at_home() -> bool:
        return "may we?" in str(both.slack.fake.home(SEC))

    await until(at_home, "the decision in Slack's home")
    await both.slack.fake.press_home(SEC, CRITICAL)
    assert "counted already" in await both.outcome_of(SEC_HERE)
    assert await both.state(decision) is DecisionState.OPEN

    await both.discord.press("lead", thread, CRITICAL)
    await decided(both, decision)


async def decided(both: Both, decision: Decision) -> None:
    async def made() -> bool:
        return await both.state(decision) is DecisionState.DECIDED

    await until(made, "the decision")


async def test_a_borrowed_name_and_a_foreign_team_have_no_rights(both: Both) -> None:
    """Attacks 15 and 16: by id alone, whatever somebody calls themselves and wherever they come from."""
    fake = both.slack.fake
    thread = await both.slack.say("ana", "speed up web", mention=True)
    await both.sees(both.slack, "ana", thread, "T-1 ·")
    decision = await both.opened("gate_high")
    await both.sees(both.slack, "ana", thread, "may we?")
    card = next(m for m in fake.posts() if "may we?" in m.shown().words)
    strangers = {
        "U0MALLORY": ("Sec", TEAM),  # the approver's own display name
        "U0CYRIL": ("Ѕес", TEAM),  # the same in look-alike letters
        "U0SEC2": ("sec\u200b", TEAM),
        "U0GUEST": ("Sec", "T0FOREIGN"),
    }
    for user, (name, team) in strangers.items():
        fake.world.add_user(user, name, team=team, guest=user == "U0GUEST")
        fake.world.channels[CHANNEL].members.add(user)
        assert (await fake.press(user, CHANNEL, card.ts, HIGH)).ok
        assert "not yours to decide" in await both.outcome_of(f"slack:{team}:{user}")
    # the approver's own id, borne by somebody of another team
    fake.world.users[SEC] = replace(fake.world.users[SEC], team="T0FOREIGN")
    await fake.press(SEC, CHANNEL, card.ts, HIGH)
    assert "not yours to decide" in await both.outcome_of(f"slack:T0FOREIGN:{SEC}")
    fake.say("U0MALLORY", CHANNEL, f"{MENTION} @sec approve", card.parent)
    assert await both.state(decision) is DecisionState.OPEN

    fake.world.users[SEC] = replace(fake.world.users[SEC], team=TEAM, name="Somebody Renamed")
    await fake.press(SEC, CHANNEL, card.ts, HIGH)
    await decided(both, decision)


async def test_an_account_that_was_deactivated_since_decides_nothing(both: Both) -> None:
    """Attack 16: its last press may still be on its way."""
    fake = both.slack.fake
    thread = await both.slack.say("ana", "speed up web", mention=True)
    await both.slack.say("sec", "I shall look at it", thread=thread)  # known, and well
    await both.sees(both.slack, "ana", thread, "T-1 ·")
    decision = await both.opened("gate_high")
    await both.sees(both.slack, "ana", thread, "may we?")
    card = next(m for m in fake.posts() if "may we?" in m.shown().words)
    fake.world.users[SEC].deleted = True
    await asyncio.sleep(FRESH)
    assert (await fake.press(SEC, CHANNEL, card.ts, HIGH)).ok
    fake.world.users[SEC].deleted = False
    await fake.press("U0EVE", CHANNEL, card.ts, HIGH)
    assert "not yours to decide" in await both.outcome_of(f"slack:{TEAM}:U0EVE")
    assert await both.state(decision) is DecisionState.OPEN
