"""Looking around for a model: a local Ollama, and a tiny question to each one."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from agents.catalog.models import MODELS
from agents.catalog.yaml import read_packaged
from agents.domain.models.ability import Ability, Lack, lacks_for
from agents.domain.models.routing import ROLES, Chosen, Model, Served
from agents.llm import servers
from agents.llm.choice import choose_models, find_ollama, try_all, try_model
from agents.llm.gateway import UNKNOWN_PRICE, CallFailed, Gateway, Request
from manifests import packaged_path
from tests.fakes.model_server import KEY, LARGE, SMALL, Fails, ModelServer, Says, Seen
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


SHIPPED = sorted({name for each in PACKAGED.providers.values() for name in (each.large, each.small)})
IN_WORDS = re.findall(  # what a program asks, such as codex-cli/…, is no name of litellm's
    r"(?<![\w/-])[a-z_]+/(?:claude|gpt|gemini)[\w./-]+", packaged_path("policies", "models.yaml").read_text()
)


@pytest.mark.parametrize("name", sorted({*SHIPPED, *IN_WORDS}))
async def test_the_models_we_name_are_listed_with_price_and_window(name: str) -> None:
    """Else a budget could not hold, and nobody would know how much fits."""
    provider, _, bare = name.partition("/")
    if provider != "openrouter":
        model = Model(name=name)
        assert UNKNOWN_PRICE != await LOADED.prices(model) > (0, 0) and await LOADED.window(model) >= 100_000
        return
    async with ModelServer(wire="openrouter", models=(bare,), window=200_000) as server:  # its own list has them
        model = Model(name=name, base_url=server.url)
        assert await servers.look_at(model) == Ability(window=200_000, price=(1e-6, 1e-6))


def test_who_serves_which_role_is_what_the_files_say() -> None:
    """The settings, the page about models and the code name the same roles and the same questions."""
    page = Path("docs/models.md").read_text()
    table = {found[0]: found[1] for found in re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)}
    assert (
        set(table)
        == set(ROLES)
        == {name for name in read_packaged("policies", "models.yaml").data if name != "providers"}
    )
    asked = dict[str, set[str]]()
    for source in (text for path in Path("agents/flows").rglob("*.py") for text in path.read_text().split("Ask(")[1:]):
        found = re.match(r"\s*question=\"(\w+)\",\s*role=\"(\w+)\"", source)
        if found:
            asked.setdefault(found[2], set()).add(found[1])
    for role, questions in asked.items():
        assert all(f"`{question}`" in table[role] for question in questions), role
    assert asked["primary"] >= {"decompose", "setup"} and asked["summarizer"] >= {"route", "intent", "wish", "project"}


async def test_every_model_is_tried_once() -> None:
    async with ModelServer() as server:
        server.answers("hello", hello)
        large, small = (Model(name=f"openai/{name}", base_url=server.url, api_key=KEY) for name in (LARGE, SMALL))
        chosen: Chosen = {role: Served(models=(large, small), why="") for role in ROLES}
        found = await try_all(LOADED, chosen)
        assert server.count() == 3, "one answer and one call of a tool; and what fails is not asked on"
    good, bad = found[large], found[small]
    assert (good.problem, good.tagged, good.tools) == ("", True, True) and good.seconds > 0
    assert (bad.problem, bad.next_step) == ("gone", "Check key, quota and the model's name.")
    assert not lacks_for("primary", good) and lacks_for("custodiet", bad) == (Lack.ANSWER,)


def hello(seen: Seen) -> Says | Fails:
    """As a good model answers when it is tried; the small one is gone."""
    if seen.model != LARGE:
        return Fails(status=404, message="gone")
    return Says(calls=(("report", "{}"),)) if seen.heard and seen.heard.tools else Says(value={"ok": True})


CLUMSY: list[tuple[dict[str, Any], Says, set[Lack]]] = [
    ({}, Says(text="Sure! I am ready."), {Lack.TAG, Lack.TOOLS}),
    ({"tools": False}, Says(value={"ok": True}), {Lack.TOOLS}),
    ({"window": 8192, "tools": True}, Says(value={"ok": True}), {Lack.TOOLS, Lack.WINDOW}),
]


@pytest.mark.parametrize(("able", "says", "lacks"), CLUMSY)
@pytest.mark.parametrize("wire", ["llama.cpp", "ollama"])
async def test_what_a_server_cannot_do_is_known_by_role(
    wire: str, able: dict[str, Any], says: Says, lacks: set[Lack]
) -> None:
    async with ModelServer(wire=wire, models=("own",), **able) as server:
        server.answers("hello", says)
        model = Model(name=server.named(), base_url=server.url, api_key=KEY)
        found = await try_all(LOADED, {role: Served(models=(model,), why="") for role in ROLES}, own=True)
    assert set(lacks_for("primary", found[model])) == lacks
    assert Lack.TOOLS not in lacks_for("critic", found[model])


async def test_a_window_is_what_the_server_says() -> None:
    for wire, wanted in (("vllm", 8000), ("llama.cpp", 8000), ("ollama", 8000), ("chat", 0)):
        async with ModelServer(wire=wire, models=("own",), window=8000) as server:
            model = Model(name=server.named(), base_url=server.url, api_key=KEY)
            assert await LOADED.window(model) == wanted, wire
            assert await LOADED.window(replace(model, window=5000)) == 5000, "what is written counts"
    assert await LOADED.window(Model(name="openai/own", base_url="http://127.0.0.1:9/v1")) == 0


async def test_a_server_that_becomes_another_is_asked_again() -> None:
    model = Model(name="openai/own", base_url="http://127.0.0.1:9/v1")
    LOADED.note(model, Ability(window=3))
    assert await LOADED.window(model) == 3
    LOADED.forget(model)
    assert await LOADED.window(model) == 0


async def test_a_server_that_was_gone_is_looked_at_when_it_is_back() -> None:
    """What trying it has shown stays, unless the server says something else of itself than before."""
    gateway = Gateway()
    async with ModelServer(wire="llama.cpp", models=("own",), window=8000) as server:
        model = Model(name=server.named(), base_url=server.url, api_key=KEY)
        able = await try_model(gateway, model)
        assert (able.window, able.tagged) == (8000, True)
        request = Request(model=model, messages=[{"role": "user", "content": "well?"}], timeout=20.0)
        for window, tagged in ((8000, True), (4000, None)):
            server.wire.host = replace(server.wire.host, window=window)
            server.answers("any", Fails(status=503, message="loading"))
            with pytest.raises(CallFailed):
                await gateway.ask(request)
            assert (await gateway.window(model), (await gateway.ability(model)).tagged) == (window, tagged)
