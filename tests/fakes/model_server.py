"""A strict OpenAI chat-completions server on loopback: scripted answers by question, and every way of failing."""

import asyncio
import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.llm import A_CHANGE
from tests.fakes.model_wire import Asked, Refused, choice, chunks, completion, parse, said, usage

KEY = "sk-fake-key-for-tests"
LARGE, SMALL = "fake-large", "fake-small"
_QUESTION = re.compile(r"^# Question: (\w+)$", re.MULTILINE)
_TAG = re.compile(r'`answer_to` is "(\w+)"')
LEAST_CACHED, CACHE_STEP = 1024, 128  # tokens, as the original keeps prefixes
LETTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request, as the server saw it."""

    question: str
    model: str
    body: dict[str, Any]
    text: str  # all messages, one after the other
    at: float = field(default_factory=time.monotonic)
    cached: int = 0
    tokens: int = 0
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """An answer. `value` is sent as JSON with the question's tag; `text` as it stands."""

    value: Mapping[str, object] | None = None
    text: str | None = None
    finish: str | None = "stop"
    calls: tuple[tuple[str, str], ...] = ()  # tools and their arguments
    refusal: str | None = None
    choices: int = 1
    raw: bytes | None = None  # instead of all that
    cut: bool = False  # the connection ends in the middle of the body
    wait: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fails:
    status: int
    message: str = "The server had an error while processing your request."
    code: str | None = None
    kind: str = "server_error"
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    reset: bool = False  # no answer at all
    wait: float = 0.0


Answer = Says | Fails | Mapping[str, object] | Callable[[Seen], "Answer"]


def quota() -> Fails:
    text = "You exceeded your current quota, please check your plan and billing details."
    return Fails(status=429, message=text, code="insufficient_quota", kind="insufficient_quota")


def too_many(retry_after: str | None = None) -> Fails:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    text = "Rate limit reached for requests"
    return Fails(status=429, message=text, code="rate_limit_exceeded", kind="requests", headers=headers)


class ModelServer:
    """`answers` scripts a question; the last answer is given again and again. `any` is asked for what has no script."""

    def __init__(self, *, key: str = KEY, models: tuple[str, ...] = (LARGE, SMALL)) -> None:
        self.key = key
        self.models = models
        self.seen: list[Seen] = []
        self.asked = asyncio.Event()
        self.meeting: asyncio.Barrier | None = None  # so many must be asked at once before any is answered
        self.url = ""
        self._scripts: dict[str, deque[Answer]] = {}
        self._runner: web.AppRunner | None = None
        self._kept: list[str] = []

    def answers(self, question: str, *script: Answer) -> None:
        self._scripts[question] = deque(script)

    def count(self, question: str | None = None, model: str | None = None) -> int:
        return sum(question in (None, s.question) and model in (None, s.model) for s in self.seen)

    @property
    def statuses(self) -> Counter[int]:
        return Counter(seen.status for seen in self.seen)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=32 << 20)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _list(self, request: web.Request) -> web.StreamResponse:
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in self.models]
        return web.json_response({"object": "list", "data": data})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        try:
            self._check_key(request)
            asked = parse(body, self.models)
        except Refused as refused:
            self.seen.append(Seen(question="", model="", body=_given(body), text="", status=refused.status))
            return web.json_response(refused.body, status=refused.status)
        seen, answer = self._next(asked, _given(body))
        self.seen.append(seen)
        self.asked.set()
        if self.meeting:
            await self.meeting.wait()
        await asyncio.sleep(answer.wait)
        if isinstance(answer, Fails):
            return _failed(request, answer)
        whole = self._whole(asked, seen, answer)
        return await _streamed(request, asked, answer, whole) if asked.stream else await _sent(request, answer, whole)

    def _check_key(self, request: web.Request) -> None:
        given = request.headers.get("Authorization", "")
        if not given:
            raise Refused(401, "You didn't provide an API key.")
        if given != f"Bearer {self.key}":
            raise Refused(401, f"Incorrect API key provided: {given[7:11]}***.", code="invalid_api_key")
        if request.content_type != "application/json":
            raise Refused(400, "Content-Type must be application/json")

    def _next(self, asked: Asked, body: dict[str, Any]) -> tuple[Seen, Says | Fails]:
        text = said(asked)
        found = _QUESTION.findall(text)
        question = found[-1] if found else "any"
        script = self._scripts.get(question) or (deque([A_CHANGE]) if question == "route" else None)
        script = script or self._scripts.get("any")
        plain = Seen(question=question, model=asked.model, body=body, text=text)
        answer: Answer = Fails(status=500, message=f"nothing is scripted for {question}")
        if script:
            answer = script.popleft() if len(script) > 1 else script[0]
        while callable(answer):
            answer = answer(plain)
        made = answer if isinstance(answer, Says | Fails) else Says(value=answer)
        tokens, cached = self._cached(text)
        status = made.status if isinstance(made, Fails) else 200
        return Seen(
            question=question, model=asked.model, body=body, text=text, cached=cached, tokens=tokens, status=status
        ), made

    def _cached(self, text: str) -> tuple[int, int]:
        """How many tokens there are, and how many the provider would have kept from an earlier request."""
        longest = max((common(text, before) for before in self._kept), default=0)
        self._kept = [*self._kept[-20:], text]
        cached = longest // LETTERS_A_TOKEN // CACHE_STEP * CACHE_STEP
        return len(text) // LETTERS_A_TOKEN, cached if cached >= LEAST_CACHED else 0

    def _whole(self, asked: Asked, seen: Seen, answer: Says) -> dict[str, object]:
        text = answer.text
        if answer.value is not None:
            text = json.dumps({**answer.value, "answer_to": tag_of(seen.text)})
        message: dict[str, object] = {"content": text, "refusal": answer.refusal}
        if answer.calls:
            message["tool_calls"] = [
                {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for at, (name, arguments) in enumerate(answer.calls)
            ]
        made = [choice(message, answer.finish, at) for at in range(answer.choices)]
        used = usage(seen.tokens, len(text or "") // LETTERS_A_TOKEN, seen.cached)
        return completion(f"chatcmpl-{len(self.seen)}", asked.model, made, used)


def common(one: str, other: str) -> int:
    """How many letters two texts have in common from the beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def tag_of(text: str) -> str:
    found = _TAG.findall(text)
    return found[-1] if found else ""


def last_words(seen: Seen) -> str:
    """The last message of a request."""
    content = seen.body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _given(body: bytes) -> dict[str, Any]:
    try:
        made = json.loads(body)
    except ValueError:
        return {}
    return made if isinstance(made, dict) else {}


def _failed(request: web.Request, answer: Fails) -> web.StreamResponse:
    if answer.reset:
        _reset(request)
        return web.Response(status=500)
    if answer.raw is not None:
        return web.Response(status=answer.status, body=answer.raw, headers=dict(answer.headers))
    error = Refused(answer.status, answer.message, code=answer.code, kind=answer.kind)
    return web.json_response(error.body, status=answer.status, headers=dict(answer.headers))


async def _sent(request: web.Request, answer: Says, whole: dict[str, object]) -> web.StreamResponse:
    body = answer.raw if answer.raw is not None else json.dumps(whole).encode()
    if not answer.cut:
        return web.Response(body=body, content_type="application/json")
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    _reset(request)
    return response


async def _streamed(request: web.Request, asked: Asked, answer: Says, whole: dict[str, object]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    parts = list(chunks(whole, with_usage=bool(asked.stream_options and asked.stream_options.include_usage)))
    for part in parts[: len(parts) // 2] if answer.cut else parts:
        await response.write(f"data: {json.dumps(part)}\n\n".encode())
    if not answer.cut:
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _reset(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
