"""`overlord doctor` on models: which serve, why it is these, and whether they answer."""

import asyncio
from collections.abc import Iterator

from agents.domain.models.routing import Chosen, said
from agents.llm.choice import choose_models, try_all
from agents.llm.gateway import Gateway
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn


def models(settings: Settings, *, offline: bool) -> Iterator[Check]:
    chosen = asyncio.run(choose_models(settings.models.to_written(), settings.keys))
    seen = said(chosen)
    if chosen["primary"].models[0].rehearsal:
        step = "Set a key, such as ANTHROPIC_API_KEY, start Ollama, or name a model in OVERLORD_MODELS__PRIMARY."
        yield warn("models", f"{seen}: only the sample requests are rehearsed", step)
    else:
        yield ok("models", seen)
    if not offline:
        yield from _tried(chosen)


def _tried(chosen: Chosen) -> Iterator[Check]:
    for attempt in asyncio.run(try_all(Gateway(), chosen)):
        name = f"model {attempt.model}"
        if attempt.problem:
            yield fail(name, attempt.problem, attempt.next_step)
        else:
            yield ok(name, f"answered in {attempt.seconds:.1f} s")
