"""The outbox: for each message the bot wants, what it should show and what the platform last took."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache

from sqlalchemy import (
    ColumnElement,
    Float,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    or_,
    select,
    true,
    update,
)

from agents.domain.ids import Thread
from agents.domain.limits import Limits
from store import tables
from store.codec import from_row, seconds
from store.running.leases import Lease, LeaseStatements, lease_parameters
from store.sql import Prepared, TransactionPart, insert_once, upsert

_P, _W = tables.posts, tables.waits


class PostState(StrEnum):
    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    PARKED = "parked"  # the platform will never take it; the problem says why


class Act(StrEnum):
    POST = "post"
    WHISPER = "whisper"
    SEEN = "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A message the bot wants to be seen. The same key in the same thread is the same message."""

    key: str
    thread: Thread
    body: str
    hash: str
    act: Act = Act.POST
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A wish that is being sent, under a fence."""

    id: int
    key: str
    thread: Thread
    act: Act
    target: str
    body: str
    wanted: str
    message: str  # the platform's id; empty until it is known
    fence: int
    attempts: int
    unsure: bool  # an earlier try may have gone through: look before posting
    cut_off: bool  # its sender died a moment ago: what it sent may still be on its way
    late: bool = False  # it has been wanted for longer than a platform takes

    @property
    def name(self) -> str:
        """What it is found by on the platform: another name each time it was deleted there."""
        return f"{self.key}~{self.target}" if self.act is Act.POST and self.target else self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class PostPlace:
    """Where a message stands, as far as we know."""

    message: str  # the platform's id; empty until it is known
    elsewhere: bool  # it may have been seen under another id: sending it was tried, or it was deleted once


LATE = 60.0  # seconds after which somebody has waited to see it
LONGEST_WAIT = 900.0  # seconds: a platform that wants more patience is asked again after this

# While a message is being sent nobody knows what the platform shows, so `shown` is empty from the claim to its end.
# "Wanted is not shown" is then true of all that is unfinished, and an index holds just that.
_UNFINISHED = _P.c.wanted != _P.c.shown
_TRIED = or_(_P.c.state == PostState.SENDING, _P.c.unsure_since.is_not(None))
_ELSEWHERE = or_(_P.c.target != "", and_(_P.c.message == "", or_(_P.c.state == PostState.PARKED, _TRIED)))
_earlier = tables.posts.alias("earlier")
_ITS_TURN = ~exists().where(
    _earlier.c.wanted != _earlier.c.shown,
    _earlier.c.thread == _P.c.thread,
    _earlier.c.id < _P.c.id,
    _earlier.c.act == Act.POST,
    _earlier.c.message == "",
    _earlier.c.state.in_([PostState.WAITING, PostState.SENDING]),
)
_NEW = and_(_P.c.state == PostState.WAITING, or_(_P.c.act != Act.POST, _P.c.message != "", _ITS_TURN))
_DUE = and_(_UNFINISHED, or_(_NEW, _P.c.state == PostState.SENT))
_ANY = Prepared(select(_P.c.id).where(_UNFINISHED).limit(1))
_HELD = and_(_UNFINISHED, _P.c.state == PostState.SENDING)
_LEASES = LeaseStatements(_P, held=_HELD, waits=_DUE)
_CALM = and_(_P.c.attempts == 0, _P.c.unsure_since.is_(None))
_BEGINS_LATE = (
    update(_P)
    .where(
        _UNFINISHED,
        _P.c.state != PostState.PARKED,
        _P.c.not_before > case((_CALM, bindparam("calmly", type_=Float)), else_=bindparam("latest", type_=Float)),
    )
    .values(not_before=case((_CALM, bindparam("soon", type_=Float)), else_=bindparam("then", type_=Float)))
)
# A change that the platform refused is over, but the message stands: what it should show next is offered again.
# A message that somebody deleted is posted anew.
DELETED = "it was deleted"
_OFFERED_AGAIN = case(
    (and_(_P.c.state == PostState.PARKED, _P.c.message != ""), PostState.SENT.value),
    (and_(_P.c.state == PostState.PARKED, _P.c.problem == DELETED), PostState.WAITING.value),
    else_=_P.c.state,
)
_CHANGE = Prepared(
    update(_P)
    .where(_P.c.key == bindparam("name"), _P.c.thread == bindparam("place"), _P.c.wanted != bindparam("hash"))
    .values(body=bindparam("text"), wanted=bindparam("hash"), wanted_at=bindparam("when"), state=_OFFERED_AGAIN)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """One platform, or all but those that are named."""

    only: str = ""
    without: tuple[str, ...] = ()


EVERYWHERE = Surfaces()


class Posts(TransactionPart):
    def want(self, wish: Wish, at: datetime) -> None:
        """Ask for a message, or for the one of this key to show something else. Only the latest wish is kept."""
        change = {"name": wish.key, "place": wish.thread, "hash": wish.hash, "text": wish.body, "when": seconds(at)}
        if _CHANGE.run(self._db, change).rowcount == 0:
            row = {name: getattr(wish, name) for name in ("key", "thread", "act", "target", "body")}
            now = {"wanted": wish.hash, "wanted_at": seconds(at), "state": PostState.WAITING, "not_before": 0.0}
            insert_once(self._db, _P, row | now)
        self._touched.add("posts")

    def claim(self, lease: Lease, limits: Limits, most: int, among: Surfaces = EVERYWHERE) -> list[Post]:
        """Take what may be sent now: new messages in their thread's order, edits, and what a dead sender left."""
        if self._all_shown():
            return []
        wanted = self._db.execute(_claimable(among), lease_parameters(lease, most=most)).all()
        taken = [self._take(row, lease) for row in wanted]
        if not taken:
            self._mend(seconds(lease.at), limits)
        return taken

    def mark_sent(self, post: Post, message: str, at: datetime, limits: Limits) -> None:
        """The platform shows it. The next edit waits a little, so that quick changes become one."""
        then = seconds(at + limits.within("status_edits_apart"))
        done = {"shown": post.wanted, "unsure_since": None, "attempts": 0}
        self._end(post, state=PostState.SENT, message=message, not_before=then, **done)

    def unsure(self, post: Post, at: datetime, settle: timedelta, problem: str) -> None:
        """It may have gone through: after the settle time, look."""
        self.later(post, at + settle, problem, unsure_since=seconds(at))

    def later(self, post: Post, until: datetime, problem: str, **values: object) -> None:
        """It certainly did not go through, and may be tried again."""
        state, tried = PostState.SENT if post.message else PostState.WAITING, post.attempts + 1
        self._end(post, state=state, not_before=seconds(until), problem=problem, attempts=tried, **values)

    def park(self, post: Post, problem: str) -> None:
        self._end(post, state=PostState.PARKED, problem=problem)

    def on_message(self, thread: Thread, message: str) -> Wish | None:
        """Which of our messages this is, and what it should show."""
        row = self._db.execute(select(_P).where(_P.c.thread == thread, _P.c.message == message)).first()
        return _wish(row) if row else None

    def under_way(self, thread: Thread) -> list[Wish]:
        """Messages that people may see already though we do not know their ids yet."""
        new = (_P.c.thread == thread, _P.c.act == Act.POST, _P.c.message == "", _P.c.state != PostState.PARKED)
        return [_wish(row) for row in self._db.execute(select(_P).where(*new, _TRIED))]

    def is_wanted(self, key: str) -> bool:
        """Whether a message of this key is wanted anywhere."""
        return self._db.execute(select(_P.c.id).where(_P.c.key == key).limit(1)).scalar() is not None

    def find(self, key: str) -> Wish | None:
        row = self._db.execute(select(_P).where(_P.c.key == key).limit(1)).first()
        return _wish(row) if row else None

    def message_of(self, key: str) -> str:
        """The platform's id of a message; empty until it is known."""
        return self._db.execute(select(_P.c.message).where(_P.c.key == key).limit(1)).scalar() or ""

    def is_unseen(self, key: str) -> bool:
        """Whether a message is wanted that no platform has taken yet."""
        found = self._db.execute(select(_P.c.message).where(_P.c.key == key, _P.c.act == Act.POST).limit(1)).scalar()
        return found == ""

    def place_of(self, key: str, thread: Thread) -> PostPlace | None:
        """Where a message of this key stands in a thread. None: it is not wanted there."""
        wanted = select(_P.c.message, _ELSEWHERE.label("elsewhere")).where(_P.c.key == key, _P.c.thread == thread)
        row = self._db.execute(wanted).first()
        return PostPlace(message=row.message, elsewhere=bool(row.elsewhere)) if row else None

    def lose(self, post: Post, *, again: bool) -> None:
        """Somebody deleted the message: post it anew at once, or when it next has something to say."""
        state = PostState.WAITING if again else PostState.PARKED
        other = str(int(post.target or 0) + 1)
        self._end(post, state=state, message="", target=other, problem=DELETED, unsure_since=None)

    def lease_owners(self) -> set[str]:
        return _LEASES.owners(self._db)

    def next_due(self, after: datetime) -> datetime | None:
        """When something that cannot go yet may go."""
        return None if self._all_shown() else _LEASES.next(self._db, after)

    def _all_shown(self) -> bool:
        """As it is most of the time. Asked first, for it costs a fiftieth of the whole question."""
        return _ANY.run(self._db, {}).fetchone() is None

    def _mend(self, now: float, limits: Limits) -> None:
        """The clock was set back: what ends impossibly late gets one lease's time, what starts so waits a little.

        What was mended must not look wrong the next time, or it would be put off for ever.
        """
        _LEASES.shorten(self._db, now, limits, limits.send_lease)
        apart, settle = limits.status_edits_apart, limits.settle
        far = {"calmly": now + apart + 1, "latest": now + LONGEST_WAIT + 1, "soon": now + apart, "then": now + settle}
        self._db.execute(_BEGINS_LATE, far)

    def _take(self, row: Row[tuple[object, ...]], lease: Lease) -> Post:
        died = row.state == PostState.SENDING
        since = row.unsure_since
        if died and since is None:  # written down: the next try may end before it has looked
            since = seconds(lease.at)
        return from_row(
            Post,
            row,
            act=Act(row.act),
            fence=_LEASES.take(self._db, row, lease, state=PostState.SENDING, shown="", unsure_since=since),
            unsure=since is not None,
            cut_off=died and row.lease_until > seconds(lease.at),
            late=seconds(lease.at) - row.wanted_at > LATE,
        )

    def _end(self, post: Post, **values: object) -> None:
        """Write how a try ended, unless somebody else has taken it over."""
        self._db.execute(
            update(_P).where(_LEASES.mine).values(**values, lease_until=0.0), {"which": post.id, "held": post.fence}
        )
        self._touched.add("posts")


class Waits(TransactionPart):
    """What a provider asked us to leave alone, and until when: a restart must not forget it."""

    def keep(self, scope: str, wait: timedelta, now: datetime) -> None:
        """`scope`: the platform first, then what it named. Waits that are over are dropped on the way."""
        self._db.execute(delete(_W).where(_W.c.until <= seconds(now)))
        row = {"scope": scope, "until": seconds(now + wait), "asked": wait.total_seconds()}
        upsert(self._db, _W, row)

    def remaining(self, platform: str, now: datetime) -> dict[str, float]:
        """Seconds that are left of each wait; after a clock was set back, no more than were asked for."""
        mine = _W.c.scope.startswith(f"{platform}:", autoescape=True)
        rows = self._db.execute(select(_W).where(mine, _W.c.until > seconds(now)))
        return {row.scope: min(row.until - seconds(now), row.asked) for row in rows}


@cache
def _claimable(among: Surfaces) -> Select[tuple[object, ...]]:
    """Built once for each bot's senders: to build it takes longer than to ask it."""
    due = and_(_P.c.not_before <= bindparam("now"), or_(_NEW, _P.c.state == PostState.SENT))
    wanted = select(_P).where(_UNFINISHED, or_(due, _LEASES.free), _among(among))
    return wanted.order_by(_P.c.id).limit(bindparam("most"))


def _among(surfaces: Surfaces) -> ColumnElement[bool]:
    if surfaces.only:
        return _P.c.thread.startswith(f"{surfaces.only}:", autoescape=True)
    return and_(true(), *(~_P.c.thread.startswith(f"{name}:", autoescape=True) for name in surfaces.without))


def _wish(row: Row[tuple[object, ...]]) -> Wish:
    return from_row(Wish, row, hash=row.wanted, act=Act(row.act))
