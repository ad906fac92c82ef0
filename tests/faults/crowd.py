"""A crowd that mentions the bot and, as a provider does, sends again what was not acknowledged; and the count of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text

from agents.domain.decisions.authority import Kind
from agents.domain.events import DecisionOpened, Event, JobParked
from agents.domain.ids import Account, Thread
from agents.ports import Ports
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.messages import Said
from store.database import Database, StoreUnavailable
from store.streams.audit import examine, integrity, stalled_tasks
from store.transaction import Transaction
from tests.fakes.llm import ThinkingLlm
from tests.workspace import repositories

CHANNEL = "console:general"
CONFIG = """
projects:
  - {name: web, path: web}
  - {name: api, path: api}
limits: {quota_per_person: 10000, quota_per_channel: 10000, reminder: 600000}
"""
# Of each task: what is asked of it stands in its facts once, the standing buttons too.
FACTS = ["TaskRequested", Kind.CONTROLS, Kind.REROUTE, Kind.PROJECT]
PATIENCE = 90.0  # seconds for everything to come to rest; machines are shared

Accept = Callable[[Said], Awaitable[bool]]


def settings_of(home: Path, url: str) -> Settings:
    """Two projects, so that the bot has something to ask and every task comes to rest at a question."""
    for name in ("web", "api"):
        repositories.begin(home / name)
    (home / "overlord.yaml").write_text(CONFIG)
    environ = {"OVERLORD_HOME": str(home), "OVERLORD_DATABASE_URL": url, "OVERLORD_CONSOLE_PORT": "0"}
    return load_settings(environ, cwd=home, user="operator")


def without_models(ports: Ports) -> Ports:
    """Nobody guesses the project, so each task asks for it and rests."""
    return replace(ports, llm=ThinkingLlm())


def mention(number: int, words: str = "do something") -> Said:
    return Said(
        key=f"console:{number}",
        also=f"{CHANNEL}:{number}",
        thread=Thread(f"{CHANNEL}:{number}"),
        channel=CHANNEL,
        message=str(number),
        by=Account(f"console:person{number % 7}"),
        text=words,
        mentions_bot=True,
        at=datetime.now(UTC),
    )


@dataclass
class Crowd:
    """Everybody sends until it is acknowledged. `acked` is what they believe the bot has."""

    accept: Accept
    words: str = "do something"
    sent: int = 0
    tries: int = 0
    acked: list[str] = field(default_factory=list)

    async def send(self) -> Said:
        self.sent += 1
        said = mention(self.sent, self.words)
        while True:
            self.tries += 1
            try:
                await self.accept(said)
            except (StoreUnavailable, OSError):
                await asyncio.sleep(0.05)
            else:
                self.acked.append(said.key)
                return said

    async def keep_sending(self, stop: asyncio.Event, every: float) -> None:
        async with asyncio.TaskGroup() as group:
            while not stop.is_set():
                group.create_task(self.send())
                await asyncio.sleep(every)


async def at_rest(database: Database, crowd: Crowd) -> None:
    """Wait until nothing is left to do."""
    left: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    left = await database.read(lambda tx: unfinished(tx, crowd.acked))
                except StoreUnavailable as problem:
                    left = [problem.what]
                if not left:
                    return
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"not at rest after {PATIENCE} s: {left}") from None


def unfinished(tx: Transaction, acked: list[str]) -> list[str]:
    questions = {
        "deliveries": "SELECT count(*) FROM deliveries WHERE state = 'received'",
        "jobs": "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'leased')",
        "posts": "SELECT count(*) FROM posts WHERE state <> 'parked' AND (state <> 'sent' OR wanted <> shown)",
    }
    counts = {name: tx.db.execute(text(sql)).scalar() for name, sql in questions.items()}
    unread = [reader for reader in ("launcher", "announcer") if tx.log.unread(reader, 1)]
    return [f"{name}: {count}" for name, count in counts.items() if count] + unread


def _died_with_every_holder(event: Event) -> bool:
    """By chance one job can run at each of three kills; then it is given up, and a person is asked, as it should be."""
    return isinstance(event, JobParked) and "the program died while it ran" in event.problem


def wrongs(tx: Transaction, acked: list[str]) -> list[str]:
    """Everything that was acknowledged is there once, with all that follows from it, and nothing else is."""
    examined = examine(tx.db)
    found = [integrity(tx.db), *map(str, examined.broken), *examined.apart, *stalled_tasks(tx.db)]
    states = {key: state for key, state in tx.db.execute(text("SELECT key, state FROM deliveries"))}
    found += [f"lost: {key}" for key in acked if states.get(key) != "handled"]
    found += [f"never acknowledged, yet there: {key}" for key in states if key not in set(acked)]
    tasks = tx.log.tasks(ended=True, limit=10**6)
    if len(tasks) != len(acked) or len({task.request.thread for task in tasks}) != len(tasks):
        found.append(f"{len(tasks)} tasks of {len(acked)} mentions")
    for task in tasks:
        events = [fact.event for fact in tx.log.facts(task.id) if not _died_with_every_holder(fact.event)]
        facts = [e.decision.kind if isinstance(e, DecisionOpened) else type(e).__name__ for e in events]
        if facts != FACTS:
            found.append(f"{task.id}: {facts}")
    shown = tx.db.execute(text("SELECT thread, key FROM messages WHERE key <> '' ORDER BY id"))
    cards: dict[str, list[str]] = {}
    for thread, key in shown:
        cards.setdefault(thread, []).append(key.partition(":")[0])
    found += [
        f"{task.request.thread} shows {cards.get(task.request.thread)}"
        for task in tasks
        if _odd(cards.get(task.request.thread))
    ]
    return [wrong for wrong in found if wrong]


def _odd(cards: list[str] | None) -> bool:
    return cards != ["status", "decision"]
