"""A room with people in it and the bot's memory behind it: deliveries go in, and what became of them comes out."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from sqlalchemy import text

from agents.domain.decisions import table
from agents.domain.decisions.authority import ChannelPolicy, Group, OnTimeout
from agents.domain.decisions.decision import Decision, Option, with_letters
from agents.domain.decisions.kind import Moment, Question
from agents.domain.ids import Account, DecisionId, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from bot.delivery import announcer
from bot.intake.inbox import Inbox, Outcome
from bot.messages import Delivery, Pressed, Said
from bot.permissions import Permissions
from bot.running.timers import Timers
from bot.services import Services
from store.chat.deliveries import DeliveryState, Received
from store.codec import Cause
from store.database import Database
from store.running.leases import Lease
from store.streams.audit import examine, integrity
from store.transaction import Transaction
from tests.builders.decisions import question

FULL = os.environ.get("OVERLORD_HYPOTHESIS") == "full"  # 500 examples of 50 steps; `make bench` sets it
MORNING = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
CHANNEL = "console:general"
STRICT = "console:strict"  # nobody approves their own request there
CAREFUL = "console:careful"  # nothing passes by time there
UNLIMITED = Limits(quota_per_person=10**9, quota_per_channel=10**9)
ANA, LEAD, SEC, OPS, EVE = (Account(f"slack:T1:U{name}") for name in ("ANA", "LEAD", "SEC", "OPS", "EVE"))
OPERATOR = Account("console:operator")
GROUPS: Mapping[Group, frozenset[str]] = {
    Group.APPROVER: frozenset({ANA, LEAD}),
    Group.TECH_LEAD: frozenset({LEAD}),
    Group.SECURITY_TEAM: frozenset({SEC, ANA}),
    Group.DEVOPS_TEAM: frozenset({OPS}),
}
APPROVE_OR_NOT = with_letters(Option(value="approve", approves=True), Option(value="reject"))
YES, NO = "a", "b"


class HandClock:
    """Time that passes, and jumps, when a test says so."""

    def __init__(self, at: datetime = MORNING) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def real_seconds(self, seconds: float) -> float:
        return max(0.0, seconds)

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def office_of(
    database: Database,
    clock: HandClock | None = None,
    groups: Mapping[Group, frozenset[str]] = GROUPS,
    limits: Limits = UNLIMITED,
) -> Services:
    channels = {STRICT: ChannelPolicy(self_approval=False), CAREFUL: ChannelPolicy(on_timeout=OnTimeout.DENY)}
    permissions = Permissions(groups, frozenset({OPERATOR}), channels)
    return Services(database=database, permissions=permissions, clock=clock or HandClock(), limits=limits)


@dataclass
class Room:
    """One bot's view of a database; two rooms on one database are two instances."""

    office: Services
    inbox: Inbox = field(init=False)
    deliveries: int = 0

    def __post_init__(self) -> None:
        self.inbox = Inbox(self.office)

    @property
    def database(self) -> Database:
        return self.office.database

    @property
    def clock(self) -> HandClock:
        assert isinstance(self.office.clock, HandClock)
        return self.office.clock

    def key(self, what: str = "d") -> str:
        self.deliveries += 1
        return f"{what}:{id(self)}:{self.deliveries}"

    async def task(self, by: Account = ANA, channel: str = CHANNEL) -> Task:
        return await self.database.write(partial(open_task, self.key("open"), by, channel, self.clock.now()))

    async def ask(
        self, task: Task, rule: str, options: tuple[Option, ...] = APPROVE_OR_NOT, default: str = ""
    ) -> Decision:
        wanted = question(rule, options, text=f"may we? ({self.key('q')})", default=default)
        moment = self.office.moment(task.request.channel, self.key("asked"))
        return await self.database.write(partial(ask, task.id, wanted, moment))

    async def hear(self, delivery: Delivery) -> Outcome:
        """Store it and settle it, as the program does."""
        await self.inbox.accept(delivery)
        return await self.inbox.settle(await self.stored(delivery.key))

    async def stored(self, key: str) -> Received:
        return next(r for r in await self.database.read(lambda tx: tx.deliveries.to_settle(10**6)) if r.key == key)

    async def press(self, by: Account, decision: Decision, letter: str, **other: str) -> Outcome:
        return await self.hear(self.pressed(by, decision, letter, **other))

    def pressed(self, by: Account, decision: Decision, letter: str, **other: str) -> Pressed:
        """A press on a surface that shows the ledger itself; `message=…` for one on a message."""
        return Pressed(
            key=other.get("key") or self.key("press"),
            thread=Thread(other.get("thread") or f"{CHANNEL}:{decision.task}"),
            channel=CHANNEL,
            message=other.get("message", ""),
            by=by,
            token=other.get("token") or f"{decision.id}.{letter}",
            words=other.get("words", ""),
            shown=other.get("shown") or decision.fingerprint,
            at=self.clock.now(),
        )

    async def say(self, by: Account, words: str, thread: str, *, mention: bool = True) -> Outcome:
        key = self.key("said")
        return await self.hear(
            Said(
                key=key, thread=Thread(thread), channel=CHANNEL, message=key, by=by, text=words, mentions_bot=mention,
                at=self.clock.now(),
            )
        )  # fmt: skip

    async def decision(self, id: DecisionId) -> Decision:
        found = await self.database.read(lambda tx: tx.ledger.find(id))
        assert found is not None
        return found

    async def state(self, key: str) -> DeliveryState:
        """What the audit row of a delivery says."""
        known = await self.database.read(lambda tx: tx.deliveries.state(key))
        assert known is not None, f"no row for {key}"
        return known[0]

    async def announce(self) -> dict[str, str]:
        """Say what is to be said, on a platform that takes everything: message ids by the key of their card."""
        now = self.clock.now()
        while await self.database.write(lambda tx: announcer.announce(tx, self.office.permissions, now)):
            pass
        while await self.database.write(partial(take_all_posts, now)):
            pass
        rows = await self.database.read(lambda tx: tx.db.execute(text("SELECT key, message FROM posts")).all())
        return {row.key: row.message for row in rows}

    async def fire(self) -> int:
        return await Timers(self.office).fire_due()

    async def whole(self) -> bool:
        """What doctor would say."""
        return await self.database.read(is_whole)


def is_whole(tx: Transaction) -> bool:
    examined = examine(tx.db)
    problems = [integrity(tx.db), *examined.broken, *examined.apart]
    assert not any(problems), problems
    return True


def open_task(key: str, by: Account, channel: str, at: datetime, tx: Transaction) -> Task:
    owner = tx.people.of(by, by.rpartition(":")[2]).id
    id = tx.log.next_id()
    thread = Thread(f"{channel}:{id}")
    request = Request(text="add login", by=owner, thread=thread, channel=channel, at=at)
    tx.threads.start(thread, channel, by, at)
    task = tx.log.open(decide.open_task(id, request, Moment(at=at, cause=key)), Cause(actor=by, delivery=key))
    tx.threads.bind(thread, task.id)
    return task


def ask(task: TaskId, question: Question, moment: Moment, tx: Transaction) -> Decision:
    facts = table.ask(tx.log.task(task), question, moment)
    now = tx.log.append(task, facts, Cause(actor="overlord", delivery=moment.cause))
    return now.open[-1]


def take_all_posts(at: datetime, tx: Transaction) -> int:
    lease = Lease(owner="a platform", at=at + timedelta(days=1), until=at + timedelta(days=1, seconds=45))
    posts = tx.posts.claim(lease, UNLIMITED, 100)
    for post in posts:
        tx.posts.mark_sent(post, post.message or f"m{post.id}", at, UNLIMITED)
    return len(posts)
