"""The whole fake: a workspace, its server, its sockets and its people, opened for one test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from agents.catalog.yaml import read_yaml
from manifests import packaged_path
from tests.fakes.slack.api_reading import WholeApi
from tests.fakes.slack.delivery import Deliveries
from tests.fakes.slack.people import People
from tests.fakes.slack.server import Server
from tests.fakes.slack.shown import Shown
from tests.fakes.slack.socket import Sockets
from tests.fakes.slack.world import BOT, BOT_USER, Channel, Message, World

CHANNEL = "C0GENERAL"


class FakeSlack(People):
    """What people do is in People; what they see is here, with what the server counted."""

    def __init__(self, scopes: frozenset[str], events: frozenset[str]) -> None:
        self.world = World()
        self.sockets = Sockets()
        self.deliveries = Deliveries(self.sockets)
        super().__init__(self.world, self.deliveries, events)
        self.api = WholeApi(self.world, self._emit_in)
        self.server = Server(self.world, self.api, scopes, self.sockets.link)
        self.url = ""
        self.world.add_channel(CHANNEL, "general", {BOT_USER})

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/"

    # ── what people see ─────────────────────────────────────────────────────────────────────────────────────────

    def thread(self, channel: str, ts: str, viewer: str = "") -> list[Shown]:
        """The first message and its replies, with what only this viewer sees."""
        here = (m for m in self.world.messages if m.channel == channel and m.only_for in ("", viewer))
        return [m.shown() for m in here if ts in (m.ts, m.parent)]

    def root(self, channel: str) -> list[Shown]:
        return [m.shown() for m in self.world.roots(channel)]

    def answers(self, channel: str, ts: str, viewer: str = "") -> list[Shown]:
        """Only the bot's."""
        return [shown for shown in self.thread(channel, ts, viewer) if shown.by_bot]

    def home(self, user: str) -> list[dict[str, Any]]:
        return list(self.world.homes[user].body["blocks"]) if user in self.world.homes else []

    # ── what the server counted ─────────────────────────────────────────────────────────────────────────────────

    def calls(self, method: str) -> list[dict[str, Any]]:
        return [call.given for call in self.server.calls if call.method == method]

    def accepted(self, method: str) -> list[dict[str, Any]]:
        return [call.given for call in self.server.calls if call.method == method and call.accepted]

    def posts(self) -> list[Message]:
        """Every message of the bot that exists, ephemeral ones left out."""
        return [m for m in self.world.messages if m.bot_id == BOT and not m.only_for]

    @property
    def unacknowledged(self) -> list[dict[str, Any]]:
        return [sent.payload for sent in self.deliveries.sent if not sent.ok]

    def _emit_in(self, kind: str, channel: Channel | None, **fields: Any) -> None:
        self.emit(kind, channel.id if channel else "", **fields)


@asynccontextmanager
async def fake_slack(*, without: tuple[str, ...] = ()) -> AsyncIterator[FakeSlack]:
    """A workspace in which the app is installed from our own manifest; `without` takes scopes or events away."""
    manifest: Any = read_yaml(packaged_path("slack", "app.yaml")).data
    scopes = frozenset(map(str, manifest["oauth_config"]["scopes"]["bot"])) - set(without)
    events = frozenset(map(str, manifest["settings"]["event_subscriptions"]["bot_events"])) - set(without)
    fake = FakeSlack(scopes, events)
    runner = web.AppRunner(fake.server.application(fake.sockets.listen), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    fake.url = fake.sockets.base = f"http://{host}:{port}"
    fake.api.upload_base = f"{fake.url}/upload"
    try:
        yield fake
    finally:
        await fake.deliveries.stop()
        await runner.cleanup()
