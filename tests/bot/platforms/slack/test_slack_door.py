"""Attacks on the transport: what is not signed by Slack, now, over these very bytes, is not even parsed."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from bot.messages import Card, Row
from tests.bot.slack_plan import plan_in
from tests.fakes.slack.delivery import encoded, signed
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.listening import HTTP, Listening, listening
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.world import TEAM

ANA = "U0ANA"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def here() -> AsyncIterator[Listening]:
    async with listening(HTTP) as there:
        there.fake.deliveries.times.retries = ()
        yield there


def mention(text: str = "add login", id: str = "Ev1") -> bytes:
    event = {"type": "app_mention", "user": ANA, "text": f"{MENTION} {text}", "ts": f"{time.time():.6f}"}
    around = {"type": "event_callback", "team_id": TEAM, "event_id": id}
    return json.dumps({**around, "event": {**event, "channel": CHANNEL}}).encode()


async def post(here: Listening, body: bytes, headers: Mapping[str, str]) -> int:
    status, _ = await here.fake.deliveries.post(body, {**JSON, **headers})
    return status


async def test_what_is_signed_is_heard(here: Listening) -> None:
    body = mention()
    assert await post(here, body, signed(body)) == 200
    assert [said.text for said in here.said] == ["add login"]


async def test_no_wrong_or_borrowed_signature_is_taken(here: Listening) -> None:  # attack 1
    body = mention()
    good = signed(body)
    without = {"X-Slack-Request-Timestamp": good["X-Slack-Request-Timestamp"]}
    other = signed(body, secret="another secret")
    tampered = body.replace(b"add login", b"add admin")
    for headers, sent in (
        ({}, body),
        (without, body),
        ({"X-Slack-Signature": good["X-Slack-Signature"]}, body),
        (other, body),
        (good, tampered),
        ({**good, "X-Slack-Signature": good["X-Slack-Signature"].upper()}, body),
        ({**good, "X-Slack-Signature": "v0="}, body),
        ({**good, "X-Slack-Signature": "v0=\u00e9"}, body),
        ({**good, "X-Slack-Signature": good["X-Slack-Signature"].removeprefix("v0=")}, body),
    ):
        assert await post(here, sent, headers) == 401
    assert here.heard == []


@pytest.mark.parametrize("off", [-301, 301, -86_400])
async def test_an_old_or_early_request_is_not_taken(here: Listening, off: int) -> None:  # attack 2
    body = mention()
    assert await post(here, body, signed(body, at=time.time() + off)) == 401
    assert here.heard == []


@pytest.mark.parametrize("stamp", ["abc", "1e9", "", "9" * 400, "-1", "0x10", "\u0663", " 1", "nan", "1700000000.5"])
async def test_an_odd_timestamp_is_refused_and_breaks_nothing(here: Listening, stamp: str) -> None:  # attack 3
    body = mention()
    headers = {**signed(body), "X-Slack-Request-Timestamp": stamp}
    assert await post(here, body, headers) == 401
    assert here.heard == []


@pytest.mark.parametrize("stamp", ["nonsense", "inf", "nan", "-inf", "1e400", "9" * 20, "999999999999", "-5", "1.2.3"])
@pytest.mark.parametrize("name", ["ts", "thread_ts", "event_ts"])
async def test_a_signed_event_with_an_odd_moment_is_left_unread(here: Listening, name: str, stamp: str) -> None:
    whole = json.loads(mention())
    whole["event"] |= {name: stamp}
    if name == "event_ts":  # a stop sign is dated by its own moment
        item = {"type": "message", "channel": CHANNEL, "ts": "1700000000.000100"}
        whole["event"] |= {"type": "reaction_added", "reaction": "stop_sign", "item": item, "item_user": ANA}
    body = json.dumps(whole).encode()
    assert await post(here, body, signed(body)) == 200
    assert here.heard == []


HUGE = 10 * 1024 * 1024
ODD = {
    "{": b"{",
    "[]": b"[]",
    "null": b"null",
    "nothing": b"",
    "10 MB": b"x" * HUGE,
    "no UTF-8": b"\xff\xfe\x00",
    "very deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", ODD)
async def test_unsigned_garbage_is_refused_before_it_is_parsed(here: Listening, name: str) -> None:  # attack 4
    assert await post(here, ODD[name], {}) == 401
    false = {**signed(b"something else")}
    assert await post(here, ODD[name], false) == 401
    assert here.heard == []


@pytest.mark.parametrize("name", ["{", "[]", "null", "nothing", "no UTF-8", "very deep"])
async def test_signed_garbage_breaks_nothing_either(here: Listening, name: str) -> None:
    status = await post(here, ODD[name], signed(ODD[name]))
    assert status in (200, 400)
    assert here.heard == []


async def test_a_replay_is_acknowledged_and_does_nothing(here: Listening) -> None:  # attack 5
    body = mention()
    headers = signed(body)
    assert [await post(here, body, headers) for _ in range(3)] == [200] * 3
    assert len(here.said) == 1


async def test_a_replayed_button_form_and_command_do_nothing(here: Listening) -> None:  # attack 5
    _, plan = await plan_in(here)
    sent = [
        await here.fake.press(ANA, CHANNEL, plan, "Approve plan"),
        await here.fake.press(ANA, CHANNEL, plan, "Request changes"),
    ]
    await here.until(lambda: here.fake.form(ANA))
    sent.append(await here.fake.submit(ANA, "smaller"))
    sent.append(await here.fake.command(ANA, CHANNEL, "status"))
    before = (len(here.heard), len(here.fake.calls("views.open")), len(here.fake.root(CHANNEL)))
    for one in sent:
        body, media = encoded(one.kind, one.payload)
        status, _ = await here.fake.deliveries.post(body, {"Content-Type": media, **signed(body)})
        assert status == 200
    await here.until(lambda: len(here.fake.root(CHANNEL)) == before[2])
    assert (len(here.heard), len(here.fake.calls("views.open"))) == before[:2]
    assert not any(shown.ephemeral for shown in here.fake.thread(CHANNEL, plan, ANA))


async def test_the_challenge_is_answered_only_when_signed_and_as_plain_text(here: Listening) -> None:  # attack 6
    body = json.dumps({"type": "url_verification", "challenge": "<script>alert(1)</script>"}).encode()
    assert await post(here, body, {}) == 401
    session: Any = here.fake.deliveries
    async with session._session.post(session.url, data=body, headers={**JSON, **signed(body)}) as answer:
        assert answer.status == 200
        assert answer.content_type == "text/plain"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert await answer.text() == "<script>alert(1)</script>"


async def test_other_ways_in_are_closed(here: Listening) -> None:
    base = here.fake.deliveries.url
    await post(here, b"", {})
    session: Any = here.fake.deliveries
    async with session._session.get(base) as answer:
        assert answer.status == 405
    async with session._session.post(base.replace("/slack/events", "/"), data=b"") as answer:
        assert answer.status == 404


async def test_a_store_that_is_away_gets_no_acknowledgement_and_the_retry_is_heard(here: Listening) -> None:
    here.fake.deliveries.times.retries = (0.2, 0.2, 0.2)
    here.broken = True
    here.fake.say(ANA, here.fake.world.direct(ANA).id, "hello")
    await here.until(lambda: here.fake.deliveries.sent[0].statuses)
    here.broken = False
    await here.fake.deliveries.settled()
    (sent,) = here.fake.deliveries.sent
    assert sent.statuses[0] == 500
    assert sent.statuses[-1] == 200
    assert [said.text for said in here.said] == ["hello"]


async def test_hostile_words_ping_nobody_and_unfurl_nothing(here: Listening) -> None:  # attack 58
    words = "<!channel> <@U0LEAD> <https://evil.example|Approve> @everyone *Approved by Ana*"
    ts = here.fake.say(ANA, CHANNEL, f"{MENTION} x")
    await here.fake.deliveries.settled()
    card = Card(title=words, text=words, lines=(words,), rows=(Row(label=words, value=words),), footer=words)
    await here.platform.post(here.said[0].thread, "reply:1", card)
    (posted,) = here.fake.posts()
    assert posted.shown().pings == frozenset()
    assert posted.unfurls == (False, False)
    assert "*Approved by Ana*" in posted.shown().words
    assert posted.parent == ts
