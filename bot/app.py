"""Where everything is put together. The only module that knows every other."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agents.domain.decisions.decision import Decision
from agents.domain.task.task import Task
from agents.domain.text.redact import Redactor
from agents.ports import Clock, Ports
from agents.workspace.files.artefacts import FileArtefacts
from bot.change_notifier import ChangeNotifier
from bot.config.platforms import OWN
from bot.config.settings import Settings
from bot.config.state_folder import keep_secret, make_database_private, make_home
from bot.delivery import announcer
from bot.delivery.outbox import Outbox
from bot.doctor_check import Check
from bot.intake.inbox import Inbox
from bot.joining import connect_all, serve_own_pages
from bot.messages import Card, Platform
from bot.network import HERE, LookUp
from bot.permissions import Permissions
from bot.queries.backup import check_archive, check_database, check_file
from bot.queries.people_queries import PeopleQueries
from bot.queries.query_api import DirectQueries, QueryApi
from bot.queries.views import Pages
from bot.running.health import Health
from bot.running.jobs import Jobs, launch, settle_waiting
from bot.running.pump import Pump, Watch
from bot.running.scheduler import Periodic, Scheduler
from bot.running.timers import Timers
from bot.services import Leases, Services, SystemClock, catalog_of
from store.codec import shape
from store.database import Database
from store.retention import ARCHIVE
from store.running.jobs import Job
from store.streams.audit import Progress
from store.transaction import Transaction

if TYPE_CHECKING:
    from bot.running.world import World

log = logging.getLogger("overlord.app")

TURN = 0.0005  # seconds after which a busy thread of the store gives way to the loop; Python's own 0.005 add up
FIRST = 0.02  # seconds in which whoever waits at the door is let in, before what was left behind is looked for
SHOWN = (Card, Task, Decision)  # what pages and pumps read first; the library that reads it is slow to load
SUGGESTIONS = (
    "@overlord add rate limiting to the public API",
    "@overlord the nightly report is empty on Mondays, find out why",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The running program, for whoever started it."""

    address: str  # of the console
    office: Services
    inbox: Inbox
    desk: QueryApi
    models: str  # which serve, and why


async def run(settings: Settings, on_ready: Callable[[Program], None] = lambda program: None) -> None:
    """The whole program, until it is asked to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    async with running(settings) as program:
        on_ready(program)
        await stop.wait()


@asynccontextmanager
async def running(
    settings: Settings,
    clock: Clock | None = None,
    swap: Callable[[Ports], Ports] = lambda ports: ports,
    look_up: LookUp | None = HERE,
) -> AsyncIterator[Program]:
    """Start everything, and stop it in the other order. What was under way is in the store.

    `swap` gives the flows another world than the settings do. `look_up` says whose a connection to the console is.
    """
    sys.setswitchinterval(TURN)
    async with AsyncExitStack() as stack:
        (bell := ChangeNotifier()).attach()
        office = stack.enter_context(_opened(settings, clock or SystemClock(), bell))
        inbox, leases, scheduler = Inbox(office), Leases(office.clock), Scheduler(office.clock)
        desk = QueryApi(office, inbox, bell, FileArtefacts(settings.home))
        await office.database.write(partial(_prepare, settings, leases))
        platforms = await stack.enter_async_context(connect_all(settings, office, inbox, desk))
        outbox = Outbox(office, platforms, leases)
        world: asyncio.Future[World] = asyncio.get_running_loop().create_future()
        jobs = Jobs(office, partial(_ports, world, swap), leases, scheduler)
        pumps = _pumps(office, inbox, outbox, jobs)
        stack.push_async_callback(_closed, world)  # once no job needs it any more
        stack.push_async_callback(jobs.stop)
        opened, offered = asyncio.Event(), list(SUGGESTIONS)
        await stack.enter_async_context(_pumping(pumps, bell, office.clock, opened))
        await stack.enter_async_context(_meanwhile(Watch(office.database, office.clock, bell, scheduler.realign).run()))
        health, people = Health(office, pumps).endpoints, PeopleQueries(office)
        pages = Pages(sessions=people, health=health, look_up=look_up, suggestions=offered)
        address = await stack.enter_async_context(serve_own_pages(settings, office, desk, pages))
        await _let_in()
        opened.set()
        made = await _make_world(settings, office, address)
        offered[:] = made.offers or SUGGESTIONS
        await stack.enter_async_context(_meanwhile(made.workshop.tidy()))
        outer, periodic = _outer_work(settings, inbox, made, platforms)
        await stack.enter_async_context(_pumping(outer, bell, office.clock, opened))
        await scheduler.repeat(periodic)
        world.set_result(made)  # jobs that are there already wait for it
        yield Program(address=address, office=office, inbox=inbox, desk=desk, models=made.serves)


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator[QueryApi]:
    """The desk without the program: what the CLI does is settled at once, whether or not the program runs."""
    bell = ChangeNotifier()
    bell.attach()
    with _opened(settings, SystemClock(), bell) as office:
        await office.database.write(partial(_prepare, settings, None))
        yield DirectQueries(office, Inbox(office), bell, FileArtefacts(settings.home))


@asynccontextmanager
async def open_people(settings: Settings) -> AsyncIterator[PeopleQueries]:
    with _opened(settings, SystemClock(), ChangeNotifier()) as office:
        await office.database.write(partial(_prepare, settings, None))
        yield PeopleQueries(office)


async def check_store(settings: Settings, tell: Progress, *, quick: bool) -> list[Check]:
    """What `overlord doctor` wants to know of the database; `quick`: without going through all facts."""
    with _opened(settings, SystemClock(), ChangeNotifier()) as office:
        if quick:
            return [await office.database.read(check_file)]
        found = await office.database.read(partial(check_database, tell=tell))
        return [*found, await office.database.read(partial(check_archive, settings.home / ARCHIVE))]


class _opened:
    """The office, with its database open for as long as the block runs."""

    def __init__(self, settings: Settings, clock: Clock, bell: ChangeNotifier) -> None:
        make_home(settings.home)
        make_database_private(settings.database_url)
        self._database = Database(settings.database_url, bell.ring)
        permissions = Permissions(settings.groups, settings.operators, settings.channels)
        self._office = Services(
            database=self._database,
            permissions=permissions,
            clock=clock,
            limits=settings.limits,
            budgets=settings.budgets,
            retention=settings.retention,
            redact=Redactor(settings.secrets),
            catalog=catalog_of(settings.declared),
            public_url=settings.public_url,
            kept=FileArtefacts(settings.home).read,
        )

    def __enter__(self) -> Services:
        return self._office

    def __exit__(self, *_: object) -> None:
        self._database.close()


async def _ports(world: "asyncio.Future[World]", swap: Callable[[Ports], Ports], job: Job) -> Ports:
    made = await asyncio.shield(world)
    return swap(await made.ports(job))


async def _closed(world: "asyncio.Future[World]") -> None:
    if world.done() and not world.cancelled():
        await world.result().close()


async def _let_in() -> None:
    """Whoever waits at the door comes first; then what they ask for next is made ready."""
    await asyncio.sleep(FIRST)
    for kind in SHOWN:
        await asyncio.to_thread(shape, kind)


async def _make_world(settings: Settings, office: Services, console: str) -> "World":
    """Flows, models, prompts and git are slow to load, and no answer of the console needs them."""
    for slow in ("agents.flows", "bot.running.world"):
        await asyncio.to_thread(import_module, slow)
    from bot.running.world import make_world

    return await make_world(settings, office, keep_secret(settings.home / "prompts.secret"), console)


def _pumps(office: Services, inbox: Inbox, outbox: Outbox, jobs: Jobs) -> tuple[Pump, ...]:
    timers = Timers(office, since=office.clock.now())
    return (
        Pump("settle", partial(settle_waiting, inbox), frozenset({"deliveries"})),
        Pump("launch", lambda: office.database.write(launch), frozenset({"facts"})),
        Pump("announce", partial(announcer.announce_calmly, office), frozenset({"facts"})),
        *(Pump(f"send-{to}", step, frozenset({"posts"}), outbox.next_due) for to, step in outbox.steps().items()),
        Pump("jobs", jobs.run_waiting, frozenset({"jobs"}), jobs.next_try, jobs.ended),
        Pump("timers", timers.fire_due, frozenset({"timers"}), timers.next_due),
    )


def _outer_work(
    settings: Settings, inbox: Inbox, world: "World", platforms: Mapping[str, Platform]
) -> tuple[tuple[Pump, ...], tuple[Periodic, ...]]:
    """Pumps that begin threads of their own, and periodic work; what troubles them is no trouble of ours."""
    from bot.running.new_threads import ApprovedProposals, Elsewhere, SecondTasks
    from bot.running.upkeep import periodic_work

    elsewhere = Elsewhere(open=settings.own_channel, alone=f"{OWN}:@{settings.own_login}")
    approved = ApprovedProposals(world.office, inbox, platforms, elsewhere)
    second = SecondTasks(world.office, inbox, platforms)
    pumps = (
        Pump("second-tasks", second.begin, frozenset({"second_tasks"}), second.next_due),
        Pump("proposals", approved.carry_out, frozenset({"proposals"}), approved.next_due),
    )
    return pumps, periodic_work(settings, inbox, world, platforms)


@asynccontextmanager
async def _meanwhile(doing: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Something that nobody waits for. What goes wrong with it is in the log."""
    task = asyncio.create_task(doing)
    task.add_done_callback(_told)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _told(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (problem := task.exception()):
        log.warning("a task of the background ended", extra={"task": repr(task.get_coro()), "problem": repr(problem)})


@asynccontextmanager
async def _pumping(
    pumps: tuple[Pump, ...], bell: ChangeNotifier, clock: Clock, opened: asyncio.Event
) -> AsyncIterator[None]:
    """Pumps work from the moment the door is open, and for as long as the block runs."""

    async def when_opened(pump: Pump) -> None:
        await opened.wait()
        await pump.run(clock)

    tasks = []
    for pump in pumps:
        bell.wake_on(pump.wakes_on, pump.wake)
        tasks.append(asyncio.create_task(when_opened(pump), name=f"pump-{pump.name}"))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _prepare(settings: Settings, leases: Leases | None, tx: Transaction) -> None:
    """The operator is one person on the console and in the CLI. Holders that died are found at once."""
    operators = sorted(settings.operators)
    for account in operators:
        tx.people.of(account, name=account.partition(":")[2])
        tx.people.link(operators[0], account)
    if leases:
        leases.look_for_the_dead(tx)
