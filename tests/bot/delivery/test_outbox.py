"""The outbox against platforms that keep saying no: it tries again ever more calmly, and says what cannot be shown."""

from datetime import timedelta
from pathlib import Path

from agents.domain.ids import Account, Thread
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.messages import Bounds, Card, Later, Refused, Shut
from bot.services import Leases
from store.database import Database
from tests.store.room import HandClock, office_of

THREAD = Thread("stubborn:general:1")


class Stubborn:
    """Implements bot.messages.Platform: posts, and says the same no to every edit."""

    name, settle = "stubborn", 0.0
    bounds = Bounds(title=100, text=100, rows=9, lines=9, buttons=9, label=9, whole=900)

    def __init__(self, edits: Exception, posts: Exception | None = None) -> None:
        self.no, self.posts_no, self.tries, self.posted = edits, posts, 0, list[str]()

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        if self.posts_no:
            self.tries += 1
            raise self.posts_no
        self.posted.append(card.title)
        return f"m{len(self.posted)}"

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        self.tries += 1
        raise self.no

    async def find(self, thread: Thread, key: str) -> str | None:
        return None

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        raise Refused("no threads here")

    async def permalink(self, thread: Thread, message: str) -> str:
        return ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None: ...

    async def mark_seen(self, thread: Thread, message: str) -> None: ...


async def tries_in_an_hour(tmp_path: Path, platform: Stubborn) -> int:
    database, clock = Database(f"sqlite:///{tmp_path / 'overlord.db'}"), HandClock()
    outbox = Outbox(office_of(database, clock), {"stubborn": platform}, Leases(clock))
    await database.write(lambda tx: tx.posts.want(wish("status:T-1", THREAD, Card(title="one")), clock.now()))
    await outbox.send_due()
    await database.write(lambda tx: tx.posts.want(wish("status:T-1", THREAD, Card(title="two")), clock.now()))
    end = clock.now() + timedelta(hours=1)
    while clock.now() < end:
        await outbox.send_due()
        clock.pass_(max(0.05, await outbox.next_due(clock.now()) or 60.0))
    database.close()
    return platform.tries


async def test_an_edit_that_is_put_off_again_and_again_is_tried_calmly(tmp_path: Path) -> None:
    assert 5 <= await tries_in_an_hour(tmp_path, Stubborn(Later(0.1))) <= 25


async def test_a_place_that_is_shut_is_tried_calmly_and_for_long(tmp_path: Path) -> None:
    platform = Stubborn(Shut("is_archived"), Shut("is_archived"))
    assert 5 <= await tries_in_an_hour(tmp_path, platform) <= 12


async def test_an_edit_that_is_refused_for_good_is_explained_once(tmp_path: Path) -> None:
    platform = Stubborn(Refused("edit_window_closed"))
    assert await tries_in_an_hour(tmp_path, platform) == 1
    assert len(platform.posted) == 2 and "two" in platform.posted[1], "the message, and a note on what it should show"
