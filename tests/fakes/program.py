"""A command-line agent that is a script of ours: it asks its model through the gateway and ends as the real one would.

It speaks as Claude Code, Codex or Gemini CLI do; what else it does is Python that a test writes into it.
"""

import stat
from pathlib import Path

from agents.domain.workflow.roles import EngineName

WIRES = {EngineName.CLAUDE: "anthropic", EngineName.CODEX: "responses", EngineName.GEMINI: "gemini"}
MODELS = {EngineName.CLAUDE: "claude-sonnet-5", EngineName.CODEX: "gpt-5.4", EngineName.GEMINI: "gemini-pro-latest"}

_SCRIPT = """#!/usr/bin/env python3
import json, os, pathlib, subprocess, sys, time, urllib.error, urllib.request

ENGINE = "{engine}"
prompt = sys.stdin.read()
model = next(after for name, after in zip(sys.argv, sys.argv[1:]) if name in ("-m", "--model"))
KEYS = {{"claude": "ANTHROPIC_API_KEY", "codex": "OVERLORD_RUN", "gemini": "GEMINI_API_KEY"}}
key = os.environ[KEYS[ENGINE]]


def show(**event):
    print(json.dumps(event), flush=True)


def post(path, headers, body):
    url = "http://127.0.0.1:3128" + path
    asked = urllib.request.Request(url, json.dumps(body).encode(), {{"Content-Type": "application/json", **headers}})
    with urllib.request.urlopen(asked, timeout=280) as reply:
        return json.load(reply)


def ask(words):
    if ENGINE == "claude":
        body = {{"model": model, "max_tokens": 4000, "messages": [{{"role": "user", "content": words}}]}}
        said = post("/v1/messages", {{"x-api-key": key, "anthropic-version": "2023-06-01"}}, body)
        return "".join(block["text"] for block in said["content"] if block["type"] == "text")
    if ENGINE == "codex":
        said = post("/v1/responses", {{"Authorization": "Bearer " + key}}, {{"model": model, "input": words}})
        return "".join(part["text"] for item in said["output"] if item["type"] == "message" for part in item["content"])
    body = {{"contents": [{{"role": "user", "parts": [{{"text": words}}]}}]}}
    said = post("/v1beta/models/" + model + ":generateContent", {{"x-goog-api-key": key}}, body)
    return "".join(part.get("text", "") for part in said["candidates"][0]["content"]["parts"])


def call(tool, **given):
    asked = {{"method": "tools/call", "params": {{"name": tool, "arguments": given}}}}
    return post("/overlord/mcp", {{"Authorization": "Bearer " + key}}, {{"jsonrpc": "2.0", "id": 1, **asked}})


def end(text):
    if ENGINE == "claude":
        show(type="result", subtype="success", is_error=False, result=text)
    elif ENGINE == "codex":
        show(type="item.completed", item={{"type": "agent_message", "text": text}})
        show(type="turn.completed", usage={{}})
    else:
        show(type="message", role="assistant", content=text)
        show(type="result", status="success")


def fail(status, said):
    if ENGINE == "claude":
        show(type="result", subtype="success", is_error=True, result=said, api_error_status=status)
    elif ENGINE == "codex":
        show(type="turn.failed", error={{"message": said}})
    else:
        show(type="result", status="error", error={{"message": said}})
    sys.exit(1)


try:
{does}
except urllib.error.HTTPError as error:
    fail(error.code, f"unexpected status {{error.code}}: {{error.read().decode()[:300]}}")
except OSError as error:
    fail(None, f"stream disconnected: {{error}}")
"""


def lay_program(folder: Path, engine: EngineName, does: str = "end(ask(prompt))") -> Path:
    """`does`: lines of Python, which have `ask`, `call`, `end`, `fail`, `show` and `prompt`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / engine
    lines = "\n".join(f"    {line}" for line in does.splitlines())
    path.write_text(_SCRIPT.format(engine=engine.value, does=lines))
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path
