"""Discord's REST API in the outbox's terms: every call succeeds, or says in which of four ways it did not.

Not discord.py's own client: that one waits and retries inside, so a lost answer could not be told from a refusal.
"""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import aiohttp

from agents.domain.text.sanitize import count_of, seconds_to_wait, small_number
from bot.messages import Gone, Later, Refused, Shut, Unsure
from bot.platforms.provider import Attachment, Recent, Waits

TIMEOUT = 10.0  # below the outbox's own
NO_CONNECTION = 5.0  # seconds until a server that cannot be reached is tried again
NOT_LET_IN = 60.0  # a token that is refused may be mended; each refusal counts towards a ban
EVERYTHING = "*"  # the scope of a global limit
BUDGETS = 2000  # limits that are known; forgetting one costs at most one 429


class Code(IntEnum):
    """Discord's error codes that we do something about."""

    UNKNOWN_CHANNEL = 10003
    UNKNOWN_MESSAGE = 10008
    ALREADY_ANSWERED = 40060
    NO_DIRECT_MESSAGES = 50007
    TOKEN_EXPIRED = 50027
    ARCHIVED = 50083
    THREAD_EXISTS = 160004


UNKNOWN = frozenset({Code.UNKNOWN_CHANNEL, 10004, Code.UNKNOWN_MESSAGE, 10013, 10015, 10062})
BARRED = frozenset({50001, 50013, 160005})  # no access, a right is missing, a thread is locked
NO_THREADS = frozenset({50001, 50013, 50024})  # may not, or cannot, be opened here


class Declined(Refused):
    """Discord refused, with its error code."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(f"Discord says: {words} ({code})")
        self.code = code


class Barred(Declined, Shut):
    """The bot lacks access there; whoever runs the server can change that."""


class Vanished(Declined, Gone):
    """The channel, message or interaction does not exist."""


class _Limited(Later):
    """A 429, for this scope or for everything."""

    def __init__(self, seconds: float, *, everywhere: bool) -> None:
        super().__init__(seconds)
        self.everywhere = everywhere


def scope(method: str, path: str) -> str:
    """What one limit is for: method, route and channel; other ids in the path do not matter."""
    parts = path.partition("?")[0].split("/")
    return f"{method} {'/'.join(part if at < 3 or not part.isdecimal() else '*' for at, part in enumerate(parts))}"


class Rest:
    """One session. Open it with `async with`."""

    def __init__(self, api_url: str, token: str, timeout: float = TIMEOUT, waits: Waits | None = None) -> None:
        self._base = api_url.rstrip("/")
        self._token = token
        self._waits = waits or Waits()
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._budgets = Recent[str, _Budget](BUDGETS)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Rest":
        agent = "DiscordBot (https://github.com/overlord, 1) aiohttp"
        self._session = aiohttp.ClientSession(
            timeout=self._timeout, headers={"User-Agent": agent}, cookie_jar=aiohttp.DummyCookieJar()
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session:
            await self._session.close()

    async def call(self, method: str, path: str, body: object = None, files: Sequence[Attachment] = ()) -> Any:
        """Ask as the bot. `path` is already quoted."""
        name = scope(method, path)
        self._check(name)
        if name not in self._budgets:
            self._budgets[name] = _Budget()
        budget = self._budgets[name]
        await budget.turn()
        try:
            self._check(name)  # what was waited for may have been told to wait
            return await self._ask(method, path, _parts(body, files, self._token), budget)
        except _Limited as limit:
            await self._waits.keep(EVERYTHING if limit.everywhere else name, limit.seconds)
            raise
        finally:
            budget.back()

    def _check(self, name: str) -> None:
        for limited in (EVERYTHING, name):
            self._waits.check(limited)

    async def answer(self, method: str, path: str, body: object = None, files: Sequence[Attachment] = ()) -> Any:
        """Ask with the token that the path holds: interactions, which no limit of ours should delay."""
        return await self._ask(method, path, _parts(body, files), _Budget())

    async def _ask(self, method: str, path: str, parts: dict[str, Any], budget: "_Budget") -> Any:
        if self._session is None or self._session.closed:
            raise Later(NO_CONNECTION)
        try:
            async with self._session.request(method, f"{self._base}{path}", **parts) as response:
                text = await response.text()
                budget.learn(response.headers)
                return _read_answer(response, text)
        except aiohttp.ClientConnectorError as problem:
            raise Later(NO_CONNECTION) from problem
        except (aiohttp.ClientError, OSError, TimeoutError) as problem:
            raise Unsure(f"{type(problem).__name__} on {method}") from problem


def _parts(body: object, files: Sequence[Attachment], token: str = "") -> dict[str, Any]:
    """Headers and body of a request; one with files is a form."""
    headers = {"Authorization": f"Bot {token}"} if token else {}
    if not files:
        return {"headers": headers, "json": body}
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", json.dumps(body), content_type="application/json")
    for number, file in enumerate(files):
        form.add_field(f"files[{number}]", file.content, filename=file.name, content_type=file.media)
    return {"headers": headers, "data": form}


def _read_answer(response: aiohttp.ClientResponse, text: str) -> Any:
    data = _parse(response, text)
    if response.status < 300:
        if response.status != 204 and data is None:
            raise Unsure("Discord answered with something that is not JSON")
        return data
    code, words = _reason(data)
    if response.status == 429:
        raise _Limited(_retry_after(response, data), everywhere=isinstance(data, dict) and bool(data.get("global")))
    if response.status >= 500:
        raise Unsure(f"Discord answered {response.status}")
    if response.status == 401 and code != Code.TOKEN_EXPIRED:
        raise Later(NOT_LET_IN)
    if code in UNKNOWN:
        raise Vanished(code, words)
    if code in BARRED:
        raise Barred(code, words)
    raise Declined(code, words or f"HTTP {response.status}")


def _parse(response: aiohttp.ClientResponse, text: str) -> Any:
    if response.content_type != "application/json":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _reason(data: Any) -> tuple[int, str]:
    if not isinstance(data, dict):
        return 0, ""
    errors = f" {json.dumps(data['errors'])[:300]}" if data.get("errors") else ""
    return count_of(data.get("code")), f"{data.get('message') or ''}{errors}"


def _retry_after(response: aiohttp.ClientResponse, data: Any) -> float:
    told = data.get("retry_after") if isinstance(data, dict) else None
    # without it the answer is not from Discord but from what stands before it
    return seconds_to_wait(response.headers.get("Retry-After") if told is None else told, NOT_LET_IN)


class _Budget:
    """What is left of one rate limit. While it is unknown, one request goes ahead and the others wait for it."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._until = 0.0
        self._most, self._lasts = 0, 0.0  # so many in so many seconds
        self._ahead: asyncio.Future[None] | None = None

    async def turn(self) -> None:
        """Raises Later instead of asking in vain."""
        while not self._may_go(time.monotonic()):
            assert self._ahead
            await asyncio.wait([self._ahead])

    def _may_go(self, now: float) -> bool:
        if self._left is not None and now >= self._until:
            self._left, self._until = (self._most, now + self._lasts) if self._most else (None, 0.0)
        if self._left is not None:
            if self._left <= 0:
                raise Later(self._until - now)
            self._left -= 1
            return True
        if self._ahead is None:
            self._ahead = asyncio.get_running_loop().create_future()
            return True
        return False

    def learn(self, headers: Mapping[str, str]) -> None:
        left, after = small_number(headers.get("X-RateLimit-Remaining", "")), headers.get("X-RateLimit-Reset-After")
        if left is None or after is None:
            return
        until = time.monotonic() + seconds_to_wait(after, 1.0)
        fresh = self._left is None or until > self._until + 0.5  # else calls still under way have taken theirs
        self._left = left if fresh else min(self._left or 0, left)
        self._until = until
        self._most, self._lasts = int(headers.get("X-RateLimit-Limit") or 0), max(self._lasts, float(after))

    def back(self) -> None:
        """The request has ended: those who waited for its answer go on."""
        if self._ahead:
            self._ahead.set_result(None)
            self._ahead = None


def trace_waits(waits: Waits, api_path: str) -> aiohttp.TraceConfig:
    """Makes discord.py respect and record the stored waits, which it would forget with its client."""

    def scope_of(method: str, path: str) -> str:
        return scope(method, path.removeprefix(api_path.rstrip("/")))

    async def before(
        session: aiohttp.ClientSession, context: SimpleNamespace, asked: aiohttp.TraceRequestStartParams
    ) -> None:
        for name in (EVERYTHING, scope_of(asked.method, asked.url.path)):
            await asyncio.sleep(waits.seconds_left(name))

    async def after(
        session: aiohttp.ClientSession, context: SimpleNamespace, told: aiohttp.TraceRequestEndParams
    ) -> None:
        headers = told.response.headers
        if told.response.status == 429:
            everywhere = "X-RateLimit-Global" in headers or headers.get("X-RateLimit-Scope") == "global"
            name = EVERYTHING if everywhere else scope_of(told.method, told.url.path)
            await waits.keep(name, seconds_to_wait(headers.get("Retry-After"), NOT_LET_IN))

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(before)
    trace.on_request_end.append(after)
    return trace
