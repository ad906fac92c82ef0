"""Console logins: a token is known by its hash, and a session ends when anybody says so."""

import hashlib
from datetime import timedelta
from functools import partial

from sqlalchemy import select

from store import tables
from store.chat.people import Session
from store.database import Database
from tests.store.room import MORNING

DAY = timedelta(days=1)


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def session(cookie: str, login: str = "ana", days: int = 0) -> Session:
    began = MORNING + days * DAY
    return Session(
        key=hashed(cookie), login=login, began_at=began, until=began + 30 * DAY, address="10.0.0.7", agent="Browser"
    )


async def give(database: Database, login: str, token: str) -> None:
    await database.write(lambda tx: tx.people.set_token(login, token, MORNING))


async def begin(database: Database, begun: Session, token: str) -> bool:
    return await database.write(lambda tx: tx.sessions.begin(begun, hashed(token)))


async def found(database: Database, cookie: str, days: int = 1) -> Session | None:
    return await database.read(lambda tx: tx.sessions.find(hashed(cookie), MORNING + days * DAY))


async def listed(database: Database, login: str = "", days: int = 1) -> list[str]:
    at = MORNING + days * DAY
    return [each.key for each in await database.read(lambda tx: tx.sessions.list(at, login))]


async def end(database: Database, login: str, id: str = "") -> int:
    return await database.write(partial(lambda tx: tx.sessions.end(login, id)))


async def test_a_session_begins_with_the_token_of_its_login_and_no_other(database: Database) -> None:
    assert not await begin(database, session("c"), "secret"), "nobody has a token yet"
    await give(database, "ana", "secret")
    await give(database, "ben", "of ben")
    for wrong in ("", "of ben", "SECRET", hashed("secret")):
        assert not await begin(database, session("c"), wrong)
    assert await listed(database) == []
    assert await begin(database, session("c"), "secret")
    assert await found(database, "c") == session("c")
    assert await found(database, "another") is None
    stored = str(await database.read(lambda tx: tx.db.execute(select(tables.tokens)).all()))
    assert "secret" not in stored and hashed("secret") in stored


async def test_a_session_runs_out_and_its_row_goes(database: Database) -> None:
    await give(database, "ana", "secret")
    assert await begin(database, session("c"), "secret")
    assert await found(database, "c", days=29) and await found(database, "c", days=30) is None
    assert await listed(database, days=30) == []
    assert await begin(database, session("d", days=40), "secret")
    assert await listed(database, days=-100) == [hashed("d")]


async def test_sessions_are_ended_one_by_one_or_all_and_nobody_elses(database: Database) -> None:
    await give(database, "ana", "secret")
    await give(database, "ben", "of ben")
    for begun, token in ((session("a"), "secret"), (session("b", days=1), "secret"), (session("z", "ben"), "of ben")):
        assert await begin(database, begun, token)
    assert await listed(database, "ana") == [hashed("b"), hashed("a")], "the newest first"
    for odd in ("%", "_" * 10, hashed("a")[:9], hashed("z")[:10], hashed("a")):
        assert await end(database, "ana", odd) == 0
    assert await end(database, "ana", session("a").id) == 1
    assert await found(database, "a") is None and await found(database, "b")
    assert await end(database, "ana") == 1
    assert await listed(database) == [hashed("z")]


async def test_a_token_that_is_replaced_or_revoked_takes_its_sessions_along(database: Database) -> None:
    await give(database, "ana", "secret")
    await give(database, "ben", "of ben")
    assert await begin(database, session("a"), "secret") and await begin(database, session("z", "ben"), "of ben")
    await give(database, "ana", "new")
    assert await found(database, "a") is None and await found(database, "z")
    assert not await begin(database, session("a"), "secret")
    assert await begin(database, session("a"), "new")
    assert await database.write(lambda tx: tx.people.revoke_token("ana"))
    assert not await database.write(lambda tx: tx.people.revoke_token("ana"))
    assert await found(database, "a") is None and not await begin(database, session("b"), "new")
