"""How Slack delivers: by socket or by signed HTTP, acknowledged within three seconds or sent again."""

import asyncio
import hashlib
import hmac
import io
import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.fakes.slack.socket import Sockets
from tests.fakes.slack.world import APP, BOT_USER, TEAM

SIGNING_SECRET = "a-signing-secret-for-tests"


@dataclass
class Times:
    """Slack's own; tests make them short."""

    acknowledge: float = 3.0
    retries: tuple[float, ...] = (0.0, 60.0, 300.0)


@dataclass
class Sent:
    """One event, command or interaction, and what became of it."""

    kind: str  # events_api, interactive, slash_commands
    payload: dict[str, Any]
    attempts: int = 0
    acknowledged: float | None = None  # seconds from the first attempt
    took: float | None = None  # seconds of the attempt that was acknowledged
    answer: Any = None
    statuses: list[int] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.acknowledged is not None


def signed(body: bytes, at: float | None = None, secret: str = SIGNING_SECRET) -> dict[str, str]:
    """The headers that vouch for a body."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def encoded(kind: str, payload: Mapping[str, Any]) -> tuple[bytes, str]:
    """A body as Slack posts it: events as JSON, the rest as forms."""
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


class Deliveries:
    def __init__(self, sockets: Sockets) -> None:
        self._sockets = sockets
        self._tasks: set[asyncio.Task[Any]] = set()
        self._session: aiohttp.ClientSession | None = None
        self.times = Times()
        self.url = ""  # of the bot's endpoint; empty: Socket Mode
        self.copies = 1  # how often each event is sent, as if nobody had acknowledged it
        self.sent: list[Sent] = []

    def event(self, event: Mapping[str, Any], **around: Any) -> Sent:
        """Send an event until it is acknowledged or Slack gives up."""
        sent = Sent("events_api", {**_wrapped(event), **around})
        self.sent.append(sent)
        for _ in range(self.copies):
            self._start(self._persist(sent))
        return sent

    async def interaction(self, kind: str, payload: dict[str, Any]) -> Sent:
        """Sent once: a person sees a warning if it is not acknowledged, and may do it again."""
        sent = Sent(kind, payload)
        self.sent.append(sent)
        await self._attempt(sent, 0, time.monotonic())
        return sent

    async def settled(self, within: float = 60.0) -> None:
        """Wait until nothing is under way."""
        async with asyncio.timeout(within):
            while self._tasks:
                await asyncio.wait(set(self._tasks))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session:
            await self._session.close()

    async def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Raw bytes to the bot's endpoint, for attacks; the status and what it said."""
        if self._session is None:
            self._session = aiohttp.ClientSession()
        limit = aiohttp.ClientTimeout(total=self.times.acknowledge)
        async with self._session.post(self.url, data=io.BytesIO(body), headers=dict(headers), timeout=limit) as answer:
            return answer.status, await answer.text()

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _persist(self, sent: Sent) -> None:
        began = time.monotonic()
        for number, wait in enumerate((None, *self.times.retries)):
            if wait is not None:
                await asyncio.sleep(wait)
            if await self._attempt(sent, number, began):
                return

    async def _attempt(self, sent: Sent, number: int, began: float) -> bool:
        sent.attempts += 1
        start = time.monotonic()
        ok, answer = await (self._by_http(sent, number) if self.url else self._by_socket(sent, number))
        if ok and sent.acknowledged is None:
            sent.answer, sent.took = answer, time.monotonic() - start
            sent.acknowledged = time.monotonic() - began
        return ok

    async def _by_socket(self, sent: Sent, number: int) -> tuple[bool, Any]:
        envelope = {
            "envelope_id": str(uuid.uuid4()),
            "type": sent.kind,
            "payload": sent.payload,
            "accepts_response_payload": sent.kind != "events_api",
        }
        if sent.kind == "events_api":
            envelope |= {"retry_attempt": number, "retry_reason": "timeout" if number else ""}
        return await self._sockets.deliver(envelope, self.times.acknowledge)

    async def _by_http(self, sent: Sent, number: int) -> tuple[bool, Any]:
        body, media = encoded(sent.kind, sent.payload)
        headers = {"Content-Type": media, **signed(body)}
        if number:
            headers |= {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": "http_timeout"}
        try:
            status, said = await self.post(body, headers)
        except (aiohttp.ClientError, TimeoutError):
            sent.statuses.append(0)
            return False, None
        sent.statuses.append(status)
        return status == 200, (json.loads(said) if said.startswith("{") else said)


def _wrapped(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "token": "verification-token",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": dict(event),
        "type": "event_callback",
        "event_id": f"Ev{uuid.uuid4().hex[:10].upper()}",
        "event_time": int(time.time()),
        "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "is_enterprise_install": False}],
    }
