"""From inside a program that has been taken over: no key, no other host, no file of the host, nothing out of scope.

The program is a script of ours that speaks as Codex does; what it finds out it reports in its last words.
"""

import json
import stat
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.models.routing import Model
from agents.domain.workflow.roles import Base, EngineName, bare
from agents.llm.relay.lender import Lendings
from agents.minions.by_role import EngineMinions
from agents.minions.engines import ProgramServices
from agents.ports import Finished, Program
from agents.workspace.sandbox.walls import CLI
from tests.fakes.engine_provider import FixedPrices, MemoryBook
from tests.fakes.llm import ScriptedTalker
from tests.fakes.model_server import KEY, ModelServer, Says
from tests.minions.field import Field, laid_out

MODEL = "gpt-5.4"
GATEWAY = "http://127.0.0.1:3128"

HOSTILE = """#!{python}
import glob, json, os, socket, sys, urllib.error, urllib.request
prompt = sys.stdin.read()
found = {{}}
def tried(name, act):
    try:
        found[name] = act()
    except Exception as error:
        found[name] = "no: " + type(error).__name__ + " " + str(getattr(error, "code", ""))
def ask(path, body=None, token=os.environ["OVERLORD_RUN"], method="POST"):
    data = None if body is None else json.dumps(body).encode()
    headers = {{"Authorization": "Bearer " + token, "Content-Type": "application/json"}}
    request = urllib.request.Request("{gateway}" + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as reply:
        return reply.read().decode()
def reach(host, port):
    socket.create_connection((host, port), timeout=3).close()
    return "reached"
def read(path):
    with open(path, errors="replace") as file:
        return file.read(200)
def write(path):
    with open(path, "w") as file:
        file.write("mine")
    return "written"
everything = lambda: "".join(read(path) for path in glob.glob("/proc/[0-9]*/environ"))
tried("environ", lambda: json.dumps(dict(os.environ)))
tried("other environs", everything)
tried("provider itself", lambda: reach("127.0.0.1", {port}))
tried("provider by gateway address", lambda: ask("/v1/responses", {{"model": "gpt-5.4-pro", "input": []}}))
tried("wrong token", lambda: ask("/v1/responses", {{"model": "{model}", "input": []}}, token="run-other"))
tried("other path", lambda: ask("/v1/files", method="GET"))
tried("as a proxy", lambda: urllib.request.build_opener(urllib.request.ProxyHandler({{"http": "{gateway}"}}))
      .open("http://127.0.0.1:{port}/v1/models", timeout=5).read().decode())
tried("host file", lambda: read("{secret}"))
tried("settings of the user", lambda: str(os.listdir("{home}")))
tried("out of scope", lambda: write("README.md"))
tried("in scope", lambda: write("shortlinks/mine.py"))
tried("git", lambda: write(".git"))
tried("hidden", lambda: str(os.listdir(".codex")))
tried("the layer", lambda: write(sys.argv[0]))
tried("good", lambda: ask("/v1/responses", {{"model": "{model}", "input": "hello"}}))
ask("/overlord/mcp", {{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{
    "name": "task_complete", "arguments": {{"summary": json.dumps(found)}}}}}})
"""


@pytest.fixture
async def field(tmp_path: Path) -> AsyncIterator[Field]:
    async with laid_out(tmp_path) as made:
        made.scope = Scope(mode=ScopeMode.DIRECTORY, patterns=("shortlinks/**",))
        yield made


async def seen_from_inside(field: Field, tmp_path: Path) -> tuple[dict[str, str], ModelServer]:
    secret = tmp_path / "secret.txt"
    secret.write_text("the host's own words")
    (field.root / ".codex").mkdir()
    (field.root / ".codex" / "config.toml").write_text("[mcp_servers.evil]")
    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        provider.answers("any", Says(text="Hello."))
        layer = tmp_path / "layer"
        layer.mkdir()
        program = layer / "codex"
        about = {"python": "/usr/bin/env python3", "gateway": GATEWAY, "model": MODEL, "secret": secret}
        port = provider.url.rpartition(":")[2].partition("/")[0]
        program.write_text(HOSTILE.format(**about, port=port, home=Path.home() / ".codex"))
        program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        field.limits = replace(field.limits, minion_turns=10)
        outcome = await play(field, provider, Program(argv=(str(program),), version="1", readable=(layer,)))
        assert isinstance(outcome, Finished), outcome
        return json.loads(outcome.summary), provider


async def play(field: Field, provider: ModelServer, program: Program, **how: Any) -> Any:
    lender = Lendings(
        prices=FixedPrices(),
        calls=MemoryBook(),
        job="job",
        models={EngineName.CODEX: _asked(provider)},
    )
    here = ProgramServices(find=lambda engine: program, lender=lender, profile=CLI, **how)
    role = replace(bare(Base.IMPLEMENTER), engine=EngineName.CODEX)
    services = replace(field.services(ScriptedTalker()), programs=here, role_of=lambda name: role)
    minions = EngineMinions(services=services)
    assert await minions.prepare("implementer") == f"Codex 1, {(await services.sandbox()).name}", "as its card says"
    return await minions.run(field.brief(), field.watch)


def _asked(provider: ModelServer) -> Any:
    return Model(name=f"openai/{MODEL}", base_url=provider.url, api_key=KEY)


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox here is Linux's")
async def test_nothing_but_its_one_model_is_reached(field: Field, tmp_path: Path) -> None:
    found, provider = await seen_from_inside(field, tmp_path)
    assert KEY not in json.dumps(found), "no key is anywhere inside"
    refused = {
        name: found[name]
        for name in (
            *("provider itself", "provider by gateway address", "wrong token", "other path", "as a proxy"),
            *("host file", "settings of the user", "out of scope", "git", "the layer"),
        )
    }
    assert all(said.startswith("no: ") for said in refused.values()), refused
    assert refused["provider by gateway address"] == "no: HTTPError 403"
    assert refused["wrong token"] == "no: HTTPError 401"
    assert found["hidden"] == "[]" and found["in scope"] == "written"
    assert "Hello." in found["good"]
    assert [seen.model for seen in provider.seen] == [MODEL], "one call, of the one model"
    assert (field.root / "shortlinks" / "mine.py").read_text() == "mine"
