"""The fake Discord is as strict as the real one: what it lets pass, Discord would let pass too."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.interactions import COMPONENT
from tests.fakes.discord.shapes import document

Json = dict[str, Any]


def button(id: str = "x", label: str = "go") -> Json:
    return {"type": 2, "style": 1, "label": label, "custom_id": id}


def rows(*buttons: Json) -> list[Json]:
    return [{"type": 1, "components": list(buttons)}]


def menu(options: int) -> list[Json]:
    made = [{"label": "l", "value": str(n)} for n in range(options)]
    return [{"type": 1, "components": [{"type": 3, "custom_id": "m", "options": made}]}]


FITS: dict[str, Json] = {
    "content": {"content": "x" * 2000},
    "embed": {"embeds": [{"description": "x" * 4096, "footer": {"text": "y" * 1904}}]},
    "five buttons": {"content": "x", "components": rows(*(button(str(n)) for n in range(5)))},
    "custom id": {"content": "x", "components": rows(button("i" * 100, "l" * 80))},
    "menu": {"content": "x", "components": menu(25)},
    "nonce": {"content": "x", "nonce": "n" * 25},
}
TOO_MUCH: dict[str, Json] = {
    "content": {"content": "x" * 2001},
    "embed": {"embeds": [{"description": "x" * 4097}]},
    "embeds together": {"embeds": [{"description": "x" * 4096}, {"description": "x" * 1905}]},
    "six buttons": {"content": "x", "components": rows(*(button(str(n)) for n in range(6)))},
    "six rows": {"content": "x", "components": [r for n in range(6) for r in rows(button(str(n)))]},
    "one id twice": {"content": "x", "components": rows(button("a"), button("a"))},
    "custom id": {"content": "x", "components": rows(button("i" * 101))},
    "label": {"content": "x", "components": rows(button("i", "l" * 81))},
    "menu": {"content": "x", "components": menu(26)},
    "nonce": {"content": "x", "nonce": "n" * 26},
    "nothing": {"content": ""},
    "mentions both ways": {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
}


class Client:
    """Speaks HTTP as anybody could."""

    def __init__(self, fake: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self.fake, self._session = fake, session

    async def ask(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        headers = {"Authorization": f"Bot {token or self.fake.token}"}
        async with self._session.request(method, f"{self.fake.api_url}{path}", json=body, headers=headers) as answer:
            return answer.status, await answer.json() if answer.status != 204 else None


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with FakeDiscord().running() as fake, aiohttp.ClientSession() as session:
        yield Client(fake, session)


@pytest.mark.parametrize("name", FITS)
async def test_what_fits_is_taken(client: Client, name: str) -> None:
    status, _ = await client.ask("POST", f"/channels/{client.fake.general.id}/messages", FITS[name])
    assert status == 200
    if document() is None:
        pytest.skip("taken, but shapes were not checked: name Discord's OpenAPI document in DISCORD_OPENAPI")
    assert client.fake.shapes.checked


@pytest.mark.parametrize("name", TOO_MUCH)
async def test_what_does_not_fit_is_refused(client: Client, name: str) -> None:
    status, body = await client.ask("POST", f"/channels/{client.fake.general.id}/messages", TOO_MUCH[name])
    assert status == 400
    assert body["code"] in (50035, 50006)
    assert not client.fake.general.messages


async def test_one_nonce_is_one_message(client: Client) -> None:
    path, body = f"/channels/{client.fake.general.id}/messages", {"content": "x", "nonce": "a", "enforce_nonce": True}
    _, first = await client.ask("POST", path, body)
    _, second = await client.ask("POST", path, body)
    assert first["id"] == second["id"]
    client.fake.world.shift = 600
    _, later = await client.ask("POST", path, body)
    assert later["id"] != first["id"], "Discord forgets after some minutes"


async def test_an_interaction_is_answered_once_within_three_seconds_and_followed_up_for_fifteen_minutes(
    client: Client,
) -> None:
    fake, ana = client.fake, client.fake.world.user("ana")
    made = fake.interactions.open(COMPONENT, ana, fake.general, {}, fake.say(ana, fake.general, "x"))
    callback, hook = f"/interactions/{made.id}/{made.token}/callback", f"/webhooks/{fake.world.bot.id}/{made.token}"
    assert (await client.ask("POST", hook, {"content": "x"}))[1]["code"] == 10015
    assert (await client.ask("POST", callback, {"type": 6}))[0] == 204
    assert (await client.ask("POST", callback, {"type": 6}))[1]["code"] == 40060
    assert (await client.ask("POST", hook, {"content": "x", "flags": 64}))[0] == 200
    fake.world.shift = 901
    assert (await client.ask("POST", hook, {"content": "x"}))[1]["code"] == 50027
    late = fake.interactions.open(COMPONENT, ana, fake.general, {})
    fake.world.shift += 3.1
    assert (await client.ask("POST", f"/interactions/{late.id}/{late.token}/callback", {"type": 6}))[1]["code"] == 10062


async def test_strangers_and_strange_places_are_refused(client: Client) -> None:
    fake = client.fake
    assert (await client.ask("GET", "/users/@me", token="wrong"))[0] == 401
    assert (await client.ask("GET", "/channels/5/messages"))[1]["code"] == 10003
    assert (await client.ask("GET", f"/channels/{fake.general.id}/messages/5"))[1]["code"] == 10008
    theirs = fake.say(fake.world.user("ana"), fake.general, "mine")
    path = f"/channels/{fake.general.id}/messages/{theirs.id}"
    assert (await client.ask("PATCH", path, {"content": "x"}))[1]["code"] == 50005
    assert (await client.ask("POST", f"{path}/threads", {"name": "n" * 101}))[1]["code"] == 50035
    assert (await client.ask("POST", f"{path}/threads", {"name": "n" * 100}))[0] == 201
    assert (await client.ask("POST", f"{path}/threads", {"name": "n"}))[1]["code"] == 160004
    fake.world.channels[theirs.id].archived = True
    assert (await client.ask("POST", f"/channels/{theirs.id}/messages", {"content": "x"}))[1]["code"] == 50083


async def test_history_is_read_in_all_directions(client: Client) -> None:
    fake, ana = client.fake, client.fake.world.user("ana")
    ids = [fake.say(ana, fake.general, str(n)).id for n in range(10)]

    async def read(query: str) -> list[str]:
        return [m["content"] for m in (await client.ask("GET", f"/channels/{fake.general.id}/messages?{query}"))[1]]

    assert await read("limit=3") == ["9", "8", "7"]
    assert await read(f"limit=3&before={ids[5]}") == ["4", "3", "2"]
    assert await read(f"limit=3&after={ids[5]}") == ["8", "7", "6"]
    assert await read(f"limit=4&around={ids[5]}") == ["7", "6", "5", "4"]


async def test_pings_follow_what_is_allowed(client: Client) -> None:
    fake, ana = client.fake, client.fake.world.user("ana")
    text, path = f"@everyone <@{ana.id}> <@&{fake.guild.bot_role}>", f"/channels/{fake.general.id}/messages"
    for allowed, pinged in (
        (None, {ana.id, "everybody"}),
        ({"parse": []}, set()),
        ({"parse": [], "users": [ana.id]}, {ana.id}),
        ({"parse": ["everyone"]}, {"everybody"}),
    ):
        await client.ask("POST", path, {"content": text} | ({"allowed_mentions": allowed} if allowed else {}))
        assert fake.general.messages[-1].pinged == pinged


async def test_a_bucket_runs_dry_and_says_until_when(client: Client) -> None:
    client.fake.buckets.limits["POST", "/channels/{channel_id}/messages"] = (2, 5.0)
    path = f"/channels/{client.fake.general.id}/messages"
    assert [(await client.ask("POST", path, {"content": "x"}))[0] for _ in range(3)] == [200, 200, 429]
    _, body = await client.ask("POST", path, {"content": "x"})
    assert 0 < body["retry_after"] <= 5
