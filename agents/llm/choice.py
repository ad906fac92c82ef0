"""Looks around for models, and tries them: what the start and `overlord doctor` want to know."""

import asyncio
import json
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass

from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import Chosen, Model, Ollama, Written, which_models
from agents.llm.gateway import CallFailed, Gateway, Request

OLLAMA = "http://127.0.0.1:11434"
PATIENCE = 0.5  # seconds for a program on this machine to say that it is there
LONGEST_LIST = 1 << 20  # bytes
TRY_SECONDS = 30.0
_TINY = 'This is a test of the connection. Answer with the JSON object {"ok": true} and nothing else.'


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How a model took a tiny question."""

    model: str
    seconds: float
    problem: str = ""
    next_step: str = ""


_STEPS: dict[ErrorClass, str] = {
    ErrorClass.NETWORK: "Check that the address answers and try again.",
    ErrorClass.RESOURCE: "Check key, quota and the model's name.",
}


async def try_model(gateway: Gateway, model: Model, seconds: float = TRY_SECONDS) -> Attempt:
    """One call; its answer need not make sense, it only has to come."""
    await gateway.warm()
    began, problem, step = time.monotonic(), "", ""
    messages = [{"role": "user", "content": _TINY}]
    try:
        await gateway.ask(Request(model=model, messages=messages, timeout=seconds, told={"question": "hello"}))
    except CallFailed as failed:
        problem, step = failed.failure.message, _STEPS.get(failed.failure.error, "Try again.")
    return Attempt(model=model.name, seconds=time.monotonic() - began, problem=problem, next_step=step)


async def try_all(gateway: Gateway, chosen: Chosen) -> list[Attempt]:
    """Every distinct model once, side by side. The rehearsal needs no trying: it is part of the program."""
    models = dict.fromkeys(m for served in chosen.values() for m in served.models if not m.rehearsal)
    return list(await asyncio.gather(*(try_model(gateway, model) for model in models)))
