"""A press may reach us before the id of the message it was made on: then, too, it counts."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.ids import Thread
from agents.domain.limits import Limits
from agents.domain.task.task import Task
from bot.delivery.announcer import announce
from bot.intake.inbox import Inbox
from bot.live import ChangeNotifier
from bot.messages import Choice, Pressed, load_card
from bot.platforms.console.platform import ConsolePlatform
from bot.services import Leases, Services
from store.chat.deliveries import DeliveryState
from store.chat.posts import Post
from tests.fakes.clock import ScaledClock
from tests.faults.outbox_trial import office_in
from tests.faults.tasks import ANA, CHANNEL, THREAD, a_task


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Services]:
    made = office_in(tmp_path, ScaledClock(1, time.time()), Limits(), ChangeNotifier())
    yield made
    made.database.close()


async def post_all(office: Services) -> tuple[Task, str]:
    """Post every card of a new task, and die before the last one's id is written down. Returns that id."""
    task = await office.database.write(a_task)
    await office.database.write(lambda tx: announce(tx, office.permissions, office.clock.now()))
    post, message = await put_next(office)
    now = office.clock.now()
    await office.database.write(lambda tx: tx.posts.mark_sent(post, message, now, office.limits))
    _, unnoted = await put_next(office)
    return task, unnoted


async def put_next(office: Services) -> tuple[Post, str]:
    lease = Leases(office.clock).for_seconds(45)
    (post,) = await office.database.write(lambda tx: tx.posts.claim(lease, office.limits, 1))
    platform = ConsolePlatform(office.database, office.clock)
    return post, await platform.post(post.thread, post.key, load_card(post.body))


async def pressed(office: Services, task: Task, message: str, thread: Thread = THREAD) -> DeliveryState:
    question = task.of_kind(Kind.PROJECT)
    assert question
    token = Choice(decision=question.id, letter=question.options[0].letter).token
    inbox = Inbox(office)
    await inbox.accept(
        Pressed(
            key=f"press:{thread}", thread=thread, channel=CHANNEL, message=message, by=ANA, token=token,
            at=office.clock.now(),
        )
    )  # fmt: skip
    (received,) = await inbox.waiting()
    return (await inbox.settle(received)).state


async def test_a_press_on_a_card_whose_sender_died_before_it_noted_the_id_counts(office: Services) -> None:
    task, message = await post_all(office)
    assert await pressed(office, task, message) is DeliveryState.HANDLED


async def test_a_press_on_a_message_where_no_such_card_is_under_way_does_not(office: Services) -> None:
    task, message = await post_all(office)
    elsewhere = Thread(f"{CHANNEL}:2")
    assert await pressed(office, task, message, elsewhere) is DeliveryState.REFUSED
