"""Which model serves and why, as the start and `overlord doctor` say it: a key, a local Ollama, or the rehearsal."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from agents.domain.models.ability import Ability
from agents.domain.models.routing import Model, Served
from bot.cli.doctor import check_models, judge_model
from bot.config.settings_source import load_settings
from tests.builders.shell import Shell
from tests.builders.started import said, up

NOBODY = "http://127.0.0.1:9"  # nothing listens there
KEY = "sk-ant-only-for-this-test"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@contextmanager
def ollama(*names: str) -> Iterator[str]:
    """As the original lists what it has."""

    class Tags(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path == "/api/tags"
            body = json.dumps({"models": [{"name": name} for name in names]}).encode()
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body if known else b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Tags) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def told(shell: Shell, environ: Mapping[str, str]) -> str:
    """The line of the start, which `overlord doctor` repeats."""
    with up(shell, **environ) as (_, lines):
        line = said(lines, "Models")
        assert environ.get("ANTHROPIC_API_KEY", KEY) not in "\n".join(lines)
    settings = load_settings({**shell.environ, **environ}, cwd=shell.folder)
    (check,) = check_models(settings, offline=True)  # what `overlord doctor` says of models
    assert check.seen.startswith(line)
    return line


def test_a_key_in_the_environment_serves_and_is_named_but_not_shown(shell: Shell) -> None:
    with ollama("qwen3:8b") as url:
        line = told(shell, {"ANTHROPIC_API_KEY": KEY, "OLLAMA_API_BASE": url})
    assert line.count("(ANTHROPIC_API_KEY is set)") == 2 and "ollama" not in line
    large, small = line.split("; ")
    assert large.startswith("anthropic/") and "primary" in large and "critic" in large
    assert small.startswith("anthropic/") and "summarizer" in small


def test_an_ollama_that_answers_serves_where_there_is_no_key(shell: Shell) -> None:
    with ollama("all-embed", "qwen3:8b") as url:
        assert told(shell, {"OLLAMA_API_BASE": url}) == f"ollama_chat/qwen3:8b (Ollama answers on {url})"


def test_with_neither_the_rehearsal_serves_and_says_why(shell: Shell) -> None:
    line = told(shell, {"OLLAMA_API_BASE": NOBODY})
    assert line == "rehearsal/sample (no model is set, no key is found and no Ollama answers)"


def test_an_ollama_without_models_is_told_from_none(shell: Shell) -> None:
    with ollama() as url:
        assert f"Ollama on {url} has no model" in told(shell, {"OLLAMA_API_BASE": url})


def test_a_model_that_is_named_serves_whatever_is_around(shell: Shell) -> None:
    environ = {"OVERLORD_MODELS__PRIMARY": "hosted_vllm/ours", "OVERLORD_MODELS__CRITIC": "hosted_vllm/strict"}
    line = told(shell, {**environ, "ANTHROPIC_API_KEY": KEY, "OLLAMA_API_BASE": NOBODY})
    assert "hosted_vllm/ours for primary (`primary` is set)" in line
    assert "hosted_vllm/strict for critic (`critic` is set)" in line
    assert "hosted_vllm/ours for supervisor, summarizer, custodiet (as `primary`)" in line


MODEL = Model(name="openai/tiny", base_url="http://127.0.0.1:9/v1")
CHOSEN = {role: Served(models=(MODEL,), why="a test") for role in ("primary", "critic")}
GOOD = Ability(window=32_768, tagged=True, tools=True, seconds=1.4, speed=33.4)


def test_doctor_says_by_role_what_a_model_is_enough_for() -> None:
    good = judge_model(MODEL, GOOD, CHOSEN)
    assert good.seen == ("answered in 1.4 s, 33 tokens a second, takes 32,768 tokens; enough for primary, critic"), good
    small = judge_model(MODEL, replace(GOOD, tools=False, window=8_192), CHOSEN)
    assert "not enough for primary: it calls no tools, it takes 8,192 tokens at once" in small.seen
    assert "critic" not in small.seen and small.next_step
    gone = judge_model(MODEL, Ability(problem="gone", next_step="Check the name."), CHOSEN)
    assert (gone.seen, gone.next_step) == ("gone", "Check the name.")
