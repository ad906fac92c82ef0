"""A console that is open to more than this machine: tokens, sessions, signing out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx
import pytest

from bot.platforms.console.sessions import Brake, Seal, Session, hash_of
from tests.fakes.console import SECRET, Visit, console, visitor
from tests.fakes.desk import START, ScriptedDesk

TOKENS = {"token-of-ana": "ana", "token-of-ben": "ben"}


class Tokens:
    """What the operator gave out and has not taken back."""

    def __init__(self) -> None:
        self.given = dict(TOKENS)

    async def sign_in(self, token: str) -> str | None:
        return self.given.get(token)

    async def still_valid(self, login: str, token_hash: str) -> bool:
        return any(known == login and hash_of(token) == token_hash for token, known in self.given.items())


@asynccontextmanager
async def shared(tokens: Tokens, desk: ScriptedDesk | None = None, **change: object) -> AsyncIterator[Visit]:
    desk = desk or ScriptedDesk({"ana": "Ana", "ben": "Ben"})
    async with console(desk, sign_in=tokens.sign_in, still_valid=tokens.still_valid, login="", **change) as visit:
        yield visit


async def enter(visit: Visit, token: str, onward: str = "/needs") -> httpx.Response:
    await visit.get("/login")
    return await visit.post("/login", token=token, next=onward)


async def test_every_page_asks_who_you_are() -> None:
    async with shared(Tokens()) as visit:
        for path in ("/", "/c/general", "/direct", "/needs", "/tasks", "/task/T-1", "/thread/console:x:y", "/metrics"):
            response = await visit.get(path)
            assert response.status_code == 303, path
            assert response.headers["location"].startswith("/login?next=")


async def test_streams_and_deliveries_are_for_people_who_signed_in() -> None:
    async with shared(Tokens()) as visit:
        assert (await visit.get("/changes")).status_code == 401
        said = await visit.client.post("/say", data={"text": "hello"}, headers={"Accept": "application/json"})
        assert said.status_code == 401
        assert visit.desk.heard == []


async def test_a_token_lets_its_person_in() -> None:
    async with shared(Tokens()) as visit:
        response = await enter(visit, "token-of-ben", "/tasks")
        assert response.headers["location"] == "/tasks"
        await visit.get("/c/general")
        await visit.say("@overlord add login")
        assert visit.desk.heard[0].by == "console:ben"


async def test_a_wrong_token_is_told_in_words() -> None:
    async with shared(Tokens()) as visit:
        response = await enter(visit, "guess")
        assert response.status_code == 403
        assert "That token is not known here" in response.text
        assert (await visit.get("/needs")).status_code == 303


async def test_ten_tries_a_minute() -> None:
    async with shared(Tokens()) as visit:
        for _ in range(10):
            assert (await enter(visit, "guess")).status_code == 403
        blocked = await enter(visit, "token-of-ana")
        assert blocked.status_code == 429
        assert "Wait a minute" in blocked.text
        visit.desk.clock += timedelta(seconds=61)
        assert (await enter(visit, "token-of-ana")).status_code == 303


def test_the_brake_forgets_the_oldest_addresses() -> None:
    brake = Brake()
    assert all(brake.allows(f"10.0.{n // 256}.{n % 256}", START) for n in range(10_050))
    assert len(brake._tries) == 10_000


async def test_a_login_form_of_another_page_is_refused() -> None:
    async with shared(Tokens()) as visit:
        await visit.get("/login")
        assert (await visit.post("/login", token="token-of-ana", csrf="0" * 64)).status_code == 400
        foreign = {"Origin": "http://evil.example"}
        assert (await visit.post("/login", foreign, token="token-of-ana")).status_code == 403


async def test_a_session_survives_a_restart() -> None:
    desk = ScriptedDesk()
    async with shared(Tokens(), desk) as visit:
        await enter(visit, "token-of-ana")
        cookies, port = visit.client.cookies, visit.client.base_url.port
    async with shared(Tokens(), desk, port=port or 0) as after, visitor(after.url) as client:
        client.cookies = cookies
        assert (await client.get("/needs")).status_code == 200


async def test_a_session_lasts_thirty_days() -> None:
    async with shared(Tokens()) as visit:
        await enter(visit, "token-of-ana")
        visit.desk.clock += timedelta(days=29, hours=23)
        assert (await visit.get("/needs")).status_code == 200
        visit.desk.clock += timedelta(hours=2)
        assert (await visit.get("/needs")).status_code == 303


async def test_a_token_that_is_replaced_ends_its_sessions() -> None:
    tokens = Tokens()
    async with shared(tokens) as visit:
        await enter(visit, "token-of-ana")
        del tokens.given["token-of-ana"]
        tokens.given["another-token-of-ana"] = "ana"
        assert (await visit.get("/needs")).status_code == 303


async def test_a_revoked_reader_loses_the_stream() -> None:
    tokens = Tokens()
    async with shared(tokens) as visit:
        await enter(visit, "token-of-ana")
        async with visit.client.stream("GET", "/changes") as stream:
            chunks = stream.aiter_text()
            assert "hello" in await anext(chunks)
            tokens.given.clear()
            visit.desk.changed("needs")
            rest = "".join([chunk async for chunk in chunks])
            assert "event: change" not in rest


async def test_signing_out_ends_it() -> None:
    async with shared(Tokens()) as visit:
        await enter(visit, "token-of-ana")
        assert "Sign out" in (await visit.get("/needs")).text
        await visit.post("/logout")
        assert (await visit.get("/needs")).status_code == 303


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil.example", "evil"])
async def test_signing_in_never_leads_to_another_site(onward: str) -> None:
    async with shared(Tokens()) as visit:
        assert (await enter(visit, "token-of-ana", onward)).headers["location"] == "/"


async def test_a_link_from_elsewhere_asks_once_more_from_our_own_page() -> None:
    async with shared(Tokens()) as visit:
        response = await visit.get("/task/T-1", **{"Sec-Fetch-Site": "cross-site"})
        assert 'http-equiv="refresh"' in response.text
        assert "set-cookie" not in response.headers


async def test_nobody_reads_the_direct_line_of_another() -> None:
    async with shared(Tokens()) as visit:
        visit.desk.answers = False
        await enter(visit, "token-of-ana")
        await visit.get("/direct")
        await visit.say("a secret", channel="@ana")
        thread = visit.desk.heard[0].thread
        assert (await visit.get(f"/thread/{thread}")).status_code == 200
        async with visitor(visit.url) as client:
            ben = Visit(visit.url, client, visit.desk)
            await enter(ben, "token-of-ben")
            assert (await ben.get(f"/thread/{thread}")).status_code == 404
            assert "a secret" not in (await ben.get("/direct")).text
            assert "a secret" not in (await ben.get(f"/needs?pressed={thread}&since=2020-01-01")).text


def test_a_cookie_that_was_touched_is_worth_nothing() -> None:
    seal = Seal(SECRET)
    cookie = seal.issue(Session(login="ana", token_hash="h", at=int(START.timestamp())))
    assert seal.read(cookie, START) is not None
    text, _, mac = cookie.partition(".")
    forged = Seal(b"another secret, not ours").issue(Session(login="ana", token_hash="h", at=0))
    for wrong in ("", ".", text, f"{text}.", f"x{text}.{mac}", f"{text}.{mac[:-1]}", f"é.{mac}", forged):
        assert seal.read(wrong, START) is None
