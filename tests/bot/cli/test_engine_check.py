"""`overlord engines check`: what is said of an engine that is not there, has no model, answers, or is refused."""

import asyncio
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from agents.catalog.models import EnginePart, Engines, RolePart
from agents.domain.workflow.roles import EngineName
from bot.cli.doctor import check_models
from bot.cli.engines.engine_check import check_engines, look, try_engine
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.doctor_check import State
from tests.fakes.model_server import KEY, Fails, ModelServer, Says

MODEL = "gpt-5.4"
PROGRAM = """#!/usr/bin/env python3
import json, os, sys, urllib.error, urllib.request
body = json.dumps({"model": sys.argv[sys.argv.index("-m") + 1], "input": sys.stdin.read()}).encode()
headers = {"Authorization": "Bearer " + os.environ["OVERLORD_RUN"], "Content-Type": "application/json"}
try:
    asked = urllib.request.Request("http://127.0.0.1:3128/v1/responses", data=body, headers=headers)
    urllib.request.urlopen(asked, timeout=100).read()
    print(json.dumps({"type": "turn.completed"}))
except urllib.error.HTTPError as error:
    print(json.dumps({"type": "turn.failed", "error": {"message": f"unexpected status {error.code}"}}))
    sys.exit(1)
"""


def settings(home: Path, url: str = "", key: str = KEY, path: str = "", roles: str = "") -> Settings:
    (home / "overlord.yaml").write_text(f"roles: {{{roles}}}\n")
    plain = load_settings(environ={"OVERLORD_HOME": str(home), "PATH": "/usr/bin"}, cwd=home, user="ana")
    part = EnginePart(path=path, base_url=url, api_key_env="MY_KEY", model=MODEL, input_price=1, output_price=2)
    return replace(plain, engines=Engines(codex=part), keys={"MY_KEY": key})


@pytest.fixture
def program(tmp_path: Path) -> str:
    layer = tmp_path / "layer"
    layer.mkdir()
    path = layer / "codex"
    path.write_text(PROGRAM)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return str(path)


def test_one_that_nobody_asked_for_is_no_fault_and_one_that_is_named_and_gone_is(tmp_path: Path) -> None:
    found = {check.name: check for check in check_engines(settings(tmp_path, path="/nowhere/codex"), offline=True)}
    assert found["engine gemini"].state is State.OK
    assert found["engine codex"].state is State.FAIL and "/nowhere/codex" in found["engine codex"].seen


def test_one_that_a_role_needs_must_be_there_with_a_model(tmp_path: Path, program: str) -> None:
    roles = "implementer_fast: {engine: gemini}, reviewer_codex: {engine: codex}"
    given = settings(tmp_path, key="", path=program, roles=roles)
    found = {check.name: check for check in check_engines(given, offline=True)}
    assert found["engine claude"].state is State.OK and "no role needs it" in found["engine claude"].seen
    gemini, codex = found["engine gemini"], found["engine codex"]
    assert gemini.state is State.FAIL and "not on this machine, needed by implementer_fast" in gemini.seen
    assert "overlord engines install gemini" in gemini.next_step
    assert codex.state is State.FAIL and codex.seen.endswith("no model to ask, needed by reviewer_codex")


async def test_every_model_that_roles_name_for_it_is_tried(tmp_path: Path, program: str) -> None:
    roles = "implementer_fast: {engine: codex, model: gpt-99}, reviewer_codex: {engine: codex}"
    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        provider.answers("any", Says(text="ready"))
        given = settings(tmp_path, provider.url, path=program, roles=roles)
        checks = await asyncio.to_thread(lambda: [*check_engines(given, offline=False, only=EngineName.CODEX)])
    told = [(check.state, check.seen) for check in checks]
    assert [state for state, _ in told] == [State.FAIL, State.OK]
    assert told[0][1].endswith("gpt-99: HTTP 400: The requested model 'gpt-99' does not exist."), (
        "a model that its provider does not have"
    )


def checked_models(home: Path, models: str, path: str = "") -> dict[str, tuple[State, str]]:
    given = settings(home, "http://127.0.0.1:1", path=path)
    role, _, model = models.partition("=")
    named = replace(given.models, **{role: RolePart(model=model)})  # type: ignore[arg-type]
    return {each.name: (each.state, each.seen) for each in check_models(replace(given, models=named), offline=True)}


def test_a_model_that_a_program_asks_is_told_with_what_it_lacks(tmp_path: Path, program: str) -> None:
    found = checked_models(tmp_path, "critic=codex-cli/gpt-5.4", program)
    state, seen = found["model codex-cli/gpt-5.4"]
    assert state is State.OK and seen.startswith("asked by codex ") and seen.endswith("for critic")
    state, seen = checked_models(tmp_path, "critic=codex-cli", "/nowhere/codex")["model codex-cli"]
    assert state is State.FAIL and "/nowhere/codex" in seen
    state, seen = checked_models(tmp_path, "primary=codex-cli", program)["model codex-cli"]
    assert state is State.WARN and "need tools of ours" in seen


async def test_one_that_answers_says_what_a_run_costs(tmp_path: Path, program: str) -> None:
    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        provider.answers("any", Says(text="ready"))
        given = settings(tmp_path, provider.url, path=program)
        here = next(each for each in look(given) if each.engine is EngineName.CODEX)
        check = await try_engine(given, here)
    assert check.state is State.OK, check
    assert "1 call" in check.seen and "tokens, $" in check.seen


async def test_one_whose_provider_refuses_says_so_without_the_key(tmp_path: Path, program: str) -> None:
    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        provider.answers("any", Fails(status=401, message=f"Incorrect API key provided: {KEY}"))
        given = settings(tmp_path, provider.url, path=program)
        here = next(each for each in look(given) if each.engine is EngineName.CODEX)
        check = await try_engine(given, here)
    assert check.state is State.FAIL and "401" in check.seen and KEY not in check.seen
