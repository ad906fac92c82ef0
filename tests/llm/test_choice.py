"""Looking around for a model: a local Ollama, and a tiny question to each one."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from agents.catalog.models import MODELS
from agents.catalog.yaml import read_packaged
from agents.domain.models.routing import ROLES, Chosen, Model, Served
from agents.llm.choice import choose_models, find_ollama, try_all
from tests.fakes.model_server import KEY, LARGE, SMALL, Fails, ModelServer, Says
from tests.llm.rig import LOADED

PACKAGED = MODELS.read(read_packaged("policies", "models.yaml").data)


@asynccontextmanager
async def ollama(body: str, status: int = 200) -> AsyncIterator[str]:
    async def tags(request: web.Request) -> web.Response:
        return web.Response(text=body, status=status, content_type="application/json")

    app = web.Application()
    app.router.add_get("/api/tags", tags)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_an_ollama_that_answers_serves() -> None:
    async with ollama(json.dumps({"models": [{"name": "all-embed"}, {"name": "qwen3:8b"}]})) as url:
        chosen = await choose_models(PACKAGED.to_written(), {"OLLAMA_API_BASE": url})
    served = chosen["critic"]
    assert (served.models[0].name, served.models[0].base_url) == ("ollama_chat/qwen3:8b", url)
    assert "Ollama answers" in served.why


@pytest.mark.parametrize(("body", "status"), [("", 200), ("[]", 200), ('{"models": 3}', 200), ("{}", 200), ("no", 500)])
async def test_something_else_on_its_port_is_no_ollama(body: str, status: int) -> None:
    async with ollama(body, status) as url:
        assert await asyncio.to_thread(find_ollama, url) is None


async def test_with_nothing_around_it_rehearses() -> None:
    chosen = await choose_models(PACKAGED.to_written(), {"OLLAMA_API_BASE": "http://127.0.0.1:9"})
    assert all(served.models[0].rehearsal for served in chosen.values())


async def test_a_key_is_enough_and_nobody_is_probed() -> None:
    chosen = await choose_models(
        PACKAGED.to_written(), {"OPENAI_API_KEY": "k", "OLLAMA_API_BASE": "http://127.0.0.1:9"}
    )
    assert chosen["primary"].models[0].name == "openai/gpt-5.4"
    assert chosen["custodiet"].models[0].name == "openai/gpt-5.4-mini"


async def test_the_models_we_would_take_have_a_known_price() -> None:
    """Else a budget could not hold. OpenRouter tells what a call cost only afterwards."""
    for key, provider in PACKAGED.providers.items():
        for name in {provider.large, provider.small}:
            assert key == "OPENROUTER_API_KEY" or await LOADED.worst_case(Model(name=name), 3000) > 0, name


async def test_every_model_is_tried_once() -> None:
    async with ModelServer() as server:
        server.answers(
            "any", lambda seen: Says(text="{}") if seen.model == LARGE else Fails(status=404, message="gone")
        )
        large, small = (Model(name=f"openai/{name}", base_url=server.url, api_key=KEY) for name in (LARGE, SMALL))
        chosen: Chosen = {role: Served(models=(large, small), why="") for role in ROLES}
        good, bad = await try_all(LOADED, chosen)
        assert server.count() == 2
    assert (good.model, good.problem) == (f"openai/{LARGE}", "")
    assert (bad.problem, bad.next_step) == ("gone", "Check key, quota and the model's name.")
