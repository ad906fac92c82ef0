"""The server: tokens, ETags, limits and faults around the endpoints."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.request import urlopen

from aiohttp import web

from tests.fakes.github.faults import AFTER, Faults, faulty
from tests.fakes.github.git_http import GitHttp
from tests.fakes.github.rest import Answer, Asked, Rest, paged
from tests.fakes.github.world import BOT, Refused, World

TOKEN = "github_pat_" + "11ABCDEFG0" + "x" * 40
Act = Callable[[Asked], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    called: str
    status: int


class FakeGitHub:
    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.folder = folder
        self.faults = Faults()
        self.tokens = {TOKEN}
        self.calls: list[Call] = []
        self.tokens_leaked = 0
        self.web_url = ""
        self.git = GitHttp(self.world, folder, self.tokens)
        self._lock = asyncio.Lock()  # one at a time: an effect and its check are one step

    @property
    def api_url(self) -> str:
        return f"{self.web_url}/api/v3"

    def application(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        for (method, path), act in Rest(self.world, lambda: self.web_url).routes().items():
            app.router.add_route(method, "/api/v3/repos/{owner}/{name}" + path, self._rest(act))
        app.router.add_get("/api/v3/user", self._user)
        app.router.add_post("/api/graphql", self._graphql)
        app.router.add_get("/api/v3/repos/{owner}/{name}/actions/jobs/{number:\\d+}/logs", self._log)
        app.router.add_get("/_logs/{owner}/{name}/{number:\\d+}", self._log_text)
        app.router.add_get("/_effects", self._effects)
        app.router.add_route("*", "/{owner}/{name}.git/{tail:.*}", self._git)
        app.router.add_route("*", "/{tail:.*}", self._nothing)
        return app

    def _rest(self, act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            async with self._lock:
                made = await self._answered(request, act)
            self.calls.append(Call(called=f"{request.method} {request.path}", status=made.status))
            return made

        return answer

    async def _answered(self, request: web.Request, act: Act) -> web.StreamResponse:
        plan = self.faults.next(request)
        if plan and plan.fault not in AFTER:
            return faulty(request, plan, time.time())
        try:
            self._check(request)
            answer = act(await self._asked(request))
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status)
        if plan:
            return faulty(request, plan, time.time())
        body, headers = paged(request, answer.body)
        text = json.dumps(body)
        etag = f'W/"{hashlib.sha256(text.encode()).hexdigest()}"'
        if request.method == "GET" and request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers={"ETag": etag})
        return web.json_response(text=text, status=answer.status, headers={**headers, "ETag": etag})

    def _check(self, request: web.Request) -> None:
        if not request.headers.get("User-Agent"):
            raise Refused(
                403, "Request forbidden by administrative rules. Please make sure you have a User-Agent header"
            )
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() not in ("bearer", "token"):
            raise Refused(401, "Requires authentication")
        if token not in self.tokens:
            raise Refused(401, "Bad credentials")
        if request.headers.get("X-GitHub-Api-Version", "2022-11-28") != "2022-11-28":
            raise Refused(400, "Unsupported version")

    async def _asked(self, request: web.Request) -> Asked:
        found = request.match_info
        given = {}
        if request.body_exists:
            try:
                given = json.loads(await request.read())
            except ValueError:
                raise Refused(400, "Problems parsing JSON") from None
        return Asked(
            repo=self.world.repo(found["owner"], found["name"]),
            number=int(found.get("number", "0")),
            query=dict(request.query),
            given=given,
            tail=found.get("tail", ""),
        )

    async def _user(self, request: web.Request) -> web.StreamResponse:
        try:
            self._check(request)
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status)
        return web.json_response({"login": BOT, "type": "Bot"})

    async def _graphql(self, request: web.Request) -> web.StreamResponse:
        """The one mutation that there is no REST for. Refusals come with status 200, as GitHub's do."""
        async with self._lock:
            made = await self._mutated(request)
        self.calls.append(Call(called=f"{request.method} {request.path}", status=made.status))
        return made

    async def _mutated(self, request: web.Request) -> web.StreamResponse:
        plan = self.faults.next(request)
        if plan and plan.fault not in AFTER:
            return faulty(request, plan, time.time())
        try:
            self._check(request)
            asked = await request.json()
            if "markPullRequestReadyForReview(input: {pullRequestId: $id})" not in asked.get("query", ""):
                raise Refused(200, "Parse error")
            self.world.mark_ready(asked.get("variables", {}).get("id", ""))
        except Refused as refused:
            if refused.status != 200:
                return web.json_response(refused.body, status=refused.status)
            return web.json_response({"data": None, "errors": [{"type": "X", "message": refused.body["message"]}]})
        answer = {"data": {"markPullRequestReadyForReview": {"clientMutationId": None}}}
        return faulty(request, plan, time.time()) if plan else web.json_response(answer)

    async def _log(self, request: web.Request) -> web.StreamResponse:
        """Logs are elsewhere: whoever has the token is sent there."""
        try:
            self._check(request)
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status)
        found = request.match_info
        place = f"{self.web_url}/_logs/{found['owner']}/{found['name']}/{found['number']}"
        return web.Response(status=302, headers={"Location": place})

    async def _log_text(self, request: web.Request) -> web.StreamResponse:
        """Where logs are the token is nobody's business."""
        found = request.match_info
        repo = self.world.repo(found["owner"], found["name"])
        if "Authorization" in request.headers:
            self.tokens_leaked += 1
        log = repo.ci.logs.get(int(found["number"]))
        return web.Response(status=404) if log is None else web.Response(text=log)

    async def _effects(self, request: web.Request) -> web.StreamResponse:
        """For tests that run us in another process."""
        return web.json_response([effect.kind for effect in self.world.effects])

    async def _git(self, request: web.Request) -> web.StreamResponse:
        plan = self.faults.next(request)
        if plan and plan.fault not in AFTER:
            return faulty(request, plan, time.time())
        async with self._lock:
            answer = await self.git.answer(request)
        self.calls.append(Call(called=f"{request.method} {request.path}", status=answer.status))
        return faulty(request, plan, time.time()) if plan else answer

    async def _nothing(self, request: web.Request) -> web.StreamResponse:
        """Nothing that we are not known to call is there."""
        self.calls.append(Call(called=f"{request.method} {request.path}", status=404))
        return web.json_response({"message": "Not Found"}, status=404)


@asynccontextmanager
async def serving(fake: FakeGitHub) -> AsyncIterator[None]:
    runner = web.AppRunner(fake.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    fake.web_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield
    finally:
        await runner.cleanup()


@asynccontextmanager
async def running_github(folder: Path) -> AsyncIterator[FakeGitHub]:
    fake = FakeGitHub(folder)
    async with serving(fake):
        yield fake


@contextmanager
def apart(fake: FakeGitHub) -> Iterator[Callable[[str], int]]:
    """In a process of its own, for tests that fork; what is yielded counts the effects of a kind."""

    def live(told: Connection) -> None:
        async def serve() -> None:
            async with serving(fake):
                told.send(fake.web_url)
                await asyncio.Event().wait()

        asyncio.run(serve())

    def count(kind: str) -> int:
        with urlopen(f"{fake.web_url}/_effects") as answer:
            return sum(effect == kind for effect in json.load(answer))

    told, tells = Pipe(duplex=False)
    process = get_context("fork").Process(target=live, args=(tells,), daemon=True)
    process.start()
    assert told.poll(30), "the fake does not start"
    fake.web_url = told.recv()
    try:
        yield count
    finally:
        process.kill()
        process.join()
