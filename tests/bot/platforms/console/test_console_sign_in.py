"""A console that is open to more than this machine: tokens, sessions, signing out."""

from base64 import urlsafe_b64encode
from datetime import timedelta

import pytest

from bot.platforms.console.sign_in import LoginLimiter, hash_of, sign
from tests.bot.console_tokens import Tokens, enter, shared
from tests.fakes.console import SECRET, Visit, console, text_of, visitor
from tests.fakes.desk import START, ScriptedDesk


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
        assert "That name and token are not known here" in response.text
        assert (await visit.get("/needs")).status_code == 303


async def test_a_token_opens_the_door_of_its_own_person_only() -> None:
    async with shared(Tokens()) as visit:
        for name in ("ben", "Ana", "", "ana\x00", "console:ana", "x" * 500):
            refused = await enter(visit, "token-of-ana", name=name or " ")
            assert refused.status_code == 403, name
        assert (await enter(visit, "token-of-ana", name=" ana ")).status_code == 303


async def test_ten_tries_a_minute_and_nobody_else_is_held_up() -> None:
    async with shared(Tokens()) as visit:
        for _ in range(10):
            assert (await enter(visit, "guess", name="ana")).status_code == 403
        blocked = await enter(visit, "token-of-ana")
        assert blocked.status_code == 429
        assert "Wait a minute" in blocked.text
        assert (await enter(visit, "token-of-ben")).status_code == 303, "behind the same address"
        visit.client.cookies.clear()
        visit.desk.clock += timedelta(seconds=61)
        assert (await enter(visit, "token-of-ana")).status_code == 303


async def test_a_header_does_not_pass_the_brake() -> None:
    async with shared(Tokens()) as visit:
        await visit.get("/login")
        for number in range(11):
            visit.client.headers["X-Forwarded-For"] = f"192.0.2.{number}"
            last = await visit.post("/login", name="ana", token="guess", next="/")
        assert last.status_code == 429


def test_the_brake_counts_by_account_and_place_and_forgets_the_oldest() -> None:
    limiter = LoginLimiter()
    for number in range(10):
        assert limiter.allows("ana", f"2001:db8::{number}", START)
    assert not limiter.allows("ana", "2001:db8::ffff", START), "one subscriber has all of a /64"
    assert limiter.allows("ana", "2001:db8:0:1::1", START) and limiter.allows("ben", "2001:db8::1", START)
    assert all(limiter.allows("ana", f"10.0.{n // 256}.{n % 256}", START) for n in range(10_050))
    assert len(limiter._tries) == 10_000


async def test_a_login_form_of_another_page_is_refused() -> None:
    async with shared(Tokens()) as visit:
        await visit.get("/login")
        assert (await visit.post("/login", token="token-of-ana", csrf="0" * 64)).status_code == 400
        foreign = {"Origin": "http://evil.example"}
        assert (await visit.post("/login", foreign, token="token-of-ana")).status_code == 403


async def test_a_session_survives_a_restart() -> None:
    desk, tokens = ScriptedDesk(), Tokens()
    async with shared(tokens, desk) as visit:
        await enter(visit, "token-of-ana")
        cookies, port = visit.client.cookies, visit.client.base_url.port
    async with shared(tokens, desk, port=port or 0) as after, visitor(after.url) as client:
        client.cookies = cookies
        assert (await client.get("/needs")).status_code == 200


async def test_a_session_lasts_thirty_days() -> None:
    tokens = Tokens()
    async with shared(tokens) as visit:
        await enter(visit, "token-of-ana")
        tokens.now = START + timedelta(days=29, hours=23)
        assert (await visit.get("/needs")).status_code == 200
        tokens.now += timedelta(hours=2)
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


async def test_signing_out_ends_the_session_and_not_only_the_cookie() -> None:
    async with shared(Tokens()) as visit, visitor(visit.url) as thief:
        await enter(visit, "token-of-ana")
        assert "Sign out" in (await visit.get("/needs")).text
        thief.cookies.update(visit.client.cookies)
        assert (await thief.get("/needs")).status_code == 200
        await visit.post("/logout")
        assert (await visit.get("/needs")).status_code == 303
        assert (await thief.get("/needs")).status_code == 303


async def test_another_page_cannot_sign_anybody_out() -> None:
    async with shared(Tokens()) as visit:
        await enter(visit, "token-of-ana")
        await visit.get("/needs")
        await visit.post("/logout", csrf="0" * 64)
        await visit.post("/sessions", csrf="0" * 64, all="1")
        assert (await visit.get("/needs")).status_code == 200


@pytest.mark.parametrize("admin", [True, False])
async def test_an_admin_sees_who_is_signed_in_and_ends_it(admin: bool) -> None:
    tokens = Tokens()
    tokens.admins = {"console:ana"} if admin else set()
    async with shared(tokens) as visit, visitor(visit.url) as other:
        await enter(visit, "token-of-ana")
        ben = Visit(visit.url, other, visit.desk)
        await enter(ben, "token-of-ben")
        shown = (await visit.get("/sessions")).text
        assert ("ben, for" in shown) is admin
        theirs = next(each for each in tokens.open.values() if each.login == "ben")
        await visit.post("/sessions", login="ben", session=theirs.id)
        assert (await ben.get("/needs")).status_code == (303 if admin else 200)
        await visit.get("/sessions")
        await visit.post("/sessions", login="ben", all="1")
        assert [each.login for each in tokens.open.values()] == ([] if admin else ["ben"]), "all means all of one's own"


async def test_people_see_their_own_sessions_and_end_them() -> None:
    tokens = Tokens()
    async with shared(tokens) as visit, visitor(visit.url) as phone, visitor(visit.url) as other:
        phone.headers["User-Agent"] = "Phone <b>"
        ana = Visit(visit.url, phone, visit.desk)
        ben = Visit(visit.url, other, visit.desk)
        for one, token in ((visit, "token-of-ana"), (ana, "token-of-ana"), (ben, "token-of-ben")):
            await enter(one, token)
        page = (await visit.get("/sessions")).text
        assert text_of(page).count("this one") == 2, "one row, and the button that ends all"
        assert "Phone &lt;b&gt;" in page and "127.0.0.1" in page and page.count('name="session"') == 2
        phones = (await tokens.sessions("ana"))[1].id
        [bens] = await tokens.sessions("ben")
        await visit.post("/sessions", session=bens.id)
        assert (await ben.get("/needs")).status_code == 200, "not theirs to end"
        await visit.post("/sessions", session=phones)
        assert (await ana.get("/needs")).status_code == 303
        assert (await visit.get("/needs")).status_code == 200
        await enter(ana, "token-of-ana")
        await ana.get("/sessions")
        await ana.post("/sessions", all="1")
        assert [(await one.get("/needs")).status_code for one in (visit, ana, ben)] == [303, 303, 200]


async def test_where_nobody_signs_in_there_are_no_sessions() -> None:
    async with console() as visit:
        assert (await visit.get("/sessions")).status_code == 404
        assert "/sessions" not in (await visit.get("/needs")).text


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


async def test_a_cookie_of_our_own_making_is_worth_nothing() -> None:
    """Nor is one of an older version, which was a signed text: its person signs in again."""
    old = urlsafe_b64encode(b'["ana", "' + hash_of("token-of-ana").encode() + b'", 4102444800]').decode()
    signed = f"{old}.{sign(SECRET, 'session', old)}"
    tokens = Tokens()
    async with shared(tokens) as visit:
        await enter(visit, "token-of-ana")
        [open_now] = tokens.open.values()
        name = f"overlord_{visit.client.base_url.port}"
        for wrong in ("", "x", signed, open_now.key, open_now.id, hash_of("token-of-ana"), "token-of-ana"):
            async with visitor(visit.url) as thief:
                thief.cookies.set(name, wrong)
                assert (await thief.get("/needs")).status_code == 303, wrong
