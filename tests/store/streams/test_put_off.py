"""What is asked for by a person, a kind or a time, of decisions that wait or are made."""

from datetime import timedelta
from functools import partial

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.ids import DecisionId, PersonId
from store.codec import Cause
from store.transaction import Transaction
from tests.store.room import ANA, LEAD, MORNING, YES, Room

HOUR = timedelta(hours=1)
BOB, CY = PersonId("bob"), PersonId("cy")


def record(fact: e.DecisionMade, tx: Transaction) -> None:
    tx.log.append(fact.task, [fact], Cause(actor="overlord", delivery="timer:1"))


async def test_what_a_person_put_off_is_out_of_their_sight_until_then_and_of_nobody_elses(room: Room) -> None:
    task = await room.task()
    plan = await room.ask(task, "plan")
    other = await room.ask(task, "merge_low")

    def put(tx: Transaction) -> None:
        tx.put_off.put(plan.id, BOB, MORNING + 9 * HOUR)
        tx.put_off.put(plan.id, BOB, MORNING + HOUR)
        tx.put_off.put(other.id, CY, MORNING + HOUR)

    def hidden(tx: Transaction) -> list[set[DecisionId]]:
        people = ([BOB], [PersonId("bob-elsewhere"), BOB], [CY], [PersonId("dee")])
        return [tx.put_off.of(each, MORNING + HOUR - timedelta(seconds=1)) for each in people]

    await room.database.write(put)
    assert await room.database.read(hidden) == [{plan.id}, {plan.id}, {other.id}, set()]
    assert await room.database.read(lambda tx: tx.put_off.of([BOB], MORNING + HOUR)) == set(), "it is back by then"
    await room.database.write(lambda tx: tx.put_off.end(plan.id))
    assert await room.database.read(lambda tx: tx.put_off.of([BOB, CY], MORNING)) == {other.id}


async def test_decisions_are_read_in_the_order_that_was_asked_for(room: Room) -> None:
    task = await room.task()
    plan, merge = await room.ask(task, "plan"), await room.ask(task, "merge_low")
    orders: list[list[DecisionId]] = [[plan.id, merge.id], [merge.id, plan.id], [merge.id], []]
    read = await room.database.read(lambda tx: [tx.ledger.read(ids) for ids in orders])
    assert [[each.id for each in found] for found in read] == orders
    rights = await room.database.read(lambda tx: tx.ledger.rights_to([merge.id]))
    assert len(rights) == 1 and await room.database.read(lambda tx: tx.ledger.rights_to([])) == []
    await room.press(LEAD, merge, YES)
    assert await room.database.read(lambda tx: tx.ledger.rights_to([merge.id])) == [], "it waits for nobody"


async def test_decisions_of_a_kind_that_were_made_since_a_time(room: Room) -> None:
    task = await room.task()
    first = await room.ask(task, "plan")
    room.clock.pass_(60)
    second = await room.ask(task, "plan")
    await room.ask(task, "plan")
    for decision in (first, second):
        made_now = e.DecisionMade(task=task.id, at=room.clock.now(), decision=decision.id, option=YES, by=())
        await room.database.write(partial(record, made_now))

    async def made(kind: Kind, after: float) -> list[DecisionId]:
        since = MORNING + timedelta(seconds=after)
        found: list[Decision] = await room.database.read(lambda tx: tx.ledger.made_since(kind, since))
        return sorted(each.id for each in found)

    assert await made(Kind.PLAN, 0) == sorted([first.id, second.id])
    assert await made(Kind.PLAN, 60) == [second.id] and await made(Kind.PLAN, 61) == []
    assert await made(Kind.MERGE, 0) == []


async def test_tasks_under_way_are_listed_with_what_a_search_looks_through(room: Room) -> None:
    first, second, third = [await room.task() for _ in range(3)]
    over = e.TaskCancelled(task=second.id, at=MORNING, by=PersonId("ana"), reason="no")
    await room.database.write(lambda tx: tx.log.append(second.id, [over], Cause(actor=ANA, delivery="c")))
    assert await room.database.read(lambda tx: tx.log.under_way()) == [(third.id, False), (first.id, False)]
    words = await room.database.read(lambda tx: tx.log.words([first.id, second.id]))
    assert words.keys() == {first.id, second.id} and "add login" in words[first.id]


async def test_a_delivery_is_found_as_it_was_received_or_not_at_all(room: Room) -> None:
    await room.say(ANA, "add login", "console:general:7")
    key = f"said:{id(room)}:1"
    received = await room.database.read(lambda tx: tx.deliveries.find(key))
    assert received and (received.key, received.at, received.also) == (key, MORNING, "")
    assert "add login" in received.body
    assert await room.database.read(lambda tx: tx.deliveries.find("gone")) is None
