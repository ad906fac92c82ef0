"""`overlord doctor` on Slack and Discord, against the strict fakes: what is wrong is named, with what to do."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from bot.config.platforms import OWN, load, platforms
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.doctor_check import Check, State
from tests.fakes.discord import FakeDiscord
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack.world import TEAM

Found = dict[str, Check]


async def examined(
    home: Path, environ: dict[str, str], config: str = "", now: Callable[[], float] = time.time
) -> Found:
    (home / "overlord.yaml").write_text(config or "{}\n")
    given = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0", **environ}
    settings = load_settings(given, cwd=home)
    found = await asyncio.to_thread(lambda: _chats(settings, now))
    for check in found:
        assert check.state is State.OK or check.next_step, f"{check.name} says nothing of what to do"
        assert not any(token in str(check) for token in (BOT_TOKEN, APP_TOKEN, "fake.discord.token"))
    return {check.name: check for check in found}


def _chats(settings: Settings, now: Callable[[], float]) -> list[Check]:
    joined = [spec for spec in platforms() if spec.name != OWN and settings.platforms[spec.name].joins]
    return [check for spec in joined for check in load(spec.checks)(settings, now)]


def states(found: Found) -> dict[str, str]:
    return {name: check.state.value for name, check in found.items()}


def slack(fake: FakeSlack, **change: str) -> dict[str, str]:
    environ = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": fake.api_url}
    return environ | change


def discord(fake: FakeDiscord, **change: str) -> dict[str, str]:
    return {"DISCORD_TOKEN": fake.token, "DISCORD_API_URL": fake.api_url, **change}


# ── Slack ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_slack_that_is_set_up_well_has_nothing_to_mend(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        found = await examined(tmp_path, slack(fake))
    assert set(states(found).values()) == {"ok"}
    assert set(found) == {"slack token", "slack events", "slack clock", "slack scopes", "slack channels"}
    assert "Socket Mode" in found["slack events"].seen
    assert "#general" in found["slack channels"].seen


async def test_slack_by_http_names_its_port_and_path(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        environ = slack(fake, SLACK_SIGNING_SECRET=SIGNING_SECRET, OVERLORD_HTTP_PORT="8799")
        del environ["SLACK_APP_TOKEN"]
        found = await examined(tmp_path, environ)
    assert found["slack events"].state is State.OK
    assert "8799" in found["slack events"].seen and "/slack/events" in found["slack events"].seen


async def test_a_wrong_slack_token_is_told_with_where_to_find_the_right_one(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        found = await examined(tmp_path, slack(fake, SLACK_BOT_TOKEN="xoxb-of-somebody-else"))
    assert states(found) == {"slack token": "fail", "slack events": "ok", "slack clock": "ok"}
    assert "invalid_auth" in found["slack token"].seen and "xoxb-" in found["slack token"].next_step


async def test_an_app_token_that_opens_no_socket_is_told(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        found = await examined(tmp_path, slack(fake, SLACK_APP_TOKEN="xapp-1-A0-expired"))
    assert found["slack events"].state is State.FAIL
    assert "connections:write" in found["slack events"].next_step


async def test_a_missing_scope_is_named_and_weighed(tmp_path: Path) -> None:
    async with fake_slack(without=("usergroups:read",)) as fake:
        small = (await examined(tmp_path, slack(fake)))["slack scopes"]
    async with fake_slack(without=("chat:write", "channels:history")) as fake:
        large = (await examined(tmp_path, slack(fake)))["slack scopes"]
    assert small.state is State.WARN and "usergroups:read" in small.seen
    assert large.state is State.FAIL and "chat:write" in large.seen and "manifest slack" in large.next_step


async def test_a_channel_that_the_settings_name_must_hold_the_bot(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        fake.world.add_channel("C0OPS", "ops", set())
        config = f"channels: {{'slack:{TEAM}:C0OPS': {{}}}}\n"
        outside = (await examined(tmp_path, slack(fake), config))["slack channels"]
        fake.world.channels.pop(CHANNEL)
        nowhere = (await examined(tmp_path, slack(fake)))["slack channels"]
    assert outside.state is State.FAIL and "C0OPS" in outside.seen and "/invite" in outside.next_step
    assert nowhere.state is State.WARN and "/invite" in nowhere.next_step


async def test_people_of_another_team_are_told_to_have_no_rights(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        config = f"groups: {{approver: ['slack:T0OTHER:U1', 'slack:{TEAM}:U2']}}\n"
        found = (await examined(tmp_path, slack(fake), config))["slack people"]
    assert found.state is State.WARN and "slack:T0OTHER:U1" in found.seen and "U2" not in found.seen


async def test_a_clock_that_is_off_is_told_before_it_refuses_everything(tmp_path: Path) -> None:
    async with fake_slack() as fake:
        slight = await examined(tmp_path, slack(fake), now=lambda: time.time() + 60)
        wrong = await examined(tmp_path, slack(fake), now=lambda: time.time() - 400)
    assert slight["slack clock"].state is State.WARN and "ahead" in slight["slack clock"].seen
    assert wrong["slack clock"].state is State.FAIL and "NTP" in wrong["slack clock"].next_step


async def test_a_provider_that_does_not_answer_is_told_apart_from_a_wrong_token(tmp_path: Path) -> None:
    nobody = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": "http://127.0.0.1:9/api/"}
    found = await examined(tmp_path, {**nobody, "DISCORD_TOKEN": "x.y.z", "DISCORD_API_URL": "http://127.0.0.1:9/v10"})
    assert states(found) == {"slack token": "fail", "slack events": "fail", "discord token": "fail"}
    assert "network" in found["slack token"].next_step and "network" in found["discord token"].next_step


# ── Discord ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_discord_that_is_set_up_well_has_nothing_to_mend(tmp_path: Path) -> None:
    async with FakeDiscord().running() as fake:
        config = f"channels: {{'discord:{fake.guild.id}:{fake.general.id}': {{}}}}\n"
        found = await examined(tmp_path, discord(fake), config)
    assert set(states(found).values()) == {"ok"}
    assert "acme" in found["discord servers"].seen


async def test_a_wrong_discord_token_is_told(tmp_path: Path) -> None:
    async with FakeDiscord().running() as fake:
        found = await examined(tmp_path, discord(fake, DISCORD_TOKEN="of.somebody.else"))
    assert states(found) == {"discord token": "fail", "discord clock": "ok"}
    assert "Reset Token" in found["discord token"].next_step


async def test_a_missing_intent_is_told_with_where_to_switch_it_on(tmp_path: Path) -> None:
    async with FakeDiscord().running() as fake:
        fake.gateway.privileged = False
        found = (await examined(tmp_path, discord(fake)))["discord intents"]
    assert found.state is State.WARN and "Message Content" in found.next_step


async def test_missing_permissions_servers_and_channels_are_told(tmp_path: Path) -> None:
    async with FakeDiscord().running() as fake:
        fake.permissions = 0x400 | 0x800
        few = await examined(tmp_path, discord(fake), "channels: {'discord:1:2': {}}\n")
        fake.world.guilds.clear()
        none = await examined(tmp_path, discord(fake))
    assert "create_public_threads" in few["discord permissions"].seen
    assert few["discord channels"].state is State.FAIL and "View Channel" in few["discord channels"].next_step
    assert none["discord servers"].state is State.WARN and "manifest discord" in none["discord servers"].next_step


async def test_a_clock_that_is_off_is_told_on_discord_too(tmp_path: Path) -> None:
    async with FakeDiscord().running() as fake:
        found = await examined(tmp_path, discord(fake), now=lambda: time.time() + 4000)
    assert found["discord clock"].state is State.FAIL
