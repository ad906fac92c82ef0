"""The model gateway over HTTP on loopback: what it passes on, adds, counts, refuses, and stops."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import Model
from agents.domain.workflow.roles import EngineName
from agents.llm.relay.lender import Lendings
from agents.llm.relay.server import ModelServer as Gateway
from agents.llm.relay.usage import MessagesUsage, Reading
from agents.llm.relay.wires import Wanted
from agents.ports import Act, Loan
from tests.fakes.engine_provider import FixedPrices, MemoryBook
from tests.fakes.model_server import KEY, Answer, Fails, ModelServer, Says, too_many
from tests.llm.rig import task

MODEL = "claude-sonnet-5"
ASKED = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


@dataclass
class Rig:
    provider: ModelServer
    gateway: Gateway
    book: MemoryBook
    url: str
    http: aiohttp.ClientSession
    turns: list[Sequence[Act]]

    async def ask(self, path: str = "/v1/messages", token: str = "", **body: Any) -> aiohttp.ClientResponse:
        headers = {"x-api-key": token or self.gateway.token, "anthropic-version": "2023-06-01"}
        return await self.http.post(f"{self.url}{path}", json={**ASKED, **body}, headers=headers)


@asynccontextmanager
async def served(*answers: Answer, book: MemoryBook | None = None, **able: Any) -> AsyncIterator[Rig]:
    book, turns = book or MemoryBook(), list[Sequence[Act]]()

    async def tools(body: bytes) -> bytes | None:
        return b'{"jsonrpc": "2.0", "id": 1, "result": {}}' if b'"id"' in body else None

    async def next_turn(acts: Sequence[Act]) -> str:
        turns.append(acts)
        return "no turns left" if len(turns) > 20 else ""

    async with ModelServer(wire="anthropic", models=(MODEL,), **able) as provider:
        provider.answers("any", *answers)
        model = Model(name=f"anthropic/{MODEL}", base_url=provider.url, api_key=KEY)
        lender = Lendings(prices=FixedPrices(), calls=book, job="job", models={EngineName.CLAUDE: model})
        gateway = lender.lend(
            Loan(engine=EngineName.CLAUDE, run="T-1.1:1", task=task(), tools=tools, next_turn=next_turn)
        )
        door = socket.create_server(("127.0.0.1", 0))
        port = door.getsockname()[1]
        async with gateway.serving(door.detach()), aiohttp.ClientSession() as http:
            yield Rig(provider, gateway, book, f"http://127.0.0.1:{port}", http, turns)


async def test_a_call_is_passed_on_with_the_key_and_counted() -> None:
    async with served(Says(text="Good day.")) as rig:
        reply = await rig.ask()
        assert reply.status == 200 and (await reply.json())["content"][0]["text"] == "Good day."
        assert rig.gateway.calls == 1 and rig.provider.statuses == {200: 1}
    assert rig.book.ended[0].tokens_out and rig.book.ended[0].cost > 0 and rig.book.ended[0].failure is None


async def test_a_stream_arrives_piece_by_piece_as_it_was_sent() -> None:
    async with served(Says(text="One two three four five six seven.")) as rig:
        reply = await rig.ask(stream=True)
        said = (await reply.read()).decode()
    assert reply.content_type == "text/event-stream"
    assert said.startswith("event: message_start") and said.rstrip().endswith('{"type": "message_stop"}')
    assert rig.book.ended[0].failure is None


@pytest.mark.parametrize(
    ("path", "token", "body", "status"),
    [
        ("/v1/messages", "run-of-another", {}, 401),
        ("/v1/messages", KEY, {}, 401),
        ("/overlord/mcp", "run-of-another", {}, 401),
        ("/v1/messages", "", {"model": "claude-opus-9"}, 403),
        ("/v1/messages/count_tokens", "", {"model": "claude-opus-9"}, 403),
        ("/v1/files", "", {}, 404),
        ("/v1/messages/../files", "", {}, 404),
        ("/http://example.com/", "", {}, 404),
    ],
)
async def test_other_tokens_models_and_places_are_refused(
    path: str, token: str, body: dict[str, Any], status: int
) -> None:
    async with served(Says(text="Hello.")) as rig:
        reply = await rig.ask(path, token, **body)
        assert reply.status == status
        assert (await reply.json())["type"] == "error", "in the words of its protocol"
        assert not rig.provider.seen and not rig.book.begun
        assert KEY not in await reply.text()


async def test_a_loan_that_is_over_answers_nobody_and_its_token_opens_no_other() -> None:
    async with served(Says(text="Hello.")) as first:
        old, url = first.gateway.token, first.url
    async with served(Says(text="Hello.")) as second:
        assert (await second.ask(token=old)).status == 401
        with pytest.raises(aiohttp.ClientConnectionError):
            await second.http.post(f"{url}/v1/messages", json=ASKED)


async def test_at_the_budget_it_stops_and_says_so_to_whoever_waits() -> None:
    async with served(Says(text="Hello."), book=MemoryBook(stops_at=1)) as rig:
        waiting = asyncio.create_task(rig.gateway.until_spent())
        assert (await rig.ask()).status == 200
        assert not waiting.done()
        replies = [await rig.ask() for _ in range(3)]
        assert [reply.status for reply in replies] == [403, 403, 403]
        with pytest.raises(BudgetReached):
            await waiting
        assert len(rig.provider.seen) == 1, "nothing more was spent"


async def test_a_turn_may_be_refused_before_anything_is_paid() -> None:
    async with served(Says(text="Hello.")) as rig:
        rig.turns += [()] * 20
        reply = await rig.ask()
        assert reply.status == 403 and "no turns left" in await reply.text()
        assert not rig.book.begun


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (Fails(status=401, message=f"invalid x-api-key {KEY}"), 401, ErrorClass.RESOURCE),
        (too_many("7"), 429, ErrorClass.NETWORK),
        (Fails(status=500), 500, ErrorClass.NETWORK),
        (Fails(status=529, message="Overloaded"), 529, ErrorClass.NETWORK),
        (Fails(status=503, raw=b"<html>down</html>"), 503, ErrorClass.NETWORK),
        (Fails(status=400, message="prompt is too long: 9 tokens > 5 maximum"), 400, ErrorClass.RESOURCE),
        (Fails(status=0, reset=True), 502, ErrorClass.NETWORK),
    ],
)
async def test_a_providers_error_is_passed_on_without_the_key_and_told(
    answer: Fails, status: int, error: ErrorClass
) -> None:
    async with served(answer) as rig:
        reply = await rig.ask()
        assert reply.status == status
        assert KEY not in await reply.text()
        failure = rig.gateway.last_failure
    assert failure is not None and failure.error is error and KEY not in failure.message
    assert rig.book.ended[0].failure == failure


async def test_a_stream_that_breaks_off_is_seen_broken_by_the_program_and_counts_as_no_answer() -> None:
    async with served(Says(text="A long answer. " * 50, cut=True)) as rig:
        reply = await rig.ask(stream=True)
        said = await reply.read()
        assert b"message_stop" not in said
    assert rig.book.ended[0].failure is not None and rig.book.ended[0].tokens_in, "what was told is counted"


async def test_a_program_that_hangs_up_is_counted_all_the_same() -> None:
    async with served(Says(text="x", wait=0.3)) as rig:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await rig.ask()
    assert len(rig.book.ended) == len(rig.book.begun) == 1


async def test_what_was_heard_before_hanging_up_is_paid() -> None:
    usage = MessagesUsage()
    reading = Reading(usage, stream=True)
    reading.feed(b'data: {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}\n')
    reading.feed(
        b'data: {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "%s"}}\n' % (b"x" * 900)
    )
    async with served(Says(text="x")) as rig:
        call = await rig.gateway.lent.admit(Wanted(model=MODEL, path="/v1/messages", body={}), 30)
        await rig.gateway.lent.settle(call, reading.end(), 0.0, None, 30)
    assert rig.book.ended[0].tokens_in == 9 and rig.book.ended[0].tokens_out == 300


async def test_a_provider_that_sends_us_elsewhere_is_not_followed() -> None:
    async def elsewhere(request: web.Request) -> web.Response:
        seen.append(request.path)
        return web.Response(status=307, headers={"location": "/other"})

    seen = list[str]()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", elsewhere)
    async with served(Says(text="x")) as rig, TestServer(app) as other:
        rig.gateway.lent.asked = replace(rig.gateway.lent.asked, base_url=str(other.make_url("")))
        assert (await rig.ask()).status == 502
        failure = rig.gateway.last_failure
    assert seen == ["/v1/messages"] and failure is not None and failure.error is ErrorClass.NETWORK


async def test_a_request_of_very_many_parts_is_refused_unread() -> None:
    async with served(Says(text="x")) as rig:
        body = b'{"model": "m", "messages": [' + b"[]," * 600_000 + b"[]]}"
        headers = {"x-api-key": rig.gateway.token}
        reply = await rig.http.post(f"{rig.url}/v1/messages", data=body, headers=headers)
        assert reply.status == 413 and not rig.book.begun


async def test_calls_of_the_overlords_tools_are_answered_here_and_cost_nothing() -> None:
    async with served(Says(text="Hello.")) as rig:
        reply = await rig.ask("/overlord/mcp", id=1)
        assert (await reply.json())["result"] == {}
        headers = {"Authorization": f"Bearer {rig.gateway.token}"}
        told = await rig.http.post(f"{rig.url}/overlord/mcp", data=b'{"method": "x"}', headers=headers)
        assert told.status == 202
        assert (await rig.http.get(f"{rig.url}/overlord/mcp", headers=headers)).status == 405
        assert not rig.book.begun


async def test_numbers_of_calls_go_on_after_a_crash_and_nothing_is_paid_twice() -> None:
    book = MemoryBook()
    async with served(Says(text="Hello."), book=book) as rig:
        assert [(await rig.ask()).status for _ in range(2)] == [200, 200]
    async with served(Says(text="Hello."), book=book) as rig:
        assert (await rig.ask()).status == 200
    steps = [call.step for call in book.begun]
    assert len(steps) == len(set(steps)) == 3


def test_an_engine_without_a_model_says_what_to_do() -> None:
    async def none(body: bytes) -> bytes | None:
        return None

    async def no(acts: Sequence[Act]) -> str:
        return ""

    lender = Lendings(prices=FixedPrices(), calls=MemoryBook(), job="job", models={})
    with pytest.raises(NoAnswer, match="engines: codex"):
        lender.lend(Loan(engine=EngineName.CODEX, run="r", task=task(), tools=none, next_turn=no))


async def test_a_role_may_name_another_model_of_the_same_provider() -> None:
    async with served(Says(text="Hello.")) as rig:
        loan = rig.gateway.lent.loan
        lender = Lendings(prices=FixedPrices(), calls=rig.book, job="j", models={loan.engine: rig.gateway.lent.asked})
        assert lender.lend(replace(loan, model="claude-haiku-4-5")).model == "claude-haiku-4-5"
        assert lender.lend(replace(loan, model="anthropic/claude-haiku-4-5")).model == "claude-haiku-4-5"
        assert lender.lend(replace(loan, model="critic")).model == MODEL, "as that question is asked, which is no model"
        assert json.dumps(rig.gateway.model) == f'"{MODEL}"'
