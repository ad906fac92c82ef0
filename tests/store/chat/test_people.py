"""People, their accounts and their sessions: a person counts once, and a session ends when anybody says so."""

import hashlib
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, Thread
from agents.domain.project.linking import Side
from store.chat.people import Person, Session
from store.chat.people_tables import tokens
from store.database import Database
from store.transaction import Transaction
from tests.store.room import MORNING

SLACK, DISCORD, CONSOLE = Account("slack:T1:U1"), Account("discord:1"), Account("console:ana")

MINE = Side(account=SLACK, thread=Thread("slack:T1:D1:1.0"))


async def link(database: Database, one: Account, other: Account) -> Person:
    return await database.write(lambda tx: tx.people.link(one, other))


async def who(database: Database, account: Account) -> Person:
    return await database.write(lambda tx: tx.people.of(account))


async def test_someone_met_for_the_first_time_is_a_person_with_a_name(database: Database) -> None:
    met = await database.write(lambda tx: tx.people.of(SLACK, "Ana"))
    assert (met.name, met.accounts, met.known_as) == ("Ana", (SLACK,), frozenset({met.id}))
    assert await database.write(lambda tx: tx.people.of(SLACK, "An approver's name")) == met
    assert await database.read(lambda tx: tx.people.find(DISCORD)) is None


async def test_linked_accounts_are_one_person_from_either_side(database: Database) -> None:
    first, second = await who(database, SLACK), await who(database, DISCORD)
    linked = await link(database, SLACK, DISCORD)
    assert linked.accounts == (DISCORD, SLACK) and linked.known_as == {first.id, second.id}
    assert await who(database, DISCORD) == await who(database, SLACK) == linked
    assert await database.read(lambda tx: tx.people.get(second.id)) == linked, "what either did counts as theirs"
    assert [person.id for person in await database.read(lambda tx: tx.people.all())] == [linked.id]


async def test_linking_again_or_to_oneself_changes_nothing(database: Database) -> None:
    linked = await link(database, SLACK, DISCORD)
    assert await link(database, DISCORD, SLACK) == linked
    assert await link(database, SLACK, SLACK) == linked


async def test_links_of_links_end_in_one_person(database: Database) -> None:
    ids = {(await who(database, account)).id for account in (SLACK, DISCORD, CONSOLE)}
    await link(database, SLACK, DISCORD)
    await link(database, CONSOLE, DISCORD)
    people = [await who(database, account) for account in (SLACK, DISCORD, CONSOLE)]
    assert people[0] == people[1] == people[2]
    assert people[0].known_as == ids and len(people[0].accounts) == 3


async def test_a_new_name_is_shown_for_every_account(database: Database) -> None:
    await link(database, SLACK, DISCORD)
    await database.write(lambda tx: tx.people.rename(DISCORD, "Ana B."))
    person = await who(database, SLACK)
    assert person.name == await database.read(lambda tx: tx.people.name(person.id)) == "Ana B."


async def test_a_code_names_its_maker_once_in_time_and_from_another_account(database: Database) -> None:
    until = MORNING + timedelta(minutes=10)
    await database.write(lambda tx: tx.links.offer(MINE, "AB12CD34", until))

    async def take(account: Account, code: str, minutes: float) -> Side:
        at = MORNING + timedelta(minutes=minutes)
        return await database.write(lambda tx: tx.links.take(account, code, at))

    with pytest.raises(OverlordError):
        await take(DISCORD, "WRONG123", 1)
    assert await take(DISCORD, "ab12cd34", 1) == MINE
    with pytest.raises(OverlordError):
        await take(CONSOLE, "AB12CD34", 2)


@pytest.mark.parametrize(("account", "minutes"), [(SLACK, 1), (DISCORD, 11)])
async def test_a_code_is_no_good_from_its_own_account_or_too_late(
    database: Database, account: Account, minutes: float
) -> None:
    def try_it(tx: Transaction) -> None:
        tx.links.offer(MINE, "AB12CD34", MORNING + timedelta(minutes=10))
        tx.links.take(account, "AB12CD34", MORNING + timedelta(minutes=minutes))

    with pytest.raises(OverlordError, match="not known, was used, or is too old"):
        await database.write(try_it)


async def test_an_account_that_was_linked_can_be_a_person_of_its_own_again(database: Database) -> None:
    before = await who(database, DISCORD)
    await link(database, SLACK, DISCORD)
    assert await database.write(lambda tx: tx.people.unlink(DISCORD))
    assert await who(database, DISCORD) == before
    assert (await who(database, SLACK)).accounts == (SLACK,)
    assert not await database.write(lambda tx: tx.people.unlink(DISCORD)), "there is nothing to undo"


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
    stored = str(await database.read(lambda tx: tx.db.execute(select(tokens)).all()))
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
