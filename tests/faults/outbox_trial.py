"""The outbox alone, against a provider that accepts and then fails, while its process is killed again and again."""

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx

from agents.domain.decisions.authority import Group
from agents.domain.ids import Thread
from agents.domain.limits import Limits
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.live import ChangeNotifier
from bot.messages import Card, Platform
from bot.permissions import Permissions
from bot.running.scheduler import Pump, Watch, run_beside
from bot.services import Leases, Services
from store.chat.posts import Wish
from store.database import Database
from store.migrations import migrate
from store.sql import make_engines
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.flaky_provider import Faults, FlakyPlatform, a_provider
from tests.faults.killing import Main, Mortal, Ready, living, until
from tests.faults.outside import Glimpse, Outside

# A minute passes in 1.5 s: time-out 0.375 s, settle 0.625 s, send lease 1.125 s. The provider shows what it took within
# 0.3 s, which leaves a busy machine as much again.
SCALE = 40.0
MakeOutbox = Callable[[Services, Mapping[str, Platform], Leases], Outbox]


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What is to be sent, and what may go wrong meanwhile."""

    seed: int
    threads: int = 20
    posts: int = 15  # in each thread
    senders: int = 1  # processes that send at the same time (P19)
    kills: int = 12  # of each sender
    steps: int = 150  # a sender dies at a step up to this one
    faults: Faults = field(default_factory=Faults)
    limits: Limits = field(default_factory=Limits)
    outbox: MakeOutbox = Outbox
    platform: Callable[[str], Platform] = FlakyPlatform
    patience: float = 90.0

    @property
    def expected(self) -> dict[Thread, list[str]]:
        """Keys of each thread, in their order."""
        return {Thread(f"flaky:room:{at}"): [f"post-{n}" for n in range(self.posts)] for at in range(self.threads)}

    def wishes(self, title: Callable[[str], str]) -> list[Wish]:
        """All of it, the threads by turns."""
        rounds = zip(*([(thread, key) for key in keys] for thread, keys in self.expected.items()), strict=True)
        return [wish(key, thread, Card(title=title(key))) for turn in rounds for thread, key in turn]


@dataclass
class Sent:
    seed: int
    posts: int = 0
    died: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    stale: int = 0  # shows something other than was last wanted
    problem: str = ""

    @property
    def is_right(self) -> bool:
        return not (self.lost or self.doubled or self.out_of_order or self.stale or self.problem)


def office_in(home: Path, clock: ScaledClock, limits: Limits, bell: ChangeNotifier) -> Services:
    nobody = Permissions({group: frozenset() for group in Group}, frozenset(), {})
    database = Database(f"sqlite:///{home / 'overlord.db'}", bell.notify)
    return Services(database=database, permissions=nobody, clock=clock, limits=limits)


def a_sender(home: Path, errand: Errand, address: str) -> Main:
    """A process that does nothing but send, and notices what another process has written."""
    since = time.time()

    async def main(ready: Ready) -> None:
        bell = ChangeNotifier()
        bell.attach()
        office = office_in(home, ScaledClock(SCALE, since), errand.limits, bell)
        leases = Leases(office.clock)
        await office.database.write(leases.look_for_the_dead)
        outbox = errand.outbox(office, {"flaky": errand.platform(address)}, leases)
        pump = Pump("send", outbox.send_due, frozenset({"posts"}), outbox.next_due)
        bell.wake_on(pump.wakes_on, pump.wake)
        ready("sending")
        async with run_beside(Watch(office.database, office.clock, bell).run()):
            await pump.run(office.clock)

    return main


class Delivering:
    """Senders at work on one errand, with their provider."""

    def __init__(self, home: Path, provider: Mortal, senders: Sequence[Mortal], patience: float) -> None:
        self.home, self.senders = home, senders
        self._provider, self._patience = provider, patience
        self._outside = Outside(home / "overlord.db")

    def until(self, condition: Callable[[Glimpse], bool], what: str) -> None:
        def holds() -> bool:
            with self._outside.look() as glimpse:
                return condition(glimpse)

        until(holds, *self.senders, what=what, patience=self._patience)

    def until_idle(self) -> None:
        self.until(lambda glimpse: glimpse.is_idle, "everything is sent")

    def want(self, *wishes: Wish) -> None:
        want(self.home, *wishes)

    def shown(self) -> dict[str, list[dict[str, str]]]:
        """What the provider shows, thread by thread."""
        threads: dict[str, list[dict[str, str]]] = httpx.get(f"{self._provider.address}/all", timeout=60).json()
        return threads


def want(home: Path, *wishes: Wish) -> None:
    """Wishes in one transaction, by a hand that is not the bot's."""
    writer, reader = make_engines(f"sqlite:///{home / 'overlord.db'}")
    with writer.begin() as db:
        migrate(db)
        for wished in wishes:
            Transaction(db).posts.want(wished, datetime.now(UTC))
    writer.dispose()
    reader.dispose()


@contextmanager
def delivering(errand: Errand, home: Path) -> Iterator[Delivering]:
    chance = random.Random(errand.seed)
    provider = Mortal(a_provider(errand.faults, errand.seed), home / "provider.log")
    want(home)
    with ExitStack() as alive:
        alive.enter_context(living(provider))
        main = a_sender(home, errand, provider.address)
        kills = [[chance.randint(1, errand.steps) for _ in range(errand.kills)] for _ in range(errand.senders)]
        senders = [Mortal(main, home / "sender.log", steps) for steps in kills]
        for sender in senders:
            alive.enter_context(living(sender))
        yield Delivering(home, provider, senders, errand.patience)


def run_errand(errand: Errand) -> Sent:
    """One trial: everything is posted, half-way all of it is edited, and then it is counted at the provider."""
    sent, home = Sent(errand.seed), Path(tempfile.mkdtemp(prefix="overlord-outbox-"))
    half = errand.threads * errand.posts // 2
    want(home, *errand.wishes(lambda key: key))
    try:
        with delivering(errand, home) as under_way:
            under_way.until(lambda g: sum(bool(row.message) for row in g.rows("posts")) >= half, "half of it is sent")
            under_way.want(*errand.wishes(lambda key: f"{key}, edited"))
            under_way.until_idle()
            sent.died = sum(sender.died for sender in under_way.senders)
            _count(sent, errand, under_way.shown())
    except AssertionError as problem:
        sent.problem = str(problem)
    if sent.is_right:
        shutil.rmtree(home)
    return sent


def _count(sent: Sent, errand: Errand, threads: dict[str, list[dict[str, str]]]) -> None:
    for thread, wanted in errand.expected.items():
        shown = threads.get(thread, [])
        keys = [message["key"] for message in shown]
        first = list(dict.fromkeys(keys))
        sent.posts += len(wanted)
        sent.lost += len(set(wanted) - set(keys))
        sent.doubled += len(keys) - len(first)
        sent.out_of_order += sum(a != b for a, b in zip(first, [k for k in wanted if k in first], strict=True))
        sent.stale += sum(not message["text"].startswith(f"{message['key']}, edited") for message in shown)
