"""A durable step beside one bare commit, and beside a step of LangGraph's AsyncSqliteSaver.

What is in a step of ours, for 50 tasks at once, on SQLite with synchronous=FULL, through the program's own classes:

- one transaction of `Database.write`, awaited until it is on disk: the task is loaded, `answering.reply` decides, the
  fact is appended with its hash chain and the task's snapshot, and the delivery that led to it is settled;
- the launcher: it reads the fact, writes the row of a job that follows from it and moves its cursor. In the program
  only some facts lead to a job; here every fact does;
- the announcer (`bot.delivery.announcer.announce_calmly`): it reads the fact, draws the status card, writes the wish to
  show it and moves its cursor. As in the program, facts that one look finds of the same task share a drawing.

Both readers are pumps that wake when something was committed, as in the program, and the clock runs until they have
read the last fact and that is on disk too. Not in a step: storing the delivery before it is acknowledged (see
`press_to_durable_ack`) and carrying the card to a platform. `whole_message` is for information: the same remarks as
people send them, from `Inbox.accept` through `Inbox.settle` to both readers. It grows from round to round,
because nobody has a quota here: each message is counted with all before it, where the program stops at the quota.

One step of LangGraph is one node that appends one small item to its state, checkpointed at its default durability,
50 threads at once, in its own process.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agents.domain.decisions import answering
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Presser
from agents.domain.task.task import Task
from bot.delivery import announcer
from bot.intake.inbox import Inbox
from bot.live import ChangeNotifier
from bot.messages import Said
from bot.running.jobs import settle_waiting
from bot.running.scheduler import Pump
from bot.services import Services
from store.chat.deliveries import DeliveryState, Received
from store.codec import Cause
from store.transaction import Transaction
from tests.bench.floor import BareSqlite, bare_sqlite, folder
from tests.bench.office import open_office, open_tasks, owner_of
from tests.bench.peers import langgraph
from tests.bench.rows import Row, Say, compared, in_turn

FLOWS, ROUNDS = 50, 9
FACTS_EACH, MESSAGES_EACH = 240, 10  # a round and a task; many, so that the pause after the last card counts little
TEXT = "please keep the old endpoints working as well"

Round = Callable[[int], Awaitable[float]]


def run(say: Say) -> list[Row]:
    with folder() as place, bare_sqlite(place) as bare, langgraph(place, say) as peer:
        floors, ours, wholes = asyncio.run(_measure(place, bare, peer.per_step, say))
    rows = [
        compared("durable_step", ours, floors, beside="a bare SQLite commit, FULL", most=1.0),
        compared("whole_message", wholes, floors, beside="a bare SQLite commit, FULL"),
    ]
    if peer.problem:
        failed = Row(name="durable_step_langgraph", ours=rows[0].ours, failed=peer.problem)
        return [*rows, failed]
    langgraph_row = compared(
        "durable_step_langgraph", ours, peer.measured, beside="a step of LangGraph, AsyncSqliteSaver", most=0.1
    )
    return [*rows, langgraph_row]


async def _measure(
    place: Path, bare: BareSqlite, peer: Callable[[], None], say: Say
) -> tuple[list[float], list[float], list[float]]:
    floors, ours, wholes = [], [], []
    bell = ChangeNotifier()
    async with open_office(place, bell) as office:
        tasks = await open_tasks(office, FLOWS)
        for number in range(-1, ROUNDS):
            took: dict[str, float] = {}
            for what in in_turn(number, "commit", "step", "message", "peer"):
                match what:
                    case "commit":
                        took[what] = bare.per_commit()
                    case "step":
                        took[what] = await take_steps(office, bell, tasks, number)
                    case "message":
                        took[what] = await _messages(office, bell, tasks, number)
                    case _:
                        peer()
            say(f"round {number + 1}: " + ", ".join(f"{what} {took[what] * 1e3:.3f}" for what in sorted(took)) + " ms")
            if number >= 0:  # the first warms up
                floors.append(took["commit"])
                ours.append(took["step"])
                wholes.append(took["message"])
    return floors, ours, wholes


async def take_steps(office: Services, bell: ChangeNotifier, tasks: list[Task], number: int) -> float:
    """Seconds a fact."""
    keys = {task.id: [f"{number}:{task.id}:{n}" for n in range(FACTS_EACH)] for task in tasks}
    in_order = [(task, keys[task.id][n]) for n in range(FACTS_EACH) for task in tasks]  # as they would have come in
    await office.database.write(lambda tx: _keep(tx, in_order))
    async with _reading(office, bell) as all_read:
        before = time.perf_counter()
        await asyncio.gather(*(_flow(office, task, keys[task.id]) for task in tasks))
        await all_read()
        return (time.perf_counter() - before) / (FLOWS * FACTS_EACH)


async def _flow(office: Services, task: Task, keys: list[str]) -> None:
    presser = Presser(person=task.request.by)
    for key in keys:
        await office.database.write(partial(_step, office, task, presser, key))


def _step(office: Services, task: Task, presser: Presser, key: str, tx: Transaction) -> None:
    moment = office.moment(task.request.channel, key)
    facts = answering.reply(tx.log.task(task.id), Utterance(text=TEXT), presser, moment)
    tx.log.append(task.id, facts, Cause(actor=owner_of(task), delivery=key))
    tx.deliveries.settle(key, DeliveryState.HANDLED, f"{task.id}: RemarkMade", moment.at)


async def _messages(office: Services, bell: ChangeNotifier, tasks: list[Task], number: int) -> float:
    inbox = Inbox(office)
    settling = Pump("settle", partial(settle_waiting, inbox), frozenset({"deliveries"}))
    async with _reading(office, bell, settling) as all_read:
        before = time.perf_counter()
        await asyncio.gather(*(_say_all(inbox, task, number) for task in tasks))
        await all_read()
        return (time.perf_counter() - before) / (FLOWS * MESSAGES_EACH)


async def _say_all(inbox: Inbox, task: Task, number: int) -> None:
    for n in range(MESSAGES_EACH):
        key = f"said:{number}:{task.id}:{n}"
        said = Said(
            key=key, thread=task.request.thread, channel=task.request.channel, message=key, by=owner_of(task),
            text=TEXT, mentions_bot=True, at=datetime.now(UTC),
        )  # fmt: skip
        await inbox.accept(said)


@asynccontextmanager
async def _reading(office: Services, bell: ChangeNotifier, *more: Pump) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Both readers at work; yields a wait until they have read all facts there are."""
    write = office.database.write
    pumps = (
        Pump("launch", lambda: write(_launch), frozenset({"facts"})),
        Pump("announce", partial(announcer.announce_calmly, office), frozenset({"facts"})),
        *more,
    )

    async def all_read() -> None:
        async for _ in bell.changes():
            if await office.database.read(_all_read):
                return

    for pump in pumps:
        bell.wake_on(pump.wakes_on, pump.wake)
    at_work = [asyncio.create_task(pump.run(office.clock)) for pump in pumps]
    try:
        yield all_read
    finally:
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)


def _all_read(tx: Transaction) -> bool:
    left = (tx.log.unread(reader, 1) for reader in ("launcher", "announcer"))
    return not tx.deliveries.to_settle(1) and not any(left)


def _launch(tx: Transaction) -> int:
    """`bot.running.jobs.launch`, but every fact leads to a job."""
    unread = tx.log.unread("launcher", announcer.BATCH)
    tx.jobs.ask(*((recorded, "intake", "") for recorded in unread))
    if unread:
        tx.log.mark_read("launcher", unread[-1].seq)
    return len(unread)


def _keep(tx: Transaction, keys: list[tuple[Task, str]]) -> None:
    for task, key in keys:
        received = Received(
            key=key, kind="Said", body=TEXT, account=owner_of(task), channel=task.request.channel,
            thread=task.request.thread, at=datetime.now(UTC),
        )  # fmt: skip
        tx.deliveries.keep(received)
