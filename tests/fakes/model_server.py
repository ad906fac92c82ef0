"""A strict model server on loopback, on any wire: scripted answers by question, and every way of failing.

The script is the same for every wire; `tests/fakes/wires` has what each of them takes and how its answers look.
"""

import asyncio
import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from agents.domain.planning.planted import LINES, STEPS
from tests.fakes.llm import A_CHANGE, SEES
from tests.fakes.wires import WIRES, Host, Wire
from tests.fakes.wires.ollama import Ollama
from tests.fakes.wires.shape import LETTERS_A_TOKEN, Heard, Made, Refused

KEY = "sk-fake-key-for-tests"
LARGE, SMALL = "fake-large", "fake-small"
_QUESTION = re.compile(r"^# Question: (\w+)$", re.MULTILINE)
_TESTED = re.compile(r"^This is a test of the connection\.(?:.*`answer_to` is \"(\w+)\")?", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r'`answer_to` is "(\w+)"')
LEAST_CACHED, CACHE_STEP = 1024, 128  # tokens, as the original keeps prefixes


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request, as the server saw it."""

    question: str
    model: str
    body: dict[str, Any]
    text: str  # all messages, one after the other
    talk: Sequence[dict[str, Any]] = ()  # the same on every wire: roles, words, and which tools were called
    heard: Heard | None = None
    at: float = field(default_factory=time.monotonic)
    cached: int = 0
    tokens: int = 0
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """An answer. `value` is sent as JSON with the question's tag; `text` as it stands."""

    value: Mapping[str, object] | None = None
    text: str | None = None
    thinks: str = ""  # before it answers
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
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, object] = field(default_factory=dict)  # what only one wire has
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

    def __init__(
        self, *, wire: str = "chat", key: str = KEY, models: tuple[str, ...] = (LARGE, SMALL), **able: Any
    ) -> None:
        self.wire: Wire = WIRES[wire](Host(models=models, key=key, **able))
        self.key = key
        self.seen: list[Seen] = []
        self.tested = 0  # how often it was only tried
        self.sees_planted = True  # its models notice what control questions hold, and no script has to say so
        self.controls = 0  # how many were asked
        self.asked = asyncio.Event()
        self.meeting: asyncio.Barrier | None = None  # so many must be asked at once before any is answered
        self.url = ""
        self._scripts: dict[str, deque[Answer]] = {}
        self._runner: web.AppRunner | None = None
        self._kept: list[str] = []

    @property
    def models(self) -> tuple[str, ...]:
        return self.wire.host.models

    @models.setter
    def models(self, models: tuple[str, ...]) -> None:
        self.wire.host = replace(self.wire.host, models=models)

    def named(self, model: str = "") -> str:
        """As litellm is told of it."""
        return f"{self.wire.provider}/{model or self.models[0]}"

    def answers(self, question: str, *script: Answer) -> None:
        self._scripts[question] = deque(script)

    def count(self, question: str | None = None, model: str | None = None) -> int:
        return sum(question in (None, s.question) and model in (None, s.model) for s in self.seen)

    @property
    def statuses(self) -> Counter[int]:
        return Counter(seen.status for seen in self.seen)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=32 << 20)
        for path in self.wire.posts:
            app.router.add_post(path, self._complete)
        app.router.add_post("/api/show", self._show)
        app.router.add_get("/{path:.*}", self._tell)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}{self.wire.base}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _tell(self, request: web.Request) -> web.StreamResponse:
        """What it says of itself."""
        found = self.wire.about().get(request.path)
        return web.json_response(found or {"error": "not found"}, status=200 if found else 404)

    async def _show(self, request: web.Request) -> web.StreamResponse:
        name = str((await request.json()).get("model"))
        if not isinstance(self.wire, Ollama) or name not in self.models:
            return web.json_response({"error": f"model '{name}' not found"}, status=404)
        return web.json_response(self.wire.show(name))

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        try:
            self.wire.check_key(request.headers)
            heard = self.wire.read(request.path, body)
            self._check_size(heard)
        except Refused as refused:
            self.seen.append(Seen(question="", model="", body=_given(body), text="", status=refused.status))
            return web.json_response(self.wire.error(refused), status=refused.status)
        tested = _TESTED.search(heard.text)
        if tested and "hello" not in self._scripts:  # such a call is no part of any script
            self.tested += 1
            made = self._made(
                heard, Seen(question="hello", model=heard.model, body={}, text=""), _ready(heard, tested[1])
            )
            if heard.stream:
                return await _streamed(request, self.wire.media, list(self.wire.pieces(heard, made)), cut=False)
            return await _sent(request, Says(), self.wire.whole(heard, made))
        if (sees := _sees_planted(heard)) and self.sees_planted:
            self.controls += 1
            made = self._made(heard, Seen(question="", model=heard.model, body={}, text=heard.text), Says(value=sees))
            return await _sent(request, Says(), self.wire.whole(heard, made))
        seen, answer = self._next(heard)
        self.seen.append(seen)
        self.asked.set()
        if self.meeting:
            await self.meeting.wait()
        await asyncio.sleep(answer.wait)
        if isinstance(answer, Fails):
            return self._failed(request, answer)
        made = self._made(heard, seen, answer)
        if heard.stream:
            return await _streamed(request, self.wire.media, list(self.wire.pieces(heard, made)), cut=answer.cut)
        return await _sent(request, answer, self.wire.whole(heard, made))

    def _check_size(self, heard: Heard) -> None:
        tokens = len(heard.text) // LETTERS_A_TOKEN
        if tokens > self.wire.host.window and (refused := self.wire.overflow(heard, tokens)):
            raise refused

    def _next(self, heard: Heard) -> tuple[Seen, Says | Fails]:
        text = heard.text
        found = _QUESTION.findall(text)
        question = found[-1] if found else "hello" if _TESTED.search(text) else "any"
        script = self._scripts.get(question) or (deque([A_CHANGE]) if question == "route" else None)
        script = script or self._scripts.get("any")
        plain = Seen(question=question, model=heard.model, body=heard.body, text=text, talk=heard.talk, heard=heard)
        answer: Answer = Fails(status=500, message=f"nothing is scripted for {question}")
        if script:
            answer = script.popleft() if len(script) > 1 else script[0]
        while callable(answer):
            answer = answer(plain)
        made = answer if isinstance(answer, Says | Fails) else Says(value=answer)
        tokens, cached = self._cached(heard)
        status = made.status if isinstance(made, Fails) else 200
        return replace(plain, cached=cached, tokens=tokens, status=status), made

    def _cached(self, heard: Heard) -> tuple[int, int]:
        """How many tokens there are, and how many the provider would have kept from an earlier request."""
        text = heard.text
        if heard.marks is None:
            longest, kept = max((common(text, before) for before in self._kept), default=0), [text]
        else:
            kept = list(heard.marks)
            longest = max((len(each) for each in kept if each in self._kept), default=0)
        self._kept = [*self._kept[-20:], *kept]
        cached = longest // LETTERS_A_TOKEN // CACHE_STEP * CACHE_STEP
        return len(text) // LETTERS_A_TOKEN, cached if cached >= LEAST_CACHED else 0

    def _made(self, heard: Heard, seen: Seen, answer: Says) -> Made:
        """An answer of more tokens than were asked for is cut off there."""
        text = answer.text
        if answer.value is not None:
            text = json.dumps({**answer.value, "answer_to": tag_of(seen.text)})
        thinks, finish, room = answer.thinks or self.wire.host.thinking, answer.finish, heard.most
        if room is not None and len(thinks + (text or "")) > room * LETTERS_A_TOKEN:
            left = max(0, room * LETTERS_A_TOKEN - len(thinks))
            thinks, text, finish = thinks[: room * LETTERS_A_TOKEN], (text or "")[:left], "length"
        return Made(
            number=len(self.seen),
            model=seen.model,
            text=text,
            thinks=thinks,
            calls=tuple((f"call_{len(self.seen)}_{at}", *call) for at, call in enumerate(answer.calls)),
            finish=finish,
            refusal=answer.refusal,
            choices=answer.choices,
            tokens=seen.tokens,
            written=len(text or "") // LETTERS_A_TOKEN,
            cached=seen.cached,
        )

    def _failed(self, request: web.Request, answer: Fails) -> web.StreamResponse:
        if answer.reset:
            _reset(request)
            return web.Response(status=500)
        if answer.raw is not None:
            return web.Response(status=answer.status, body=answer.raw, headers=dict(answer.headers))
        error = Refused(answer.status, answer.message, code=answer.code, kind=answer.kind, **answer.more)
        return web.json_response(self.wire.error(error), status=answer.status, headers=dict(answer.headers))


def _sees_planted(heard: Heard) -> Mapping[str, object] | None:
    """As a good model answers a control question; None: it is none."""
    if not any(step.title in heard.text for step in STEPS) and not any(line in heard.text for line in LINES):
        return None
    found = _QUESTION.findall(heard.text)
    return SEES.get(found[-1]) if found else None


def _ready(heard: Heard, tag: str | None) -> Says:
    """As a good model answers, when it is tried."""
    if heard.tools:
        return Says(calls=(("report", '{"word": "ready"}'),), finish="tool_calls")
    return Says(text=json.dumps({"answer_to": tag, "ok": True}))


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


async def _sent(request: web.Request, answer: Says, whole: dict[str, object]) -> web.StreamResponse:
    body = answer.raw if answer.raw is not None else json.dumps(whole).encode()
    if not answer.cut:
        return web.Response(body=body, content_type="application/json")
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    _reset(request)
    return response


async def _streamed(request: web.Request, media: str, parts: Sequence[bytes], *, cut: bool) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": media})
    await response.prepare(request)
    for part in parts[: len(parts) // 2] if cut else parts:
        await response.write(part)
    await response.write_eof()
    return response


def _reset(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
