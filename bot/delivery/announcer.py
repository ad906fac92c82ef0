"""The announcer reads the log and asks for the cards that facts call for.

It moves its cursor in the transaction that writes the posts, so a fact is handled once and never skipped.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agents.domain.decisions.authority import Group
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.table import rule_of
from agents.domain.events import Event
from agents.domain.ids import Account, PersonId, TaskId, is_project, surface_of
from agents.domain.task.task import Task
from bot.cards import CARD_FOR, status
from bot.cards.kinds.kind_card import nobody_may
from bot.cards.scene import Bill, Scene, ways_of
from bot.config.platforms import REGISTRY
from bot.messages import Card, Delivery, card_hash, dump_card, load_card
from bot.permissions import Permissions
from bot.services import Services
from store.chat.posts import Act, Wish
from store.transaction import Transaction

BATCH = 400
PINGED = 5  # people who are called to one decision, at most
APART = 0.05  # seconds, at least, between two looks for something to say


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What the settings say that cards show."""

    budget: float | None = None  # dollars a task may cost
    public_url: str = ""


NO_HOUSE = House()


def announce(tx: Transaction, permissions: Permissions, at: datetime, house: House = NO_HOUSE) -> int:
    """Ask for the cards that each unread fact calls for. Cards show the present, so a late reader says nothing old."""
    unread = tx.log.unread("announcer", BATCH)
    drawn: set[TaskId] = set()  # tasks whose status card is as it should be: one drawing tells all that happened
    for recorded in unread:
        makers = [
            m for m in CARD_FOR.get(type(recorded.event), ()) if m is not status or recorded.event.task not in drawn
        ]
        if not makers:
            continue
        scene = scene_of(tx, recorded.event, permissions, house)
        for posting in (posting for maker in makers for posting in maker(recorded.event, scene)):
            tx.posts.want(wish(posting.key, posting.thread or scene.task.request.thread, posting.card), at)
        if status in makers:
            drawn.add(recorded.event.task)
    if unread:
        tx.log.mark_read("announcer", unread[-1].seq)
    return len(unread)


def redraw_status(tx: Transaction, task: Task, permissions: Permissions, at: datetime, house: House) -> None:
    """Show what no fact of the task says, such as that the queue is paused."""
    for posting in status(None, _scene(tx, task, permissions, house)):
        tx.posts.want(wish(posting.key, task.request.thread, posting.card), at)


async def announce_calmly(office: Services) -> int:
    """Announce, then wait a moment: what happens meanwhile becomes one card."""
    house = house_of(office)
    read = await office.database.write(lambda tx: announce(tx, office.permissions, office.clock.now(), house))
    if 0 < read < BATCH:
        await asyncio.sleep(APART)
    return read


def house_of(office: Services) -> House:
    return House(budget=office.budgets.task, public_url=office.public_url)


def wish(key: str, thread: str, card: Card, act: Act = Act.POST, target: str = "") -> Wish:
    body = dump_card(card)
    return Wish(key=key, thread=thread, body=body, hash=card_hash(body), act=act, target=target)  # type: ignore[arg-type]


def whisper(to: Delivery, card: Card, tx: Transaction, at: datetime) -> None:
    """Answer one delivery so that nobody else reads it; once, however often it is settled."""
    tx.posts.want(wish(f"whisper:{to.key}", to.thread, card, Act.WHISPER, to.by), at)


def reply(to: Delivery, card: Card, tx: Transaction, at: datetime) -> None:
    """Answer one delivery in its thread; once, however often it is settled. The command line has no threads."""
    if surface_of(to.thread) in REGISTRY:
        tx.posts.want(wish(f"reply:{to.key}", to.thread, card), at)


def scene_of(tx: Transaction, event: Event, permissions: Permissions, house: House) -> Scene:
    task = tx.log.in_thread(event.task) if is_project(event.stream) else tx.log.task(event.task)
    return _scene(tx, task, permissions, house)


def _scene(tx: Transaction, task: Task, permissions: Permissions, house: House) -> Scene:
    ways, url = ways_of(task, house.public_url), task.delivery.url
    return Scene(
        task=replace(task, delivery=replace(task.delivery, url=ways.openable(url))) if url else task,
        ways=ways,
        decision=tx.ledger.find,
        name=tx.people.name,
        accounts=_accounts(tx, surface_of(task.request.thread)),
        deciders=lambda decision: _deciders(tx, permissions, task, decision),
        bill=lambda: Bill(spent=tx.calls.spent_on(task.id), budget=house.budget),
        paused=tx.jobs.current_pause,
        next_approver=permissions.next_approver,
        shown=lambda key: load_card(found.body) if (found := tx.posts.find(key)) else None,
        message=tx.posts.message_of,
        nobody=lambda decision: nobody_may(permissions, rule_of(decision), task.request.channel) or "",
    )


def _deciders(tx: Transaction, permissions: Permissions, task: Task, decision: Decision) -> tuple[Account, ...]:
    """The owner where the owner may decide and can be reached; else those who are named, where the task is."""
    surface = surface_of(task.request.thread)
    if Group.OWNER in rule_of(decision).who and (owner := _accounts(tx, surface)(decision.put_to)):
        return owner
    named = [account for group in sorted(rule_of(decision).who) for account in permissions.members(group)]
    return tuple(dict.fromkeys(a for a in named if surface_of(a) == surface))[:PINGED]


def _accounts(tx: Transaction, surface: str) -> Callable[[PersonId], tuple[Account, ...]]:
    def on_surface(person: PersonId) -> tuple[Account, ...]:
        return tuple(a for a in tx.people.get(person).accounts if surface_of(a) == surface)

    return on_surface
