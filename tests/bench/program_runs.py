"""What a question to a command-line agent costs over the same program in the same sandbox, with a bare proxy.

`program_run` is a whole answer: a folder, a sandbox, the gateway with its book on disk, and the answer read. Bare is
the sandbox, the same command line, and a proxy that passes everything on. `first_byte` is a stream through the gateway
beside one through that proxy, from a provider that thinks for 50 ms; both must arrive as they were sent.
"""

import asyncio
import json
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from agents.domain.models.money import Budgets
from agents.domain.models.routing import Model
from agents.domain.workflow.roles import EngineName
from agents.llm.prompts import Prompts
from agents.llm.relay.lender import Lendings
from agents.minions.by_role import PROGRAMS
from agents.minions.engines.cli.errands import ProgramAnswers
from agents.minions.engines.cli.program import Launch
from agents.minions.engines.cli.starting import play
from agents.ports import ADDRESS, Act, Errand, Loan, Program, Sandbox, Workspace
from agents.workspace.sandbox.walls import CLI
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import CallLog
from tests.bench.rows import Row, Say, compared, table
from tests.conformance.cli_rig import is_here, programs
from tests.fakes.engine_provider import FixedPrices
from tests.fakes.model_server import KEY, ModelServer, Says
from tests.fakes.program import MODELS, WIRES, lay_program
from tests.llm.rig import SECRET, files, task
from tests.sandbox.yard import bubblewrap

ENGINE = EngineName.CODEX
RUNS, STREAMS = 12, 60
THINKS = 0.05  # seconds; real providers take ten times as long
PIECES = 40
BESIDE = "the same program in the same sandbox, a bare proxy"


@dataclass(frozen=True, slots=True)
class BareProxy:
    """Implements agents.ports.Door: passes on whatever comes, with the key."""

    to: str

    @asynccontextmanager
    async def serving(self, at: int) -> AsyncIterator[None]:
        door = socket.socket(fileno=at)
        door.setblocking(False)
        app = web.Application(client_max_size=32 << 20)
        app.router.add_route("*", "/{rest:.*}", self._pass)
        async with aiohttp.ClientSession(auto_decompress=False) as session:
            app[_SESSION] = session
            runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
            await runner.setup()
            await web.SockSite(runner, door).start()
            try:
                yield
            finally:
                await runner.cleanup()

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        body, headers = await request.read(), {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        if b'"client_metadata"' in body:  # which a strict fake does not know
            body = json.dumps({k: v for k, v in json.loads(body).items() if k != "client_metadata"}).encode()
        url = f"{self.to}{request.path.removeprefix('/v1')}"
        async with request.app[_SESSION].request(request.method, url, data=body, headers=headers) as reply:
            answer = web.StreamResponse(status=reply.status, headers={"Content-Type": reply.content_type})
            await answer.prepare(request)
            async for piece in reply.content.iter_any():
                await answer.write(piece)
            await answer.write_eof()
            return answer


_SESSION: web.AppKey[aiohttp.ClientSession] = web.AppKey("session", aiohttp.ClientSession)


def run(say: Say) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="overlord-bench-") as made:
        return asyncio.run(_measure(Path(made), say))


async def _measure(place: Path, say: Say) -> list[Row]:
    database = Database(f"sqlite:///{place / 'overlord.db'}")
    try:
        return [await _runs(place, database, say), await _first_bytes(database, say)]
    finally:
        database.close()


async def _runs(place: Path, database: Database, say: Say) -> Row:
    real = is_here(ENGINE)
    program = programs().find(ENGINE) if real else _played(place)
    ours, bares = list[float](), list[float]()
    async with ModelServer(wire=WIRES[ENGINE], models=(MODELS[ENGINE],)) as server:
        server.answers("any", Says(text='{"verdict": "ok"}', wait=THINKS))
        answers = _answers(program)
        for number in range(-2, RUNS):
            errand = _errand(database, server.url, number)
            began = time.perf_counter()
            said = await answers(ENGINE.value, MODELS[ENGINE], "Is it good?", errand)
            told = time.perf_counter()
            assert said.text == '{"verdict": "ok"}' and said.failure is None, said
            await _bare(program, server.url)
            if number >= 0:  # the first ones load files from the disk
                ours.append(told - began)
                bares.append(time.perf_counter() - told)
    kind = f"{ENGINE} {program.version}" if real else "a script of ours"
    say(f"{RUNS} runs of {kind}: ours {_ms(ours)}, bare {_ms(bares)} ms")
    return compared("program_run", ours, bares, beside=f"{kind}: {BESIDE}", most=1.1)


def _played(place: Path) -> Program:
    path = lay_program(place / "layer", ENGINE, "time.sleep(0.5)\nend(ask(prompt))")
    return Program(argv=(str(path),), version="1", readable=(path.parent,))


def _answers(program: Program) -> ProgramAnswers:
    room = bubblewrap()

    async def sandbox() -> Sandbox:
        return room

    return ProgramAnswers(
        programs={cli.name.value: cli for cli in PROGRAMS},
        find=lambda engine: program,
        sandbox=sandbox,
        profile=CLI,
        lend=lambda project, commit: None,  # type: ignore[arg-type, return-value]  # no files are asked about
        render=Prompts(SECRET, files=files).text,
    )


def _errand(database: Database, url: str, number: int) -> Errand:
    return Errand(lender=_lender(database, url), run=f"ask:{number}", task=task(), question="critic", role="critic")


def _lender(database: Database, url: str) -> Lendings:
    asked = Model(name=f"openai/{MODELS[ENGINE]}", base_url=url, api_key=KEY)
    calls = CallLog(database, SystemClock(), Budgets(task=100.0), lambda task: None)
    return Lendings(prices=FixedPrices(), calls=calls, job="bench", models={ENGINE: asked})


async def _bare(program: Program, url: str) -> None:
    cli = next(cli for cli in PROGRAMS if cli.name is ENGINE)
    launch = Launch(
        cli=cli, program=program, model=MODELS[ENGINE], token="t", address=ADDRESS, tools="", turns=4, seconds=60
    )
    profile = replace(CLI, door=BareProxy(url))
    with tempfile.TemporaryDirectory(prefix="overlord-bare-") as made:
        ran = await play(launch, "Is it good?", Workspace(path=Path(made)), lambda at: bubblewrap().open(at, profile))
    assert ran.exit_code == 0, ran.output


async def _first_bytes(database: Database, say: Say) -> Row:
    """Both pass on the same stream; which comes first changes with each round."""
    ours, bares = list[float](), list[float]()
    async with _provider() as url:
        lent = _lender(database, url).lend(
            Loan(engine=ENGINE, run="stream", task=task(), tools=_nothing, next_turn=_go_on)
        )
        body = {"model": MODELS[ENGINE], "input": "x" * 20_000, "stream": True}
        async with _served(lent) as gateway, _served(BareProxy(url)) as proxy, aiohttp.ClientSession() as http:
            for number in range(-5, STREAMS):
                pair = {"ours": (gateway, lent.token), "bare": (proxy, KEY)}
                took = dict[str, float]()
                for name in sorted(pair, reverse=bool(number % 2)):
                    took[name] = await _first_byte(http, *pair[name], body)
                if number >= 0:
                    ours.append(took["ours"])
                    bares.append(took["bare"])
    say(f"{STREAMS} streams: first byte through the gateway {_ms(ours)}, through a bare proxy {_ms(bares)} ms")
    return compared("first_byte", ours, bares, beside="a bare reverse proxy; streams intact", most=1.3)


async def _first_byte(http: aiohttp.ClientSession, url: str, token: str, body: dict[str, Any]) -> float:
    headers, began = {"Authorization": f"Bearer {token}"}, time.perf_counter()
    async with http.post(f"{url}/v1/responses", json=body, headers=headers) as reply:
        assert reply.status == 200, await reply.text()
        first, took = await reply.content.readany(), time.perf_counter() - began
        said = first + await reply.content.read()
    assert said == b"".join(_stream()), "the stream is not intact"
    return took


def _stream() -> Sequence[bytes]:
    """Events as OpenAI sends them, the last with what it took."""
    usage = {"input_tokens": 5000, "output_tokens": PIECES, "total_tokens": 5000 + PIECES}
    pieces = [f'data: {{"type":"response.output_text.delta","delta":"word {at}"}}\n\n' for at in range(PIECES)]
    ended = f'"status":"completed","object":"response","usage":{usage}'.replace("'", '"')
    return [piece.encode() for piece in (*pieces, f'data: {{"type":"response.completed","response":{{{ended}}}}}\n\n')]


@asynccontextmanager
async def _provider() -> AsyncIterator[str]:
    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        await asyncio.sleep(THINKS)
        reply = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await reply.prepare(request)
        for piece in _stream():
            await reply.write(piece)
        return reply

    app = web.Application(client_max_size=32 << 20)
    app.router.add_post("/responses", answer)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _served(door: Any) -> AsyncIterator[str]:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    async with door.serving(listening.detach()):
        yield f"http://127.0.0.1:{port}"


async def _nothing(body: bytes) -> bytes | None:
    return None


async def _go_on(acts: Sequence[Act]) -> str:
    return ""


def _ms(seconds: Sequence[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2] * 1e3:.1f}"


if __name__ == "__main__":
    print(table(run(lambda text: print(text, file=sys.stderr))))
