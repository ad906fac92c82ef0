"""The console as a chat platform. Its messages live in our own store, so a post and its key are one row."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from urllib.parse import quote, urlsplit

from agents.domain.ids import Account, Thread, derive_id
from agents.ports import Clock
from bot.config.settings import Settings
from bot.config.state_folder import keep_secret
from bot.doctor_check import Check, Now, fail, ok
from bot.intake.inbox import Inbox
from bot.messages import Bounds, Card, Gone, Platform, Unsure, dump_card
from bot.platforms.console import ConsoleSettings
from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions, needs_login
from bot.queries import Pages
from bot.queries.query_api import QueryApi
from bot.services import Services
from store.database import Database, InTransaction, Result, StoreUnavailable
from store.transaction import Transaction

ANSWER = 2  # seconds for a program on this machine to say who it is


class ConsolePlatform:
    """Implements bot.messages.Platform."""

    name = "console"
    bounds = Bounds(title=300, text=12_000, rows=50, lines=200, buttons=25, label=80, whole=60_000)
    settle = 0.0

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        return await self._write(partial(self._put, thread, key, card, ""))

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        body, at = dump_card(card), self._clock.now()
        if not await self._write(lambda tx: tx.messages.edit(thread, message, body, at)):
            raise Gone(f"there is no message {message}")

    async def find(self, thread: Thread, key: str) -> str | None:
        return await self._database.read(lambda tx: tx.messages.find(thread, key))

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        """Writes nothing: the delivery it is for becomes the first message of the thread."""
        return Thread(f"{channel}:{derive_id('begun', key)}")

    async def permalink(self, thread: Thread, message: str) -> str:
        return f"/thread/{quote(thread, safe=':@')}#m-{message}"

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        await self._write(partial(self._put, thread, key, card, to))

    async def mark_seen(self, thread: Thread, message: str) -> None:
        if not await self._write(lambda tx: tx.messages.mark_seen(thread, message)):
            raise Gone(f"there is no message {message}")

    def _put(self, thread: Thread, key: str, card: Card, only_for: str, tx: Transaction) -> str:
        return tx.messages.post(thread, key, dump_card(card), self._clock.now(), only_for)

    async def _write(self, transaction: InTransaction[Result]) -> Result:
        try:
            return await self._database.write(transaction)
        except StoreUnavailable as problem:
            raise Unsure(problem.what) from problem


@asynccontextmanager
async def connect(settings: Settings, services: Services, inbox: Inbox, queries: QueryApi) -> AsyncIterator[Platform]:
    yield ConsolePlatform(services.database, services.clock)


def serve(settings: Settings, services: Services, queries: QueryApi, pages: Pages) -> AbstractAsyncContextManager[str]:
    console = settings.section(ConsoleSettings)
    known = not needs_login(console.host, console.proxies, pages.look_up)
    options = ConsoleOptions(
        host=console.host,
        port=console.port,
        names=(*console.names, *named_in(settings.public_url)),
        proxies=console.proxies,
        limits=settings.limits,
        look_up=pages.look_up,
        channels=pages.channels,
        login=settings.own_login,
        secret=keep_secret(settings.home / "console.secret"),
        sessions=None if known else pages.sessions,
        opening=pages.opening,
        now=services.clock.now,
        extra=pages.health,
    )
    return running(queries, options)


def named_in(url: str) -> tuple[str, ...]:
    """The name by which people are told to reach it, as a browser sends it."""
    return (urlsplit(url).netloc.rpartition("@")[2],) if url else ()


def checks(settings: Settings, now: Now) -> Iterator[Check]:
    """For `overlord doctor`: whether its port is free, or Overlord itself has it."""
    yield _port(settings.section(ConsoleSettings))


def _port(console: ConsoleSettings) -> Check:
    host, port = console.host, console.port
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return ok("console port", f"{host} port {port} is free")
    except OSError as error:
        if _answers(console.url):
            return ok("console port", f"Overlord runs on {console.url}")
        seen = f"{host} port {port} cannot be used: {error.strerror}"
        return fail("console port", seen, "Stop what uses it, or set OVERLORD_CONSOLE_PORT to another port.")


def _answers(url: str) -> bool:
    """Whether an Overlord speaks at this address, well or not."""
    import urllib.error
    import urllib.request

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/healthz", timeout=ANSWER) as reply:
            body = reply.read(10_000)
    except urllib.error.HTTPError as error:
        body = error.read(10_000)
    except OSError:
        return False
    try:
        said = json.loads(body)
    except ValueError:
        return False
    return isinstance(said, dict) and "ok" in said
