"""The outbox's rows: order within a thread, one edit for many changes, fences, and what a dead sender leaves."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import pytest
from sqlalchemy import text

from agents.domain.ids import Thread
from store.chat.posts import Act, Post, PostState, Wish
from store.database import Database
from store.running.leases import Lease
from store.streams.audit import measure
from store.transaction import Transaction
from tests.store.room import MORNING, UNLIMITED

LATER = timedelta(seconds=UNLIMITED.status_edits_apart)
LEASE = timedelta(seconds=UNLIMITED.send_lease)
SETTLE = timedelta(seconds=UNLIMITED.settle)
Result = TypeVar("Result")


def wish(key: str, shows: str = "x", thread: str = "slack:C1:1", act: Act = Act.POST) -> Wish:
    return Wish(key=key, thread=Thread(thread), body=shows, hash=f"hash of {shows}", act=act)


def lease(at: datetime = MORNING, owner: str = "one", dead: tuple[str, ...] = ()) -> Lease:
    return Lease(owner=owner, at=at, until=at + LEASE, dead=dead)


class Outboxes:
    """The posts of a database, from a test's side."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def do(self, what: Callable[[Transaction], Result]) -> Result:
        return await self._database.write(what)

    async def want(self, *wishes: Wish) -> None:
        def all_of_them(tx: Transaction) -> None:
            for one in wishes:
                tx.posts.want(one, MORNING)

        await self.do(all_of_them)

    async def claim(self, at: datetime = MORNING, owner: str = "one", dead: tuple[str, ...] = ()) -> list[Post]:
        return await self.do(lambda tx: tx.posts.claim(lease(at, owner, dead), UNLIMITED, 100))

    async def sent(self, post: Post, message: str = "m1", at: datetime = MORNING) -> None:
        await self.do(lambda tx: tx.posts.mark_sent(post, message, at, UNLIMITED))

    async def unsure(self, post: Post) -> None:
        await self.do(lambda tx: tx.posts.unsure(post, MORNING, SETTLE, "reset"))

    async def row(self, key: str) -> tuple[str, str, int, str]:
        question = text("SELECT state, message, fence, problem FROM posts WHERE key = :key").bindparams(key=key)
        return tuple(await self._database.read(lambda tx: tx.db.execute(question).one()))


@pytest.fixture
def posts(database: Database) -> Outboxes:
    return Outboxes(database)


def keys(posts: list[Post]) -> list[str]:
    return [post.key for post in posts]


async def test_a_thread_is_sent_in_order_and_threads_side_by_side(posts: Outboxes) -> None:
    await posts.want(wish("a1"), wish("b1", thread="slack:C1:2"), wish("a2"), wish("a3"))
    first, other = await posts.claim()
    assert keys([first, other]) == ["a1", "b1"]
    assert await posts.claim(owner="two") == []
    await posts.sent(first)
    assert keys(await posts.claim()) == ["b1", "a2"], "what it holds and is not at work on is its own again"


async def test_a_whisper_and_an_eye_wait_for_nobody(posts: Outboxes) -> None:
    await posts.want(wish("card"), wish("whisper", act=Act.WHISPER), wish("eye", act=Act.SEEN), wish("next"))
    assert keys(await posts.claim()) == ["card", "whisper", "eye"]


async def test_quick_changes_become_one_edit_of_the_last(posts: Outboxes) -> None:
    await posts.want(wish("status", "one"))
    [post] = await posts.claim()
    await posts.want(wish("status", "two"), wish("status", "three"))
    await posts.sent(post, "m7")
    assert await posts.claim() == [], "edits keep apart"
    [edit] = await posts.claim(MORNING + LATER)
    assert (edit.body, edit.message, edit.unsure) == ("three", "m7", False)
    await posts.sent(edit, "m7")
    assert await posts.claim(MORNING + timedelta(hours=1)) == []


async def test_wanting_what_is_shown_already_sends_nothing(posts: Outboxes) -> None:
    await posts.want(wish("status", "one"))
    [post] = await posts.claim()
    await posts.sent(post)
    await posts.want(wish("status", "two"), wish("status", "one"))
    assert await posts.claim(MORNING + timedelta(hours=1)) == []


async def test_an_edit_of_unknown_end_is_made_again_even_if_the_old_text_is_wanted_again(posts: Outboxes) -> None:
    await posts.want(wish("status", "one"))
    [post] = await posts.claim()
    await posts.sent(post)
    await posts.want(wish("status", "two"))
    [edit] = await posts.claim(MORNING + LATER)
    await posts.want(wish("status", "one"))
    await posts.unsure(edit)
    [again] = await posts.claim(MORNING + SETTLE)
    assert (again.body, again.message) == ("one", "m1"), "the platform may show two"


async def test_an_unsure_post_is_looked_for_after_the_settle_time_and_holds_up_its_thread(posts: Outboxes) -> None:
    await posts.want(wish("a"), wish("b"))
    [post] = await posts.claim()
    await posts.unsure(post)
    assert await posts.claim(MORNING + SETTLE - timedelta(seconds=1)) == []
    [again] = await posts.claim(MORNING + SETTLE)
    assert (again.key, again.unsure, again.attempts) == ("a", True, 1)


async def test_a_post_that_was_not_taken_waits_as_long_as_it_was_told(posts: Outboxes) -> None:
    await posts.want(wish("a"), wish("b"))
    [post] = await posts.claim()
    await posts.do(lambda tx: tx.posts.later(post, MORNING + timedelta(seconds=30), "429"))
    assert await posts.claim(MORNING + timedelta(seconds=29)) == []
    due = await posts.do(lambda tx: tx.posts.next_due(MORNING))
    assert due == MORNING + timedelta(seconds=30)
    [again] = await posts.claim(MORNING + timedelta(seconds=30))
    assert (again.key, again.unsure) == ("a", False)


async def test_a_parked_post_lets_its_thread_go_on(posts: Outboxes) -> None:
    await posts.want(wish("a"), wish("b"))
    [post] = await posts.claim()
    await posts.do(lambda tx: tx.posts.park(post, "channel_not_found"))
    assert keys(await posts.claim()) == ["b"]
    assert (await posts.row("a"))[::3] == (PostState.PARKED, "channel_not_found")


async def test_a_message_is_found_by_its_own_key(posts: Outboxes) -> None:
    await posts.want(wish("first"), wish("second", thread="slack:C1:2"))
    second = next(post for post in await posts.claim() if post.key == "second")
    await posts.sent(second, "m2")
    assert [await posts.do(partial(_message_of, key)) for key in ("first", "second", "none")] == ["", "m2", ""]
    assert [await posts.do(partial(_is_unseen, key)) for key in ("first", "second", "none")] == [True, False, False]
    assert await posts.do(lambda tx: tx.posts.is_wanted("first") and not tx.posts.is_wanted("none"))


def _message_of(key: str, tx: Transaction) -> str:
    return tx.posts.message_of(key)


def _is_unseen(key: str, tx: Transaction) -> bool:
    return tx.posts.is_unseen(key)


async def test_a_zombies_end_changes_nothing(posts: Outboxes) -> None:
    """It lost its lease and wakes up late: whatever it says, the row is the new holder's."""
    await posts.want(wish("a"))
    [zombie] = await posts.claim(owner="zombie")
    [post] = await posts.claim(MORNING + LEASE, owner="two")
    assert (post.fence, post.unsure) == (zombie.fence + 1, True)
    before = await posts.row("a")
    await posts.sent(zombie, "a ghost's message")
    await posts.unsure(zombie)
    await posts.do(lambda tx: tx.posts.later(zombie, MORNING, "x"))
    await posts.do(lambda tx: tx.posts.park(zombie, "x"))
    assert await posts.row("a") == before
    await posts.sent(post, "m1")
    await posts.sent(zombie, "a ghost's message")
    assert await posts.row("a") == (PostState.SENT, "m1", post.fence, "")


async def test_what_a_dead_sender_held_is_taken_at_once_and_looked_for_first(posts: Outboxes) -> None:
    await posts.want(wish("a"))
    await posts.claim(owner="dead one")
    assert await posts.claim(owner="two") == []
    [post] = await posts.claim(owner="two", dead=("dead one",))
    assert post.unsure
    assert await posts.do(lambda tx: tx.posts.lease_owners()) == {"two"}


async def test_the_button_of_a_message_is_found_by_where_it_stands(posts: Outboxes) -> None:
    await posts.want(wish("decision:x", "card"))
    [post] = await posts.claim()
    await posts.sent(post, "m9")
    found = await posts.do(lambda tx: tx.posts.on_message(Thread("slack:C1:1"), "m9"))
    assert found is not None and (found.key, found.body) == ("decision:x", "card")
    assert await posts.do(lambda tx: tx.posts.on_message(Thread("slack:C2:1"), "m9")) is None
    assert await posts.do(lambda tx: tx.posts.on_message(Thread("slack:C1:1"), "m8")) is None


async def test_a_lease_from_before_the_clock_was_set_back_runs_out_in_one_leases_time(posts: Outboxes) -> None:
    """P26. It is not taken at once, for its holder may be in the middle of sending."""
    hour = timedelta(hours=1)
    await posts.want(wish("a"))
    await posts.claim(MORNING + hour)
    assert await posts.claim(MORNING, owner="two") == []
    assert await posts.claim(MORNING + LEASE - timedelta(seconds=1), owner="two") == []
    assert keys(await posts.claim(MORNING + LEASE, owner="two")) == ["a"]


async def test_an_edit_is_not_held_up_by_a_clock_that_was_set_back(posts: Outboxes) -> None:
    await posts.want(wish("status", "one"))
    [post] = await posts.claim(MORNING + timedelta(hours=1))
    await posts.sent(post, "m1", MORNING + timedelta(hours=1))
    await posts.want(wish("status", "two"))
    assert await posts.claim(MORNING) == []
    assert keys(await posts.claim(MORNING + SETTLE)) == ["status"]


async def seconds_until_taken(posts: Outboxes, most: int = 40) -> int:
    """How long a sender that looks every second waits for something to send."""
    for second in range(most):
        if await posts.claim(MORNING + timedelta(seconds=second)):
            return second
    raise AssertionError("it is put off each time somebody looks")


@pytest.mark.parametrize("tried", ["sent", "unsure", "later"])
async def test_looking_often_after_the_clock_was_set_back_puts_nothing_off_again(posts: Outboxes, tried: str) -> None:
    day = MORNING + timedelta(days=1)
    await posts.want(wish("status", "one"))
    [post] = await posts.claim(day)
    if tried == "sent":
        await posts.sent(post, "m1", day)
        await posts.want(wish("status", "two"))
    elif tried == "unsure":
        await posts.do(lambda tx: tx.posts.unsure(post, day, SETTLE, "reset"))
    else:
        await posts.do(lambda tx: tx.posts.later(post, day, "429"))
    expected = UNLIMITED.status_edits_apart if tried == "sent" else UNLIMITED.settle
    assert await seconds_until_taken(posts) == expected


async def test_a_wait_that_the_clock_explains_is_not_shortened_by_looking(posts: Outboxes) -> None:
    await posts.want(wish("status", "one"))
    [post] = await posts.claim(MORNING)
    await posts.sent(post, "m1", MORNING)
    await posts.want(wish("status", "two"))
    assert await seconds_until_taken(posts) == UNLIMITED.status_edits_apart


async def test_what_is_parked_stays_parked_when_the_clock_is_set_back(posts: Outboxes) -> None:
    day = MORNING + timedelta(days=1)
    await posts.want(wish("a"))
    [post] = await posts.claim(day)
    await posts.do(lambda tx: tx.posts.park(post, "gone"))
    assert [await posts.claim(MORNING + timedelta(seconds=s)) for s in (0, 1, 100, 2000)] == [[]] * 4


async def test_the_same_key_in_two_threads_is_two_messages(posts: Outboxes) -> None:
    await posts.want(wish("a"), wish("a", thread="slack:C1:2"))
    assert keys(await posts.claim()) == ["a", "a"]
    assert await posts.do(lambda tx: (tx.posts.is_wanted("a"), tx.posts.is_wanted("b"))) == (True, False)


async def test_a_platform_that_asks_for_patience_after_an_unsure_try_is_given_it(posts: Outboxes) -> None:
    await posts.want(wish("a"))
    [post] = await posts.claim()
    await posts.unsure(post)
    [again] = await posts.claim(MORNING + SETTLE)
    until = MORNING + SETTLE + timedelta(seconds=300)
    await posts.do(lambda tx: tx.posts.later(again, until, "429"))
    for second in range(0, 300, 20):
        assert await posts.claim(MORNING + SETTLE + timedelta(seconds=second)) == []
    assert keys(await posts.claim(until)) == ["a"]


async def test_posts_that_no_platform_takes_are_counted_until_their_thread_has_what_it_wants(posts: Outboxes) -> None:
    await posts.want(wish("a"), wish("b", thread="slack:C1:2"))
    first, second = await posts.claim()
    await posts.sent(second, "m2")
    await posts.do(lambda tx: tx.posts.park(first, "gone"))
    at = MORNING + timedelta(seconds=90)
    gauges = await posts.do(lambda tx: measure(tx.db, at))
    assert gauges["overlord_parked_posts"][1] == 1
    assert gauges["overlord_post_age_seconds"][1] == 0, "nothing waits: one was taken, one never will be"
    await posts.want(wish("c", thread="slack:C1:3"))
    gauges = await posts.do(lambda tx: measure(tx.db, at))
    assert (gauges["overlord_parked_posts"][1], gauges["overlord_post_age_seconds"][1]) == (1, 90)


NOW = datetime(2030, 1, 1, tzinfo=UTC)
SCOPE = "slack:chat.postMessage:C1"


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


async def test_a_wait_is_kept_until_it_is_over_and_for_its_own_platform_alone(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(10))) == {SCOPE: 20.0}
    assert await database.read(lambda tx: tx.waits.remaining("discord", after(10))) == {}
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(30))) == {}
    database.close()


async def test_the_last_word_of_a_provider_counts_and_what_is_over_is_dropped(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep("slack:chat.update:C1", timedelta(seconds=1), NOW))
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=5), after(2)))
    assert await database.read(lambda tx: tx.waits.remaining("slack", NOW)) == {SCOPE: 5.0}
    database.close()


async def test_a_clock_that_is_set_back_makes_no_wait_longer_than_it_was(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(-3600))) == {SCOPE: 30.0}
    database.close()
