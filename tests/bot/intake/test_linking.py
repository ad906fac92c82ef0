"""Linking accounts: each sees who the other is, the operator confirms where rights would move, and all are told."""

import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Group
from agents.domain.ids import Account, Thread
from bot.intake.inbox import Outcome
from bot.messages import Pressed, Said, load_card
from bot.queries.people_queries import PeopleQueries
from store.chat.deliveries import DeliveryState
from store.database import Database
from store.transaction import Transaction
from tests.store.room import ANA, EVE, GROUPS, OPERATOR, Room, office_of, take_all_posts

BO, PHONE, OLD = Account("slack:T1:UBO"), Account("discord:77"), Account("discord:99")


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))


def line(who: Account) -> Thread:
    return Thread(f"{who.partition(':')[0]}:T1:D{who.rpartition(':')[2]}:1.0")


async def say(room: Room, who: Account, words: str, *, direct: bool = True) -> Outcome:
    thread, key = line(who), room.key("said")
    return await room.hear(
        Said(
            key=key, thread=thread, channel=thread.rpartition(":")[0], message=key, by=who, name=who[-3:],
            text=words, direct=direct, mentions_bot=True, at=room.clock.now(),
        )
    )  # fmt: skip


async def posts(room: Room) -> dict[str, tuple[str, str, str]]:
    """By key: where, what, and for whom alone."""
    now = room.clock.now()
    while await room.database.write(lambda tx: take_all_posts(now, tx)):
        pass
    rows = await room.database.read(lambda tx: tx.db.execute(text("SELECT key, thread, body, target FROM posts")).all())
    return {row.key: (row.thread, load_card(row.body).fallback, row.target) for row in rows}


async def ask(room: Room, one: Account, other: Account) -> str:
    """Returns the request's id."""
    await say(room, one, "link")
    code = next(what for _, what, _ in (await posts(room)).values() if "Your code" in what)[11:19]
    assert (await say(room, other, f"link {code}")).state is DeliveryState.HANDLED
    return next(key for key in await posts(room) if key.startswith("link:")).split(":")[1]


async def press(room: Room, id: str, who: Account, letter: str = "a", card: str = "") -> Outcome:
    key = f"link:{id}:{card or who}"

    def message(tx: Transaction) -> tuple[str, str]:
        row = tx.db.execute(text("SELECT thread, message FROM posts WHERE key = :key"), {"key": key}).one()
        return row.thread, row.message

    await posts(room)
    thread, on = await room.database.read(message)
    return await room.hear(
        Pressed(
            key=room.key("press"), thread=Thread(thread), channel=thread.rpartition(":")[0], message=on, by=who,
            token=f"{id}.{letter}", at=room.clock.now(),
        )
    )  # fmt: skip


async def accounts(room: Room, who: Account) -> tuple[Account, ...]:
    return (await room.database.write(lambda tx: tx.people.of(who))).accounts


async def test_each_sees_who_the_other_is_and_both_must_say_yes(room: Room) -> None:
    id = await ask(room, BO, PHONE)
    shown = await posts(room)
    where, seen_by_bo, _ = shown[f"link:{id}:{BO}"]
    assert where == line(BO) and PHONE in seen_by_bo and "Discord" in seen_by_bo
    where, seen_by_phone, _ = shown[f"link:{id}:{PHONE}"]
    assert where == line(PHONE) and BO in seen_by_phone and "Workspace: T1" in seen_by_phone
    assert await accounts(room, BO) == (BO,)
    await press(room, id, PHONE)
    assert await accounts(room, BO) == (BO,)
    await press(room, id, BO)
    assert await accounts(room, BO) == (PHONE, BO)


async def test_no_is_no(room: Room) -> None:
    id = await ask(room, BO, PHONE)
    await press(room, id, BO)
    await press(room, id, PHONE, "b")
    assert (await press(room, id, PHONE)).state is DeliveryState.REFUSED
    assert await accounts(room, BO) == (BO,)


@pytest.mark.parametrize("card", ["own", "operator"])
async def test_nobody_else_answers_for_them(room: Room, card: str) -> None:
    id = await ask(room, BO, ANA)
    await press(room, id, BO)
    await press(room, id, ANA)
    refused = await press(room, id, EVE, card=BO if card == "own" else "operator")
    assert refused.state is DeliveryState.REFUSED
    again = await press(room, id, ANA, card="operator")  # an approver is not the operator
    assert await accounts(room, BO) == (BO,), again.words


@pytest.fixture
async def looked_after(database: Database) -> Room:
    """With two admins who have spoken to the bot alone."""
    room = Room(office_of(database, groups={**GROUPS, Group.ADMIN: frozenset({BO, PHONE})}))
    await say(room, BO, "status")
    await say(room, PHONE, "status")
    return room


async def test_an_admin_confirms_for_others(looked_after: Room) -> None:
    room = looked_after
    id = await ask(room, EVE, ANA)
    await press(room, id, ANA)
    await press(room, id, EVE)
    assert (await posts(room))[f"link:{id}:operator:{BO}"][0] == line(BO), "where the admin is alone with the bot"
    await press(room, id, EVE, card=f"operator:{BO}")
    assert await accounts(room, EVE) == (EVE,), "a press of one of the two is no confirmation"
    await press(room, id, BO, card=f"operator:{BO}")
    assert set(await accounts(room, EVE)) == {EVE, ANA}


async def test_an_admin_does_not_confirm_for_themselves(looked_after: Room) -> None:
    room = looked_after
    id = await ask(room, BO, OLD)
    await press(room, id, BO)
    await press(room, id, OLD)
    asked = [key for key in await posts(room) if key.startswith(f"link:{id}:operator")]
    assert sorted(asked) == [f"link:{id}:operator", f"link:{id}:operator:{PHONE}"]
    await press(room, id, BO, card="operator")
    assert await accounts(room, BO) == (BO,)


@pytest.mark.parametrize("by", ["card", "command line"])
async def test_where_an_account_is_in_a_group_the_operator_confirms_too(room: Room, by: str) -> None:
    id = await ask(room, EVE, ANA)
    assert not any(key.endswith(":operator") for key in await posts(room)), "nothing is asked before both said yes"
    await press(room, id, ANA)
    await press(room, id, EVE)
    shown = await posts(room)
    assert await accounts(room, EVE) == (EVE,), "the stranger has no right of the approver"
    where, asked, _ = shown[f"link:{id}:operator"]
    assert where.startswith("console:@operator:") and EVE in asked and ANA in asked and "approver" in asked
    assert "Waiting for the operator" in shown[f"link:{id}:{EVE}"][1]
    if by == "card":
        await press(room, id, OPERATOR, card="operator")
    else:
        await PeopleQueries(room.office).link(EVE, ANA)
    assert set(await accounts(room, EVE)) == {EVE, ANA}
    assert "one person now" in (await posts(room))[f"link:{id}:{EVE}"][1]
    assert not await room.database.read(lambda tx: tx.links.open(room.clock.now()))


async def test_a_group_that_the_platform_vouches_for_counts_too(room: Room) -> None:
    """Rights by a user group are known only when the person acts."""
    crowd = "slack-group:T1:S1"
    approvers = GROUPS[Group.APPROVER] | {crowd}
    room = Room(office_of(room.database, groups={**GROUPS, Group.APPROVER: approvers}))
    id = await ask(room, BO, PHONE)
    await press(room, id, PHONE)
    key = f"link:{id}:{BO}"
    row = await room.database.read(
        lambda tx: tx.db.execute(text("SELECT thread, message FROM posts WHERE key = :k"), {"k": key}).one()
    )
    await room.hear(
        Pressed(
            key="p", thread=row.thread, channel="slack:T1:DUBO", message=row.message, by=BO, token=f"{id}.a",
            memberships=(crowd,), at=room.clock.now(),
        )
    )  # fmt: skip
    assert await accounts(room, BO) == (BO,)


async def test_every_account_of_the_person_is_told_where_it_can_be_reached(room: Room) -> None:
    await say(room, OLD, "thanks", direct=False)  # never spoke in private
    await room.database.write(lambda tx: tx.people.link(BO, OLD))
    id = await ask(room, BO, PHONE)
    await press(room, id, PHONE)
    await press(room, id, BO)
    told = {key.split(":", 1)[1]: post for key, post in (await posts(room)).items() if key.startswith("linked:")}
    by_account = {key.rpartition(":")[0]: post for key, post in told.items()}
    assert set(by_account) == {BO, PHONE, OLD}
    where, words, alone = by_account[OLD]
    assert where == line(OLD) and alone == OLD and PHONE in words and BO in words
    assert by_account[PHONE][2] == "", "in a direct message nobody reads along"


async def test_the_operators_own_link_is_told_too_and_said_once(room: Room) -> None:
    await say(room, BO, "thanks")
    await say(room, PHONE, "thanks")
    for _ in range(2):
        await PeopleQueries(room.office).link(BO, PHONE)
    assert sum(key.startswith("linked:") for key in await posts(room)) == 2
