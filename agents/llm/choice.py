"""Looks around for models, and tries them: what the start and `overlord doctor` want to know."""

import asyncio
import json
import secrets
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from agents.domain.models.ability import Ability, Lack, lacks_for
from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import Chosen, Model, Ollama, Written, which_models
from agents.llm.answers import NONCE, BadAnswer, read_answer, schema_for, tool_schemas
from agents.llm.gateway import CallFailed, Gateway, Request
from agents.llm.servers import is_near
from agents.ports import Tool

OLLAMA = "http://127.0.0.1:11434"
PATIENCE = 0.5  # seconds for a program on this machine to say that it is there
LONGEST_LIST = 1 << 20  # bytes
TRY_SECONDS = 30.0
SHORT = 200  # tokens of an answer to that
_TINY = (
    "This is a test of the connection. Answer with one JSON object and nothing else. It has two fields: "
    '`{name}` is "{tag}", and `ok` is true.'
)


async def choose_models(written: Written, environ: Mapping[str, str]) -> Chosen:
    """Ollama is only asked where nothing else is there."""
    chosen = which_models(written, environ, None)
    if not chosen["primary"].models[0].rehearsal or not written.needs_a_look_around:
        return chosen
    base_url = (environ.get("OLLAMA_API_BASE") or OLLAMA).rstrip("/")
    return which_models(written, environ, await asyncio.to_thread(find_ollama, base_url))


def find_ollama(base_url: str) -> Ollama | None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{base_url}/api/tags", timeout=PATIENCE) as reply:
            said = json.loads(reply.read(LONGEST_LIST))
        names = tuple(str(model["name"]) for model in said["models"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Ollama(base_url=base_url, models=names)


class Hello(BaseModel):
    """What a model is asked to answer, when it is tried."""

    ok: bool


class Report(BaseModel):
    """Says that it was read."""

    word: str


_REPORT = Tool(name="report", does="Reports a word.", takes=Report)
BUSY = "It is there, but slow or busy: try again when it has less to do."
_STEPS: dict[ErrorClass, str] = {
    ErrorClass.NETWORK: "Check that the address answers and try again.",
    ErrorClass.RESOURCE: "Check key, quota and the model's name.",
}


async def try_model(gateway: Gateway, model: Model, seconds: float = TRY_SECONDS) -> Ability:
    """Asks its server what it can do, and the model for one tagged answer and one call of a tool. What is found is
    known to the gateway from here on."""
    await gateway.warm()
    gateway.forget(model)
    able = await gateway.ability(model)
    try:
        able = await _answered(gateway, model, replace(able, window=await gateway.window(model)), seconds)
        if able.tools is not False:
            able = replace(able, tools=await _calls_tools(gateway, model, seconds))
    except CallFailed as failed:
        problem = failed.failure
        step = BUSY if problem.late else _STEPS.get(problem.error, "Try again.")
        able = replace(able, problem=problem.message, next_step=step)
    gateway.note(model, able)
    return able


async def _answered(gateway: Gateway, model: Model, able: Ability, seconds: float) -> Ability:
    tag, began = secrets.token_hex(4), time.monotonic()
    schema = schema_for(Hello, tag)
    asked = _TINY.format(tag=tag, name=NONCE)
    reply = await gateway.ask(_request(model, asked, seconds, most=SHORT, schema=schema))
    took = time.monotonic() - began
    try:
        tagged = reply.fault is None and read_answer(reply.text, Hello, tag).ok is not None
    except BadAnswer:
        tagged = False
    return replace(able, tagged=tagged, seconds=took, speed=reply.tokens_out / took if took else 0.0)


async def _calls_tools(gateway: Gateway, model: Model, seconds: float) -> bool:
    asked = "This is a test of the connection. Call the tool `report` with the word `ready`."
    reply = await gateway.ask(_request(model, asked, seconds, most=SHORT, tools=tool_schemas((_REPORT,))))
    return any(call.name == _REPORT.name for call in reply.calls)


def _request(model: Model, asked: str, seconds: float, **more: Any) -> Request:
    messages = [{"role": "user", "content": asked}]
    return Request(model=model, messages=messages, timeout=seconds, told={"question": "hello"}, **more)


async def try_all(gateway: Gateway, chosen: Chosen, *, own: bool = False) -> dict[Model, Ability]:
    """Every distinct model once, side by side. The rehearsal needs no trying: it is part of the program; what programs
    ask is tried with their engines. `own`: only those on servers of one's own, whose tokens have no price."""
    models = dict.fromkeys(m for served in chosen.values() for m in served.models if not (m.rehearsal or m.program))
    wanted = [model for model in models if is_near(model) or not own]
    return dict(zip(wanted, await asyncio.gather(*(try_model(gateway, model) for model in wanted)), strict=True))


def lacking(chosen: Chosen, found: Mapping[Model, Ability]) -> dict[str, tuple[Lack, ...]]:
    """By role, what keeps its first model from serving it."""
    return {
        role: lacks
        for role, served in chosen.items()
        if (able := found.get(served.models[0])) and (lacks := lacks_for(role, able))
    }
