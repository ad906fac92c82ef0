"""The model gateway itself: a small HTTP server for one sandbox, which passes calls on and adds the key.

It is the only thing that programs in the sandbox reach. It knows one token, one protocol and one model; whatever else
is asked for is refused in the words of that protocol.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from socket import socket

import aiohttp
from aiohttp import web

from agents.domain.models.failure import ErrorClass, Failure, error_of_status
from agents.domain.text.sanitize import clean, one_line
from agents.llm.relay.lending import Lent
from agents.llm.relay.usage import Reading, Usage
from agents.llm.relay.wires import Refused, Wanted, parse, token_in
from agents.ports import Call

log = logging.getLogger("overlord.relay")
TOOLS = "/overlord/mcp"  # where the program calls the Overlord's own tools
LARGEST = 32 << 20  # bytes of a request
MOST_PARTS = 1_000_000  # signs that begin or part something in it: more would hold up everybody else while it is read
AT_ONCE = 4  # requests that are taken in side by side, so that all of them fit into memory
LONGEST_ERROR = 1 << 20  # bytes of a provider's error that are passed on
SILENCE = 300.0  # seconds for a provider to say something
CONNECT = 15.0
_PASSED = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "openai-processing-ms")


@dataclass(slots=True)
class ModelServer:
    """Implements agents.ports.LentModel with the loan it serves."""

    lent: Lent
    _calls: set["asyncio.Task[None]"] = field(default_factory=set)
    _taking_in: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    @property
    def token(self) -> str:
        return self.lent.token

    @property
    def model(self) -> str:
        return self.lent.model

    @property
    def calls(self) -> int:
        return self.lent.calls

    @property
    def seconds(self) -> float:
        return self.lent.seconds

    @property
    def last_failure(self) -> Failure | None:
        return self.lent.last_failure

    async def until_spent(self) -> None:
        await self.lent.until_spent()

    @asynccontextmanager
    async def serving(self, at: int) -> AsyncIterator[None]:
        door = socket(fileno=at)
        door.setblocking(False)
        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{rest:.*}", self._answer)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT, sock_read=SILENCE)
        async with aiohttp.ClientSession(timeout=timeout, auto_decompress=False, trust_env=True) as session:
            app[_SESSION] = session
            runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
            try:
                await runner.setup()
                await web.SockSite(runner, door).start()
                yield
            finally:
                await runner.cleanup()
                for call in self._calls:
                    call.cancel()
                await asyncio.gather(*self._calls, return_exceptions=True)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            if request.path == "/" and request.method in ("GET", "HEAD"):
                return web.Response()  # a program looks whether anybody is there
            if not self.lent.knows(token_in(request.headers, request.query)):
                raise Refused(401, "this is not the token of this run")
            if request.path == TOOLS:
                return await self._tools(request)
            return await self._model(request)
        except Refused as refused:
            log.info("relay refused", extra={"path": clean(request.path), "why": refused.message})
            return web.json_response(self.lent.wire.error(refused.status, refused.message), status=refused.status)

    async def _tools(self, request: web.Request) -> web.Response:
        if request.method != "POST":
            return web.Response(status=405)
        said = await self.lent.loan.tools(await self._take_in(request))
        return web.Response(status=202) if said is None else web.Response(body=said, content_type="application/json")

    async def _take_in(self, request: web.Request) -> bytes:
        """What came, where it can be read in a moment. Raises Refused."""
        async with self._taking_in:
            body = await request.read()
        if sum(map(body.count, (b",", b"[", b"{"))) > MOST_PARTS:
            raise Refused(413, "the request has too many parts")
        return body

    async def _model(self, request: web.Request) -> web.StreamResponse:
        body = parse(await self._take_in(request))
        wanted = self.lent.wire.read(request.path, body) if request.method == "POST" else None
        if wanted is None:
            raise Refused(404, f"{request.method} {clean(request.path)} is not passed on")
        if wanted.counts:
            return await self._count(request, wanted)
        size = len(json.dumps(body))  # what was sent may have been compressed
        call = await self.lent.admit(wanted, size)
        passing = _Passing(request=request, lent=self.lent, call=call, wanted=wanted, size=size)
        task = asyncio.create_task(passing.settle_after())
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        try:
            return await passing.run()
        except asyncio.CancelledError:
            passing.hung_up = True
            raise
        finally:
            passing.over.set()
            await asyncio.shield(task)

    async def _count(self, request: web.Request, wanted: Wanted) -> web.StreamResponse:
        """How long something is, which costs nothing; for this run's model alone."""
        if wanted.model != self.lent.model:
            raise Refused(403, f"this run may ask `{self.lent.model}` alone")
        return await _Passing(request=request, lent=self.lent, call=None, wanted=wanted).run()


_SESSION: web.AppKey[aiohttp.ClientSession] = web.AppKey("session", aiohttp.ClientSession)


@dataclass(slots=True, kw_only=True)
class _Passing:
    """One call on its way. However it ends, also by the end of the sandbox, it is counted once."""

    request: web.Request
    lent: Lent
    call: Call | None
    wanted: Wanted
    size: int = 0  # of what was asked
    over: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=time.monotonic)
    failure: Failure | None = None
    hung_up: bool = False
    reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Reading(self.lent.wire.usage(), self.wanted.stream)

    async def settle_after(self) -> None:
        """A task of its own, for the handler may be ended at any moment."""
        with suppress(asyncio.CancelledError):
            await self.over.wait()
        usage = self.reading.end()
        assert self.call is not None
        failure = self.failure or (None if self.hung_up and not usage.problem else _cut(usage))
        await self.lent.settle(self.call, usage, self.began, failure, self.size)

    async def run(self) -> web.StreamResponse:
        body = json.dumps(self.wanted.body).encode()
        headers = self.lent.wire.headers(self.request.headers, self.lent.asked.api_key)
        headers["content-type"] = "application/json"
        session = self.request.app[_SESSION]
        try:
            url = f"{self.lent.address}{self.wanted.path}"
            async with session.post(url, data=body, headers=headers, allow_redirects=False) as reply:
                if 300 <= reply.status < 400:  # the key goes where the settings say, and nowhere else
                    raise aiohttp.ClientError("it sends us elsewhere")
                return await (self._pass(reply) if reply.status < 300 else self._refuse(reply))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            what = "did not answer in time" if isinstance(error, TimeoutError) else "does not answer"
            self.failure = Failure(error=ErrorClass.NETWORK, message=f"{self.lent.asked.name} {what}")
            raise Refused(502, f"the provider {what}") from error

    async def _pass(self, reply: aiohttp.ClientResponse) -> web.StreamResponse:
        """Piece by piece, as they come."""
        answer = web.StreamResponse(status=reply.status, headers=_kept(reply))
        try:
            await answer.prepare(self.request)
        except ConnectionError:
            self.hung_up = True
            return answer
        try:
            async for piece in reply.content.iter_any():
                self.reading.feed(piece)
                if not await self._sent(answer, piece):
                    return answer
        except (aiohttp.ClientError, TimeoutError) as error:  # of the provider's side: the program must see it cut
            self.failure = Failure(error=ErrorClass.NETWORK, message=f"the answer was cut off ({type(error).__name__})")
            if self.request.transport is not None:
                self.request.transport.abort()
            return answer
        with suppress(ConnectionError):
            await answer.write_eof()
        return answer

    async def _sent(self, answer: web.StreamResponse, piece: bytes) -> bool:
        """A program that heard enough hangs up, which says nothing about the answer."""
        try:
            await answer.write(piece)
        except (ConnectionError, aiohttp.ClientConnectionError):
            self.hung_up = True
        return not self.hung_up

    async def _refuse(self, reply: aiohttp.ClientResponse) -> web.Response:
        """A provider's own error, without what it may say of the key."""
        said = (await reply.content.read(LONGEST_ERROR)).decode(errors="replace")
        if self.lent.asked.api_key:
            said = said.replace(self.lent.asked.api_key, "…")
        words = one_line(clean(_message_in(said)), 300) or HTTPStatus(reply.status).phrase
        self.failure = Failure(
            error=error_of_status(reply.status, said),
            message=f"{self.lent.asked.name}: HTTP {reply.status}: {words}",
            retry_after=_seconds(reply.headers.get("retry-after")),
        )
        return web.Response(status=reply.status, headers=_kept(reply), body=said.encode())


def _kept(reply: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: reply.headers[name] for name in _PASSED if name in reply.headers}


def _message_in(said: str) -> str:
    """A provider's own sentence, where its error has one; else all that it said."""
    try:
        error = json.loads(said)["error"]
        found = error if isinstance(error, str) else error["message"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return said
    return found if isinstance(found, str) and found.strip() else said


def _cut(usage: Usage) -> Failure | None:
    """An answer that has no end counts as none, whatever the connection says."""
    if usage.problem:
        return Failure(error=ErrorClass.NETWORK, message=one_line(clean(usage.problem), 300))
    return None if usage.whole else Failure(error=ErrorClass.NETWORK, message="the answer was cut off")


def _seconds(written: str | None) -> float | None:
    try:
        return max(0.0, float(written)) if written else None
    except ValueError:
        return None
