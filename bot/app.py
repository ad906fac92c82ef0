"""Where everything is put together. The only module that knows every other."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from agents.domain.decisions.decision import Decision
from agents.domain.task.task import Task
from agents.domain.text.redact import Redactor
from agents.ports import Clock, Ports
from agents.workspace.files.artefacts import FileArtefacts
from bot.cards.opening import Opening
from bot.config.git_manners import manners_of
from bot.config.platforms import OWN, load, platforms
from bot.config.settings import Settings
from bot.config.settings_source import SettingsSource
from bot.config.state_folder import keep_secret, make_database_private, make_home
from bot.delivery import announcer
from bot.delivery.outbox import Outbox
from bot.doctor_check import Check
from bot.intake.inbox import Inbox
from bot.intake.meant_commands import say_meant
from bot.live import ChangeNotifier
from bot.messages import Card, Platform
from bot.network import HERE, LookUp
from bot.permissions import Permissions
from bot.queries import Pages
from bot.queries.acts_queries import ActsQueries
from bot.queries.learning import SkillQueries
from bot.queries.people_queries import PeopleQueries
from bot.queries.query_api import DirectQueries, QueryApi
from bot.queries.supervision_queries import SupervisionQueries
from bot.running.health import Health
from bot.running.jobs import Jobs, launch, settle_waiting
from bot.running.personal.digests import DigestRounds
from bot.running.reloading import CurrentWorld, Reloading
from bot.running.scheduler import Periodic, Pump, Scheduler, Watch, run_beside, run_pumps
from bot.running.settings_acts import SettingsActs
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

TURN = 0.0005  # seconds after which a busy thread of the store gives way to the loop; Python's own 0.005 add up
FIRST = 0.02  # seconds in which whoever waits at the door is let in, before what was left behind is looked for
SHOWN = (Card, Task, Decision)  # what pages and pumps read first; the library that reads it is slow to load
Connect = Callable[[Settings, Services, Inbox, QueryApi], AbstractAsyncContextManager[Platform]]
Serve = Callable[[Settings, Services, QueryApi, Pages], AbstractAsyncContextManager[str]]


@dataclass(frozen=True, slots=True)
class Program:
    """The running program, for whoever started it."""

    address: str  # of the console
    services: Services
    inbox: Inbox
    queries: QueryApi
    models: str  # which serve, and why
    reloading: Reloading | None = None  # reads the settings again, where it is known whence


async def run(
    settings: Settings,
    on_ready: Callable[[Program], None] = lambda program: None,
    source: SettingsSource | None = None,
) -> None:
    """The whole program, until it is asked to stop. SIGHUP has it read its settings again."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    async with running(settings, source=source) as program:
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGHUP, partial(_reload, program, reloads := set[asyncio.Task[None]]()))
        on_ready(program)
        database = program.services.database
        database.on_damage = partial(loop.call_soon_threadsafe, stop.set)
        if not database.damage:
            await stop.wait()
        await asyncio.gather(*reloads)
    if database.damage:
        raise database.damage


def _reload(program: Program, reloads: set[asyncio.Task[None]]) -> None:
    if program.reloading:
        reloads.add(task := asyncio.create_task(program.reloading.reload_on_signal()))
        task.add_done_callback(reloads.discard)


@asynccontextmanager
async def running(
    settings: Settings,
    clock: Clock | None = None,
    swap: Callable[[Ports], Ports] = lambda ports: ports,
    look_up: LookUp | None = HERE,
    source: SettingsSource | None = None,
) -> AsyncIterator[Program]:
    """Start everything, and stop it in the other order. What was under way is in the store.

    `swap` gives the flows another world than the settings do. `look_up` says whose a connection to the console is.
    `source`: where the settings came from; without it they are never read again.
    """
    sys.setswitchinterval(TURN)
    async with AsyncExitStack() as stack:
        (notifier := ChangeNotifier()).attach()
        services = stack.enter_context(_open_services(settings, clock or SystemClock(), notifier))
        inbox, leases, scheduler = Inbox(services), Leases(services.clock), Scheduler(services.clock)
        queries = QueryApi(services, inbox, notifier, FileArtefacts(settings.home))
        await services.database.write(partial(_prepare, settings, leases))
        joined = await stack.enter_async_context(_connect(settings, services, inbox, queries))
        outbox, world = Outbox(services, joined, leases), CurrentWorld(asyncio.get_running_loop().create_future())
        jobs = Jobs(services, partial(_ports, world, swap), leases, scheduler)
        pumps = _pumps(services, inbox, outbox, jobs)
        stack.push_async_callback(_stop, jobs, world)
        opened = asyncio.Event()
        await stack.enter_async_context(run_pumps(pumps, notifier, services.clock, opened))
        watch = Watch(services.database, services.clock, notifier, scheduler.realign)
        await stack.enter_async_context(run_beside(watch.run()))
        pages = _pages(settings, services, pumps, look_up)
        serve: Serve = load(platforms()[0].serve)
        address = await stack.enter_async_context(serve(settings, services, queries, pages))
        await _open_door(opened)
        remaking = Remaking(inbox, joined, scheduler, world, pages, address, services)
        reloading = Reloading(source, settings, services, remaking.take_over) if source else None
        made, outer = await remaking.make(settings)
        await stack.enter_async_context(run_beside(made.get_ready()))
        more = (*outer, *_reload_pumps(reloading))
        await stack.enter_async_context(run_pumps(more, notifier, services.clock, opened))
        world.ready.set_result(made)  # jobs that are there already wait for it
        yield Program(address, services, inbox, queries, made.serves, reloading)


def _pages(settings: Settings, services: Services, pumps: Sequence[Pump], look_up: LookUp | None) -> Pages:
    return Pages(
        sessions=PeopleQueries(services),
        health=Health(services, tuple(pumps)).endpoints,
        look_up=look_up,
        opening=Opening(),
        channels=list(settings.channels_on(OWN)),
    )


def _reload_pumps(reloading: Reloading | None) -> tuple[Pump, ...]:
    if reloading is None:
        return ()
    return (Pump("settings", SettingsActs(reloading).carry_out, frozenset({"acts"})),)


@dataclass(frozen=True, slots=True)
class Remaking:
    """What is made from the settings: at the start, and again when others are taken over."""

    inbox: Inbox
    joined: Mapping[str, Platform]
    scheduler: Scheduler
    world: CurrentWorld
    pages: Pages
    address: str
    services: Services

    async def make(self, settings: Settings) -> "tuple[World, tuple[Pump, ...]]":
        made = await _make_world(settings, self.services, self.address)
        self.pages.opening.fill(sample=made.sample, offers=made.offers, rehearses=made.rehearses)
        self.pages.channels[:] = settings.channels_on(OWN)
        self.services.named.fill(settings)
        pumps, periodic = _outer_work(settings, self.inbox, made, self.joined)
        await self.scheduler.repeat(periodic)
        return made, pumps

    async def take_over(self, settings: Settings) -> None:
        made, _ = await self.make(settings)
        self.world.replace(made)


@asynccontextmanager
async def open_queries(settings: Settings) -> AsyncIterator[QueryApi]:
    """Queries without the program: what the CLI does is settled at once, whether or not the program runs."""
    notifier = ChangeNotifier()
    notifier.attach()
    with _open_services(settings, SystemClock(), notifier) as services:
        await services.database.write(partial(_prepare, settings, None))
        yield DirectQueries(services, Inbox(services), notifier, FileArtefacts(settings.home))


@asynccontextmanager
async def open_skills(settings: Settings) -> AsyncIterator[SkillQueries]:
    with _open_services(settings, SystemClock(), ChangeNotifier()) as services:
        await services.database.write(partial(_prepare, settings, None))
        yield SkillQueries(services.database)


@asynccontextmanager
async def open_people(settings: Settings) -> AsyncIterator[PeopleQueries]:
    with _open_services(settings, SystemClock(), ChangeNotifier()) as services:
        await services.database.write(partial(_prepare, settings, None))
        yield PeopleQueries(services)


@asynccontextmanager
async def open_supervision(settings: Settings) -> AsyncIterator[SupervisionQueries]:
    with _open_services(settings, SystemClock(), ChangeNotifier()) as services:
        await services.database.write(partial(_prepare, settings, None))
        yield SupervisionQueries(services)


@asynccontextmanager
async def open_acts(settings: Settings) -> AsyncIterator[ActsQueries]:
    with _open_services(settings, SystemClock(), ChangeNotifier()) as services:
        yield ActsQueries(services)


async def check_store(settings: Settings, tell: Progress, *, quick: bool) -> list[Check]:
    """What `overlord doctor` wants to know of the database; `quick`: without going through all facts."""
    from bot.queries.backup import check_archive, check_database, check_file, check_resting

    with _open_services(settings, SystemClock(), ChangeNotifier()) as services:
        resting = await services.database.read(partial(check_resting, services.clock.now()))
        if quick:
            return [await services.database.read(check_file), resting]
        found = await services.database.read(partial(check_database, tell=tell))
        return [*found, resting, await services.database.read(partial(check_archive, settings.home / ARCHIVE))]


@contextmanager
def _open_services(settings: Settings, clock: Clock, notifier: ChangeNotifier) -> Iterator[Services]:
    """With the database open for as long as the block runs."""
    make_home(settings.home)
    make_database_private(settings.database_url)
    with closing(Database(settings.database_url, notifier.notify)) as database:
        yield Services(
            database=database,
            permissions=Permissions(settings.groups, settings.operators, settings.channels),
            clock=clock,
            limits=settings.limits,
            budgets=settings.budgets,
            retention=settings.retention,
            redact=Redactor(settings.secrets),
            catalog=catalog_of(settings.declared),
            project_workflows={each.name: each.workflow for each in settings.projects if each.workflow},
            manners=manners_of(settings.git),
            project_manners={each.name: manners_of(settings.git, each.git) for each in settings.projects},
            identity_of=settings.git.identity_of,
            public_url=settings.public_url,
            kept=FileArtefacts(settings.home).read,
            supervisors=settings.supervisors_switched,
            adaptive=settings.adaptive,
        )


@asynccontextmanager
async def _connect(
    settings: Settings, services: Services, inbox: Inbox, queries: QueryApi
) -> AsyncIterator[dict[str, Platform]]:
    """The platforms by name, listening for as long as the block runs. Libraries of the others are not loaded."""
    async with AsyncExitStack() as stack:
        joined: dict[str, Platform] = {}
        for spec in platforms():
            if settings.platforms[spec.name].joins:
                connect: Connect = load(spec.connect)
                joined[spec.name] = await stack.enter_async_context(connect(settings, services, inbox, queries))
        yield joined


async def _ports(world: CurrentWorld, swap: Callable[[Ports], Ports], job: Job) -> Ports:
    made = await asyncio.shield(world.ready)
    return swap(await made.ports(job))


async def _stop(jobs: Jobs, world: CurrentWorld) -> None:
    """The world is closed once no job needs it any more."""
    try:
        await jobs.stop()
    finally:
        await world.close()


async def _open_door(opened: asyncio.Event) -> None:
    """Whoever waits at the door comes first; then what they ask for next is made ready, and pumps may begin."""
    await asyncio.sleep(FIRST)
    for kind in SHOWN:
        await asyncio.to_thread(shape, kind)
    opened.set()


async def _make_world(settings: Settings, services: Services, console: str) -> "World":
    """Flows, models, prompts and git are slow to load, and no answer of the console needs them."""
    for slow in ("agents.flows", "bot.running.world"):
        await asyncio.to_thread(import_module, slow)
    from bot.running.world import make_world

    return await make_world(settings, services, keep_secret(settings.home / "prompts.secret"), console)


def _pumps(services: Services, inbox: Inbox, outbox: Outbox, jobs: Jobs) -> tuple[Pump, ...]:
    timers, digests = Timers(services, since=services.clock.now()), DigestRounds(services)
    return (
        Pump("settle", partial(settle_waiting, inbox), frozenset({"deliveries"})),
        Pump("launch", lambda: services.database.write(launch), frozenset({"facts"})),
        Pump("commands", lambda: services.database.write(partial(_say_meant, services)), frozenset({"commands"})),
        Pump("announce", partial(announcer.announce_calmly, services), frozenset({"facts"})),
        *(Pump(f"send-{to}", step, frozenset({"posts"}), outbox.next_due) for to, step in outbox.steps().items()),
        Pump("jobs", jobs.run_waiting, frozenset({"jobs"}), jobs.next_try, jobs.ended),
        Pump("digests", digests.go_round, frozenset({"digests", "needs"}), digests.next_due),
        Pump("timers", timers.fire_due, frozenset({"timers"}), timers.next_due),
    )


def _say_meant(services: Services, tx: Transaction) -> int:
    return say_meant(tx, services.clock.now())


def _outer_work(
    settings: Settings, inbox: Inbox, world: "World", joined: Mapping[str, Platform]
) -> tuple[tuple[Pump, ...], tuple[Periodic, ...]]:
    """Pumps that begin threads of their own, and periodic work; what troubles them is no trouble of ours."""
    from bot.running.new_threads import ApprovedProposals, DiscussedProposals, Elsewhere, SecondTasks, Threads
    from bot.running.upkeep import periodic_work

    elsewhere = Elsewhere(open=settings.own_channel, alone=f"{OWN}:@{settings.own_login}")
    threads = Threads(services=world.services, inbox=inbox, platforms=joined, elsewhere=elsewhere)
    approved, second = ApprovedProposals(threads), SecondTasks(threads)
    discussed = DiscussedProposals(threads)
    pumps = (
        Pump("discussed", discussed.begin_waiting, frozenset({"second_tasks"}), discussed.next_due),
        Pump("second-tasks", second.begin_waiting, frozenset({"second_tasks"}), second.next_due),
        Pump("proposals", approved.begin_waiting, frozenset({"proposals"}), approved.next_due),
    )
    return pumps, periodic_work(settings, world, threads)


def _prepare(settings: Settings, leases: Leases | None, tx: Transaction) -> None:
    """The operator is one person on the console and in the CLI. Holders that died are found at once."""
    operators = sorted(settings.operators)
    for account in operators:
        tx.people.of(account, name=account.partition(":")[2])
        tx.people.link(operators[0], account)
    if leases:
        leases.look_for_the_dead(tx)
