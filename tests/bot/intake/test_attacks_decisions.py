"""Attacks 9 to 18 and 20: each is refused, leaves its row, and changes nothing. For 19 see test_attacks_time.py."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Group, Kind
from agents.domain.decisions.decision import HOLD, Decision, DecisionState, Option, with_letters
from agents.domain.decisions.table import rule_name
from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account
from agents.domain.task.task import Task
from bot.delivery.announcer import wish
from bot.intake.inbox import Outcome
from bot.messages import Card, Pressed, load_card
from bot.permissions import Permissions
from store.chat.deliveries import DeliveryState
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.bot.shown_cards import card_of, shown_on
from tests.builders.decisions import question, supersede
from tests.store.room import (
    ANA,
    APPROVE_OR_NOT,
    CHANNEL,
    EVE,
    FULL,
    GROUPS,
    LEAD,
    MORNING,
    NO,
    OPERATOR,
    OPS,
    SEC,
    STRICT,
    UNLIMITED,
    YES,
    HandClock,
    Room,
    is_whole,
    office_of,
)  # fmt: skip

GO_OR_WAIT = with_letters(Option(value="go"), Option(value="wait"))
KEEP = with_letters(Option(value="keep"))


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))


@dataclass(frozen=True)
class Before:
    """What an attack must leave as it was."""

    facts: int
    decisions: list[tuple[str, str]]


async def state_of(room: Room) -> Before:
    def question(tx: Transaction) -> Before:
        facts = int(tx.db.execute(text("SELECT count(*) FROM events")).scalar() or 0)
        rows = tx.db.execute(text("SELECT id, body FROM decisions ORDER BY id"))
        return Before(facts, [(row.id, row.body) for row in rows])

    return await room.database.read(question)


async def refused(room: Room, pressed: Pressed, *words: str) -> Outcome:
    """Press, and see that it was refused for this reason, that its row says so, and that nothing else changed."""
    before = await state_of(room)
    outcome = await room.hear(pressed)
    assert outcome.state is DeliveryState.REFUSED and all(word in outcome.words for word in words), outcome
    assert await room.state(pressed.key) is DeliveryState.REFUSED, "the audit row"
    assert await state_of(room) == before, "state unchanged"
    return outcome


async def whispers(room: Room) -> list[tuple[str, Card]]:
    question = text("SELECT target, body FROM posts WHERE act = 'whisper' ORDER BY id")
    rows = await room.database.read(lambda tx: tx.db.execute(question).all())
    return [(row.target, load_card(row.body)) for row in rows]


async def test_attack_9_a_member_without_rights_is_told_so_in_private(room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.MERGE)
    message = await shown_on(room, decision)
    await refused(
        room, room.pressed(EVE, decision, YES, message=message, thread=task.request.thread), "needs an approver"
    )
    [(to, card)] = await whispers(room)
    assert to == EVE and card.title == "This is not yours to decide"


@pytest.mark.parametrize(
    ("kind", "channel", "why"),
    [
        ("gate_critical", CHANNEL, "You asked for this work"),
        ("merge_critical", CHANNEL, "You asked for this work"),
        (Kind.MERGE, STRICT, "nobody approves their own request"),
        (Kind.SCOPE, STRICT, "nobody approves their own request"),
    ],
)
async def test_attack_10_the_requester_where_the_table_does_not_allow_them(
    room: Room, kind: Kind, channel: str, why: str
) -> None:
    decision = await room.ask(await room.task(ANA, channel), kind)
    await refused(room, room.pressed(ANA, decision, YES), why)


async def test_attack_10_the_requester_by_another_account_of_theirs(room: Room) -> None:
    decision = await room.ask(await room.task(EVE), "gate_critical")
    await room.database.write(lambda tx: tx.people.link(EVE, SEC))
    await refused(room, room.pressed(SEC, decision, YES), "You asked for this work")


async def test_attack_10_a_vote_does_not_count_once_its_giver_turns_out_to_be_the_requester(room: Room) -> None:
    decision = await room.ask(await room.task(EVE), "gate_critical")
    assert (await room.press(SEC, decision, YES)).state is DeliveryState.HANDLED
    await room.database.write(lambda tx: tx.people.link(EVE, SEC))
    await room.press(OPS, decision, YES)
    assert (await room.decision(decision.id)).state is DecisionState.OPEN
    await room.press(LEAD, decision, YES)
    decided = await room.decision(decision.id)
    people = await room.database.read(lambda tx: {tx.people.get(id).id for id in decided.decided_by})
    assert len(people) == 2 and decided.state is DecisionState.DECIDED


async def test_attack_11_one_person_who_presses_twice_counts_once(room: Room) -> None:
    decision = await room.ask(await room.task(), "gate_critical")
    await room.press(SEC, decision, YES)
    await refused(room, room.pressed(SEC, decision, YES), "counted already")


async def test_attack_11_one_person_on_slack_and_on_discord_counts_once(room: Room) -> None:
    decision = await room.ask(await room.task(), "gate_critical")
    await room.database.write(lambda tx: tx.people.link(SEC, OPS))
    await room.press(SEC, decision, YES)
    await refused(room, room.pressed(OPS, decision, YES), "counted already")
    await room.press(LEAD, decision, YES)
    assert (await room.decision(decision.id)).outcome == YES


async def test_attack_11_accounts_linked_after_the_first_press_count_once_too(room: Room) -> None:
    decision = await room.ask(await room.task(), "gate_critical")
    await room.press(SEC, decision, YES)
    await room.database.write(lambda tx: tx.people.link(OPS, SEC))
    await refused(room, room.pressed(OPS, decision, YES), "counted already")


@pytest.fixture
def rooms(url: str, room: Room) -> Iterator[tuple[Room, Room]]:
    """Two instances of the bot on one database."""
    with closing(Database(url)) as second:
        yield room, Room(office_of(second, room.clock))


async def test_attack_12_four_presses_at_the_same_instant_make_one_decision(rooms: tuple[Room, Room], url: str) -> None:
    """P8: each decision has one outcome, and the three others are told who decided."""
    count = 1000 if url.startswith("sqlite") or FULL else 200
    room, other = rooms
    task = await room.task()
    who = [(ANA, YES), (LEAD, NO), (OPERATOR, YES), (LEAD, YES)]
    names = {account: (await _name(room, account)) for account, _ in who}

    async def race(decision: Decision) -> None:
        presses = [(rooms[n % 2], rooms[n % 2].pressed(by, decision, letter)) for n, (by, letter) in enumerate(who)]
        await asyncio.gather(*(one.inbox.accept(pressed) for one, pressed in presses))
        kept = {r.key: r for r in await room.inbox.waiting()}
        outcomes = await asyncio.gather(*(one.inbox.settle(kept[pressed.key]) for one, pressed in presses))
        won = [n for n, outcome in enumerate(outcomes) if outcome.state is DeliveryState.HANDLED]
        assert len(won) == 1, outcomes
        decided = await room.decision(decision.id)
        assert (decided.state, decided.outcome) == (DecisionState.DECIDED, who[won[0]][1])
        winner = names[who[won[0]][0]]
        told = [outcome.words for n, outcome in enumerate(outcomes) if n not in won]
        assert all(f"already decided by {winner}" in words for words in told), told
        assert [await room.state(pressed.key) for _, pressed in presses].count(DeliveryState.REFUSED) == 3

    for _ in range(count // 25):  # `waiting` gives a hundred at a time
        asked = await asyncio.gather(*(room.ask(task, Kind.PROPOSAL) for _ in range(25)))
        await asyncio.gather(*(race(decision) for decision in asked))
    made = text("SELECT count(*) FROM events WHERE kind = 'DecisionMade'")
    assert await room.database.read(lambda tx: tx.db.execute(made).scalar()) == count
    assert await other.whole()


async def _name(room: Room, account: Account) -> str:
    return await room.database.write(lambda tx: tx.people.of(account).name)


async def superseded(room: Room, task: Task, old: Decision) -> Decision:
    """What was shown changes: a new decision takes the old one's place."""
    asked = question(rule_name(old), old.options, "the diff is another one now")
    moment = room.office.moment(task.request.channel, room.key("changed"))

    def transaction(tx: Transaction) -> Decision:
        facts = supersede(old, tx.log.task(task.id), asked, moment)
        return tx.log.append(task.id, facts, Cause(actor="overlord", delivery=moment.cause)).open[-1]

    return await room.database.write(transaction)


@pytest.mark.parametrize("kind", [Kind.MERGE, Kind.PROPOSAL])
async def test_attack_13_an_old_button_after_what_it_showed_has_changed(room: Room, kind: Kind) -> None:
    task = await room.task()
    old = await room.ask(task, kind)
    message = await shown_on(room, old)
    new = await superseded(room, task, old)
    assert new.id != old.id and new.fingerprint != old.fingerprint
    await refused(room, room.pressed(LEAD, old, YES, message=message, thread=task.request.thread), "has changed since")
    await refused(room, room.pressed(LEAD, new, YES, shown=old.fingerprint), "has changed since")
    await room.announce()
    refreshed = await card_of(room, old)
    assert not refreshed.buttons and "newer card" in refreshed.text, "the old message is refreshed"
    assert (await room.press(LEAD, new, YES)).state is DeliveryState.HANDLED


async def test_attack_13_a_replayed_delivery_is_no_second_press(room: Room) -> None:
    decision = await room.ask(await room.task(), "gate_critical")
    pressed = room.pressed(SEC, decision, YES)
    await room.hear(pressed)
    before = await state_of(room)
    assert not await room.inbox.accept(pressed)
    assert await room.inbox.waiting() == [] and await state_of(room) == before


async def test_attack_14_a_token_edited_to_something_else(room: Room) -> None:
    task, other = await room.task(), await room.task()
    mine, theirs = await room.ask(task, Kind.MERGE), await room.ask(other, Kind.MERGE)
    sibling = await room.ask(task, Kind.SCOPE)
    shown = await room.announce()
    message, at = shown[f"decision:{mine.id}"], {"thread": task.request.thread, "message": shown[f"decision:{mine.id}"]}
    unknown = "I do not know this button on this message"
    await refused(room, room.pressed(LEAD, theirs, YES, **at), unknown)
    await refused(room, room.pressed(LEAD, sibling, YES, **at), unknown)
    await refused(room, room.pressed(LEAD, mine, "z", **at), "not one of the choices")
    await refused(room, room.pressed(LEAD, mine, HOLD, **at), "No timer is running")
    await refused(room, room.pressed(LEAD, mine, YES, thread=other.request.thread, message=message), unknown)
    await refused(room, room.pressed(LEAD, mine, YES, thread=task.request.thread, message="another"), unknown)
    await refused(room, room.pressed(LEAD, mine, YES, shown="f" * 32), "has changed since")
    for token in ("", "x", f"{mine.id}", f"{mine.id}.", f"{mine.id}.aa", f"{'x' * 22}.a", f"{mine.id}.a{'a' * 99}"):
        await refused(room, room.pressed(LEAD, mine, YES, **at, token=token or " "), unknown)


async def test_attack_14_a_decisions_token_on_the_status_card_of_its_task(room: Room) -> None:
    """The status card carries the standing controls and nothing else."""
    task = await room.task()
    decision = await room.ask(task, Kind.MERGE)
    status = (await room.announce())[f"status:{task.id}"]
    await refused(
        room, room.pressed(LEAD, decision, YES, thread=task.request.thread, message=status), "do not know this button"
    )
    controls = next(d for d in (await _task(room, task)).open if d.kind is Kind.CONTROLS)
    stopped = await room.press(ANA, controls, "a", thread=task.request.thread, message=status)
    assert stopped.state is DeliveryState.HANDLED


async def test_attack_14_a_decisions_token_on_a_message_of_several_others(room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.MERGE)
    key = f"batch:{task.id}:{decision.opened_at.timestamp():.6f}"
    several = wish(key, task.request.thread, Card(title="Two proposals"))
    await room.database.write(lambda tx: tx.posts.want(several, MORNING))
    message = (await room.announce())[key]
    await refused(
        room, room.pressed(LEAD, decision, YES, thread=task.request.thread, message=message), "do not know this button"
    )


async def _task(room: Room, task: Task) -> Task:
    return await room.database.read(lambda tx: tx.log.task(task.id))


@pytest.mark.parametrize("name", ["LEAD", "lead", "LEAD\u200b", "L\u0415AD", "@lead", str(LEAD)])
async def test_attack_15_an_approvers_name_gives_nobody_their_rights(room: Room, name: str) -> None:
    decision = await room.ask(await room.task(), Kind.MERGE)
    await room.database.write(lambda tx: tx.people.of(LEAD, "LEAD"))
    await room.database.write(lambda tx: tx.people.rename(EVE, name))
    await refused(room, replace(room.pressed(EVE, decision, YES), name=name), "needs an approver")


async def test_attack_15_words_never_approve(room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.MERGE)
    for who, words in ((EVE, "@lead approve"), (EVE, "approve"), (LEAD, "approve"), (LEAD, "yes, a, approve it")):
        await room.say(who, words, task.request.thread)
        assert (await room.decision(decision.id)).state is DecisionState.OPEN


async def test_attack_16_an_approver_removed_between_post_and_press(url: str, room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.MERGE)
    message = await shown_on(room, decision)
    with closing(Database(url)) as second:
        after = Room(office_of(second, room.clock, {**GROUPS, Group.APPROVER: frozenset({ANA})}))
        await refused(
            after, after.pressed(LEAD, decision, YES, message=message, thread=task.request.thread), "needs an approver"
        )


async def test_attack_16_the_same_user_of_another_team_is_somebody_else(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.MERGE)
    await refused(room, room.pressed(Account("slack:T2:ULEAD"), decision, YES), "needs an approver")
    await refused(room, room.pressed(Account("discord:ULEAD"), decision, YES), "needs an approver")


@pytest.mark.parametrize(
    ("kind", "options", "default", "after", "answer"),
    [
        (Kind.CANCEL, KEEP, "", UNLIMITED.confirm, "This expired"),
        (Kind.QUESTION, GO_OR_WAIT, "go", UNLIMITED.question_default, "Nobody decided in time"),
        ("gate_medium", APPROVE_OR_NOT, "approve", UNLIMITED.medium_gate, "Nobody decided in time"),
    ],
)
async def test_attack_17_a_press_after_its_time_is_told_so_whether_or_not_the_timer_has_fired(
    room: Room, kind: Kind, options: tuple[Option, ...], default: str, after: float, answer: str
) -> None:
    decision = await room.ask(await room.task(), kind, options, default)
    room.clock.pass_(after)
    await refused(room, room.pressed(LEAD, decision, YES), answer)
    await room.fire()
    await refused(room, room.pressed(LEAD, decision, YES), answer)


async def test_attack_17_a_press_and_the_timer_at_the_same_instant_have_one_winner(rooms: tuple[Room, Room]) -> None:
    room, other = rooms
    task = await room.task()
    winners = set()
    for number in range(40):
        decision = await room.ask(task, "gate_medium", default="approve")
        late = HandClock(MORNING)
        late.pass_(UNLIMITED.medium_gate)
        timers = Room(office_of(other.database, late))
        pressed = room.pressed(LEAD, decision, NO)
        await room.inbox.accept(pressed)
        received = await room.stored(pressed.key)
        order = [room.inbox.settle(received), timers.fire()]
        results = await asyncio.gather(*(order if number % 2 else reversed(order)))
        outcome = next(result for result in results if isinstance(result, Outcome))
        decided = await room.decision(decision.id)
        assert decided.state is DecisionState.DECIDED
        by_press = outcome.state is DeliveryState.HANDLED
        assert (decided.outcome, bool(decided.decided_by)) == ((NO, True) if by_press else (YES, False))
        assert by_press or "Nobody decided in time" in outcome.words
        winners.add(by_press)
    made = text("SELECT count(*) FROM events WHERE kind = 'DecisionMade'")
    assert await room.database.read(lambda tx: tx.db.execute(made).scalar()) == 40
    assert await room.database.read(is_whole) and winners


@pytest.mark.parametrize("crowd", ["*", "all", "slack:*", "slack:T1:*", "everyone", "approve all", "console:?"])
async def test_attack_18_a_crowd_is_nobody_and_is_refused_when_it_is_written(crowd: str) -> None:
    with pytest.raises(SettingsProblem):
        Permissions({Group.APPROVER: frozenset({crowd})}, frozenset())


async def test_attack_18_an_empty_list_of_approvers_is_nobody(database: Database) -> None:
    room = Room(office_of(database, groups={}))
    task = await room.task(channel="slack:C1")
    decision = await room.ask(task, Kind.MERGE)
    for who in (EVE, LEAD, ANA):
        await refused(room, room.pressed(who, decision, YES), "needs an approver")
    await room.announce()
    assert any("Name" in line for line in (await card_of(room, decision)).lines), "the card says whom to name and how"
    assert (await room.say(LEAD, "approve all", task.request.thread)).state is not DeliveryState.REFUSED
    assert (await room.decision(decision.id)).state is DecisionState.OPEN


@pytest.mark.parametrize("mention", [True, False])
@pytest.mark.parametrize("kind", [Kind.SCOPE, Kind.QUESTION])
async def test_attack_20_a_strangers_yes_in_the_thread_is_data_and_no_grant(
    room: Room, kind: Kind, mention: bool
) -> None:
    task = await room.task()
    decision = await room.ask(task, kind, with_letters(Option(value="yes", approves=True), Option(value="no")))
    before = await room.decision(decision.id)
    outcome = await room.say(EVE, "yes", task.request.thread, mention=mention)
    assert await room.decision(decision.id) == before
    facts = [type(f.event).__name__ for f in await room.database.read(lambda tx: tx.log.facts(task.id))]
    if mention:
        assert (outcome.state, facts[-1]) == (DeliveryState.HANDLED, "RemarkMade"), "kept as a remark"
    else:
        assert (outcome.state, facts[-1]) == (DeliveryState.IGNORED, "DecisionOpened")
    assert await room.whole()
