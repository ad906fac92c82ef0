"""GitHub's API: one request at a time for what changes things, limits honoured, and doubt told from refusal."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from agents.domain.models.failure import ErrorClass
from agents.domain.text.redact import Secret
from agents.domain.text.sanitize import clean, one_line, seconds_to_wait
from agents.ports import ForgeFailed

TIMEOUT = 15.0
PATIENCE = 120.0  # seconds to wait because GitHub asks for it; longer is told instead
TRIES = 4
LARGEST = 64 * 1024 * 1024  # a page of a hundred comments of the longest kind is 40 MB
PAGES_MOST = 50
_NETWORK = (aiohttp.ClientError, TimeoutError, ConnectionError)

Wait = Callable[[float], Awaitable[None]]


class Unsure(ForgeFailed):
    """No clear answer: it may have been done. Whoever asked must look before asking again."""

    def __init__(self, what: str) -> None:
        step = "I look and try again by myself."
        super().__init__(f"GitHub gave no clear answer ({what})", next_step=step, error=ErrorClass.NETWORK)


class Forbidden(ForgeFailed):
    """The token may not do this; it may well do other things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)  # names in small letters

    @property
    def has_next(self) -> bool:
        return 'rel="next"' in self.headers.get("link", "")

    @property
    def message(self) -> str:
        """What GitHub says is wrong; written by others, so it is only shown."""
        told = self.data if isinstance(self.data, dict) else {}
        errors = [str(e.get("message") or e.get("field") or "") for e in told.get("errors", []) if isinstance(e, dict)]
        return one_line(clean("; ".join([str(told.get("message", "")), *filter(None, errors)])), 300)


class GitHubApi:
    """`url` is the API's address, such as https://api.github.com. The token goes into a header and nowhere else."""

    def __init__(self, url: str, token: Secret, wait: Wait = asyncio.sleep) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.wait = wait
        self._session: aiohttp.ClientSession | None = None
        self._writing = asyncio.Lock()
        self._not_before = 0.0

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def get(self, path: str, *, etag: str = "", **query: str) -> Reply:
        """Reading may be repeated, so doubt is resolved here. Any status is returned but those nobody can use."""
        headers = {"If-None-Match": etag} if etag else {}
        for done in range(1, TRIES):
            try:
                return await self._call("GET", path, params=query, headers=headers)
            except Unsure:
                await self.wait(float(done))
        return await self._call("GET", path, params=query, headers=headers)

    async def pages(self, path: str, *, under: str = "", **query: str) -> AsyncIterator[Any]:
        """Each entry of a list, however many pages it has. `under`: the name that each page has its part under."""
        for page in range(1, PAGES_MOST + 1):
            reply = expect_status(await self.get(path, per_page="100", page=str(page), **query), path)
            for entry in entries_of(reply, under):
                yield entry
            if not reply.has_next:
                return

    async def change(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Reply:
        """Asked once. Raises Unsure where it may have been done and where it may not."""
        async with self._writing:
            return await self._call(method, path, json=body)

    async def graphql(self, query: str, variables: Mapping[str, object], what: str) -> None:
        """For the few things that REST cannot do. Asked once, as `change` does it."""
        async with self._writing:
            reply = await self._call("POST", "graphql", json={"query": query, "variables": variables})
        if reply.status != 200 or reply.message:
            step = "Look at it on GitHub, then try again."
            raise ForgeFailed(f"GitHub refused {what}: {reply.message or reply.status}", next_step=step)

    async def tail(self, path: str, most: int) -> str:
        """The end of a log. GitHub keeps those elsewhere, and the token is not sent there. Empty: it gives none."""
        try:
            await self._rest()
            place = (await self._once("GET", path)).headers.get("location", "")
            if not self._is_log(place):
                return ""
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT)) as plain,
                plain.get(place, allow_redirects=False) as answer,
            ):
                return await _end_of(answer, most) if answer.status == 200 else ""
        except (ForgeFailed, *_NETWORK):
            return ""

    def _is_log(self, place: str) -> bool:
        """Over TLS, or on the very server that said so."""
        there, here = urlsplit(place), urlsplit(self.url)
        return bool(there.netloc) and (there.scheme == "https" or (there.scheme, there.netloc) == (here[0], here[1]))

    def _address(self, path: str) -> str:
        if path == "graphql":  # of an Enterprise it lies beside what REST is below
            return f"{self.url.removesuffix('/v3')}/{path}"
        return f"{self.url}{path}"

    async def _call(self, method: str, path: str, **sent: Any) -> Reply:
        """`sent` is what aiohttp takes: params, headers, json."""
        for _ in range(TRIES):
            await self._rest()
            reply = await self._once(method, path, **sent)
            asked = _asked_to_wait(reply, time.time())
            if asked is None:
                return _usable(reply)
            self._not_before = max(self._not_before, time.monotonic() + asked)
        step = "I go on when GitHub lets me; nothing is lost."
        raise ForgeFailed("GitHub's limits are reached", next_step=step, error=ErrorClass.RESOURCE)

    async def _rest(self) -> None:
        left = self._not_before - time.monotonic()
        if left > PATIENCE:
            raise ForgeFailed(
                f"GitHub asks me to wait {left / 60:.0f} minutes: its limit for this token is reached",
                next_step="Try again after that, or use a token of its own for Overlord.",
                error=ErrorClass.RESOURCE,
            )
        if left > 0:
            await self.wait(left)

    async def _once(self, method: str, path: str, **sent: Any) -> Reply:
        try:
            async with self._opened().request(method, self._address(path), allow_redirects=False, **sent) as answer:
                data = _parsed(await _whole(answer), answer.status)
                headers = {name.lower(): value for name, value in answer.headers.items()}
                return Reply(status=answer.status, data=data, headers=headers)
        except aiohttp.ClientConnectorError as error:
            raise ForgeFailed(
                f"GitHub cannot be reached at {self.url} ({type(error).__name__})",
                next_step="Check the network and GITHUB_API_URL; I try again.",
                error=ErrorClass.NETWORK,
            ) from error
        except _NETWORK as error:
            raise Unsure(type(error).__name__) from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=TIMEOUT),
                headers={
                    "Accept": "application/vnd.github+json",
                    "Authorization": f"Bearer {self.token.reveal()}",
                    "User-Agent": "overlord",
                    "X-GitHub-Api-Version": "2022-11-28",
                },
            )
        return self._session


def entries_of(reply: Reply, under: str = "") -> list[Any]:
    """Of one page of a list."""
    found = reply.data.get(under) if under and isinstance(reply.data, dict) else reply.data
    return found if isinstance(found, list) else []


def expect_status(reply: Reply, what: str, *statuses: int) -> Reply:
    """The reply, if it is one of those that mean yes."""
    if reply.status in (statuses or (200, 201)):
        return reply
    if reply.status == 404:
        step = "Check the project's url, and that the token may read and write there."
        raise ForgeFailed(f"GitHub does not know {what}, or does not show it to this token", next_step=step)
    step = "Look at it on GitHub, then try again."
    raise ForgeFailed(f"GitHub refused {what}: {reply.message or reply.status}", next_step=step)


def _usable(reply: Reply) -> Reply:
    if reply.status == 401:
        step = "Set GITHUB_TOKEN to one that may write contents, issues and pull requests."
        raise ForgeFailed("GitHub refuses the token", next_step=step, error=ErrorClass.RESOURCE)
    if reply.status == 403:
        step = "Give the token rights to write contents, issues and pull requests of this repository."
        raise Forbidden(f"GitHub forbids it: {reply.message}", next_step=step, error=ErrorClass.RESOURCE)
    if reply.status in (301, 302, 307, 308):
        raise ForgeFailed("The repository has moved", next_step="Write its new address into the project's `url`.")
    if reply.status >= 500:
        raise Unsure(f"status {reply.status}")
    return reply


def _asked_to_wait(reply: Reply, now: float) -> float | None:
    """Seconds, where a limit is reached; None where it is not."""
    if reply.status not in (403, 429):
        return None
    if after := reply.headers.get("retry-after"):
        return seconds_to_wait(after, 60.0)
    reset = reply.headers.get("x-ratelimit-reset", "")
    if reply.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, seconds_to_wait(float(reset) - now + 1.0, 60.0))
    return 60.0 if reply.status == 429 or "rate limit" in reply.message.lower() else None


async def _whole(answer: aiohttp.ClientResponse) -> bytes:
    parts, size = list[bytes](), 0
    async for part in answer.content.iter_chunked(1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise ForgeFailed("GitHub's answer is too large to read", next_step="Check GITHUB_API_URL.")
    return b"".join(parts)


async def _end_of(answer: aiohttp.ClientResponse, most: int) -> str:
    end, size = b"", 0
    async for part in answer.content.iter_chunked(1 << 16):
        end, size = (end + part)[-most:], size + len(part)
        if size > LARGEST:
            break
    return end.decode(errors="replace")


def _parsed(raw: bytes, status: int) -> Any:
    if not raw or status == 304:
        return None
    try:
        return json.loads(raw)
    except ValueError as error:
        if status >= 400:
            return None
        raise Unsure("an answer that is no JSON") from error
