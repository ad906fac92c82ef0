"""Attack 69: someone floods the bot; it reads a fair share, says once that it is busy, and others are heard."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from bot.intake.inbox import Inbox
from bot.messages import Said
from bot.permissions import Permissions
from bot.running.jobs import settle_waiting
from bot.services import Services, SystemClock
from store.database import Database


def mention(who: str, number: int, channel: str = "console:general") -> Said:
    return Said(
        key=f"console:{who}:{number}",
        thread=Thread(f"{channel}:{who}{number}"),
        channel=channel,
        message=f"{who}{number}",
        by=Account(f"console:{who}"),
        text=f"do thing {number}",
        mentions_bot=True,
        at=datetime.now(UTC),
    )


async def test_five_hundred_mentions_become_a_fair_share_and_one_busy_reply(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    permissions = Permissions({}, frozenset())
    inbox = Inbox(Services(database=database, permissions=permissions, clock=SystemClock(), limits=Limits()))
    await asyncio.gather(*(inbox.accept(mention("mallory", n)) for n in range(500)))
    await inbox.accept(mention("ana", 1, "console:quiet"))
    while await settle_waiting(inbox):
        pass
    tasks = await database.read(lambda tx: tx.log.tasks(ended=False, limit=1000))
    accounts = await database.read(lambda tx: {p.id: p.accounts for p in tx.people.all()})
    owners = [accounts[task.request.by] for task in tasks]
    assert owners.count((Account("console:mallory"),)) == 20
    assert owners.count((Account("console:ana"),)) == 1
    busy = await database.read(
        lambda tx: tx.db.exec_driver_sql("SELECT count(*) FROM posts WHERE key LIKE 'busy:%'").scalar()
    )
    assert busy in (1, 2), "once a window; the flood may straddle two"
    database.close()
