"""The real litellm against a strict provider: what goes out, what comes back, and how each failure is classed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import Model
from agents.llm.faults import LARGEST
from agents.llm.gateway import CallFailed, Request
from agents.llm.replies import Reply
from tests.fakes.model_server import KEY, LARGE, Fails, ModelServer, Says, quota, too_many
from tests.llm.rig import LOADED

PATIENCE = 60.0  # seconds; machines are shared, and waiting costs only who fails
ROUTES = ("hosted_vllm", "openai")
JSON = {"type": "json_object"}


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as made:
        made.answers("any", Says(text='{"ok": true}'))
        yield made


async def ask(server: ModelServer, route: str = "hosted_vllm", key: str = KEY, within: float = 30.0) -> Reply:
    model = Model(name=f"{route}/{LARGE}", base_url=server.url, api_key=key)
    messages = [{"role": "system", "content": "answer in json"}, {"role": "user", "content": "well?"}]
    return await LOADED.ask(Request(model=model, messages=messages, timeout=within))


@pytest.mark.parametrize("route", ROUTES)
async def test_an_answer_comes_back_with_what_it_took(server: ModelServer, route: str) -> None:
    reply = await ask(server, route)
    assert (reply.text, reply.fault, reply.tokens_out) == ('{"ok": true}', None, 3)
    assert reply.tokens_in == server.seen[0].tokens
    assert set(server.seen[0].body) == {"model", "messages", "max_tokens"}


FAILURES = [
    (Fails(status=400, message="bad"), ErrorClass.RESOURCE),
    (Fails(status=401, message="what are you doing here?"), ErrorClass.RESOURCE),
    (Fails(status=402, message="payment required"), ErrorClass.RESOURCE),
    (Fails(status=403, message="not for you"), ErrorClass.RESOURCE),
    (Fails(status=404, message="no such model", code="model_not_found"), ErrorClass.RESOURCE),
    (Fails(status=408), ErrorClass.NETWORK),
    (quota(), ErrorClass.RESOURCE),
    (too_many(), ErrorClass.NETWORK),
    (too_many("7"), ErrorClass.NETWORK),
    (Fails(status=500), ErrorClass.NETWORK),
    (Fails(status=502, raw=b"<html>Bad gateway</html>"), ErrorClass.NETWORK),
    (Fails(status=503), ErrorClass.NETWORK),
    (Fails(status=529, message="overloaded"), ErrorClass.NETWORK),
    (Fails(status=500, reset=True), ErrorClass.NETWORK),
    (Says(text="{}", cut=True), ErrorClass.NETWORK),
]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("answer", "wanted"), FAILURES)
async def test_a_failure_is_classed_by_its_status(
    server: ModelServer, route: str, answer: Fails | Says, wanted: ErrorClass
) -> None:
    server.answers("any", answer)
    with pytest.raises(CallFailed) as failed:
        await ask(server, route)
    assert failed.value.failure.error is wanted, failed.value.failure
    assert server.count() == 1, "no layer but ours tries again"


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("written", "seconds"), [("70", 70.0), ("86400", 86_400.0), ("soon", None), ("-3", 0.0)])
async def test_what_a_provider_asks_to_wait_is_read(
    server: ModelServer, route: str, written: str, seconds: float | None
) -> None:
    server.answers("any", too_many(written))
    began = time.monotonic()
    with pytest.raises(CallFailed) as failed:
        await ask(server, route)
    assert failed.value.failure.retry_after == seconds
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("route", ROUTES)
async def test_a_server_that_is_not_there_is_a_network_failure(server: ModelServer, route: str) -> None:
    model = Model(name=f"{route}/{LARGE}", base_url="http://127.0.0.1:9/v1", api_key=KEY)
    with pytest.raises(CallFailed) as failed:
        await LOADED.ask(Request(model=model, messages=[{"role": "user", "content": "hi"}], timeout=30.0))
    assert failed.value.failure.error is ErrorClass.NETWORK
    assert "127.0.0.1" in failed.value.failure.message or "onnect" in failed.value.failure.message


@pytest.mark.parametrize("route", ROUTES)
async def test_a_wrong_key_is_told_without_the_key(server: ModelServer, route: str) -> None:
    with pytest.raises(CallFailed) as failed:
        await ask(server, route, key="sk-proj-verysecretverysecret")
    assert failed.value.failure.error is ErrorClass.RESOURCE
    assert "verysecret" not in failed.value.failure.message


@pytest.mark.parametrize("route", ROUTES)
async def test_the_deadline_holds(server: ModelServer, route: str) -> None:
    server.answers("any", Says(text="{}", wait=600))
    began = time.monotonic()
    with pytest.raises(CallFailed) as failed:
        await ask(server, route, within=0.3)
    assert failed.value.failure.error is ErrorClass.NETWORK
    assert time.monotonic() - began < PATIENCE


WHOLE_OR_NOT = [
    (Says(text='{"a": ', finish="length"), ErrorClass.PARSING),
    (Says(text="{}", finish="content_filter"), ErrorClass.RESOURCE),
    (Says(text="{}", choices=2), ErrorClass.PARSING),
    (Says(text="{}", choices=0), ErrorClass.PARSING),
    (Says(text=None, finish="tool_calls", calls=(("approve", "{}"),)), ErrorClass.PARSING),
    (Says(text="{}", finish="stop", calls=(("approve", "{}"),)), ErrorClass.PARSING),
]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("answer", "wanted"), WHOLE_OR_NOT)
async def test_only_a_whole_answer_is_one(server: ModelServer, route: str, answer: Says, wanted: ErrorClass) -> None:
    server.answers("any", answer)
    try:
        fault = (await ask(server, route)).fault
    except CallFailed as failed:
        fault = failed.failure
    assert fault is not None
    assert fault.error in (wanted, ErrorClass.NETWORK), fault


ODD_BODIES = [
    b"",
    b"null",
    b"[]",
    b"42",
    b'"text"',
    b"<html></html>",
    b"{}",
    b'{"choices": null}',
    b"\xff\xfe",
    b"{" * 9000,
    b'{"choices": [{"message": {"role": "assistant", "content": 5}}]}',
    b'{"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}}]}',
    b'{"choices": [{"text": "hi", "finish_reason": "stop"}]}',
]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("body", ODD_BODIES)
async def test_a_provider_that_answers_anything_breaks_nothing(server: ModelServer, route: str, body: bytes) -> None:
    server.answers("any", Says(raw=body))
    try:
        reply = await ask(server, route)
    except CallFailed as failed:
        told = failed.failure.message
        assert "Traceback" not in told and "litellm" not in told.casefold() and "site-packages" not in told
        return
    assert reply.fault is not None or not reply.text


async def test_calls_side_by_side_do_not_wait_for_each_other(server: ModelServer) -> None:
    server.meeting = asyncio.Barrier(5)
    await asyncio.gather(*(ask(server, within=PATIENCE) for _ in range(5)))


class Endless:
    """A provider whose answer never ends, with a status of its own; `sent` is how much of it was taken."""

    def __init__(self, status: int) -> None:
        self.status, self.sent = status, 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=self.status, headers={"Content-Type": "application/json"})
        await response.prepare(request)
        with suppress(ConnectionError):
            await response.write(b'{"choices": [{"message": {"content": "')
            while self.sent < 20 * LARGEST:
                await response.write(b"x" * (1 << 18))
                self.sent += 1 << 18
        return response


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("route", [*ROUTES, "anthropic"])
async def test_an_answer_without_end_is_not_read_to_its_end(route: str, status: int) -> None:
    endless, app = Endless(status), web.Application()
    app.router.add_post("/{path:.*}", endless.answer)
    server = TestServer(app)
    await server.start_server()
    try:
        model = Model(name=f"{route}/{LARGE}", base_url=str(server.make_url("/v1")), api_key=KEY)
        with pytest.raises(CallFailed) as failed:
            await LOADED.ask(Request(model=model, messages=[{"role": "user", "content": "well?"}], timeout=PATIENCE))
    finally:
        await server.close()
    assert failed.value.failure.error is ErrorClass.RESOURCE and "more than 8 MB" in failed.value.failure.message
    assert endless.sent < 2 * LARGEST
