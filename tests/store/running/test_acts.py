"""What was changed of the settings: recorded once, finished once, and kept with who did it."""

from datetime import UTC, datetime

from agents.domain.ids import Account, Thread
from store.database import Database
from store.running.acts import Act, ActState

AT = datetime(2026, 11, 18, 12, tzinfo=UTC)
ACT = Act(key="k1", at=AT, actor=Account("console:ana"), words="projects remove shop", thread=Thread("console:a:1"))


async def test_an_act_is_recorded_once_and_finished_once(database: Database) -> None:
    assert await database.write(lambda tx: tx.acts.record(ACT))
    assert not await database.write(lambda tx: tx.acts.record(ACT)), "a delivery that comes again asks for nothing new"
    assert await database.read(lambda tx: tx.acts.list_waiting()) == [ACT]
    await database.write(lambda tx: tx.acts.settle("k1", ActState.WRITTEN, "written"))
    assert [each.state for each in await database.read(lambda tx: tx.acts.list_waiting())] == [ActState.WRITTEN]
    await database.write(lambda tx: tx.acts.settle("k1", ActState.DONE, "done"))
    assert await database.read(lambda tx: tx.acts.list_waiting()) == []
    [kept] = await database.read(lambda tx: tx.acts.latest(10))
    assert (kept.actor, kept.at, kept.outcome) == ("console:ana", AT, "done")
    assert await database.read(lambda tx: tx.acts.find("k2")) is None
