"""The Overlord's own tools, as a program in the sandbox calls them: MCP, one JSON-RPC message at a time.

They are those of the built-in engine, so that asking, finishing and what is tried before work is taken are the same.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from agents.domain.text.sanitize import cut
from agents.domain.workflow.roles import ToolName
from agents.minions.engines.builtin.executor import LONGEST, Done, NoRoom, ParsedCall, ToolExecutor
from agents.ports import Asked, Outcome, WantsScope

# Its own tools read, write and run; these reach people, and end the run.
OFFERED = (
    ToolName.LIST_SKILLS,
    ToolName.USE_SKILL,
    ToolName.SEARCH_KNOWLEDGE,
    ToolName.ASK_HUMAN,
    ToolName.REQUEST_SCOPE,
    ToolName.PUT_BACK,
    ToolName.TASK_COMPLETE,
    ToolName.TASK_BLOCKED,
)
_ENDING = (ToolName.TASK_COMPLETE, ToolName.TASK_BLOCKED)
WAIT = "A person is asked. End your turn now, with no further call: you are started again with the answer."
_OVER = "Not done: the call before it ended this run. End your turn now."


async def _no_news() -> str:
    return ""


@dataclass(slots=True, kw_only=True)
class OwnTools:
    """`outcome`: what a call ended the run with; `ended` says so to whoever waits."""

    executor: ToolExecutor
    redact: Callable[[str], str] = str
    outcome: Outcome | None = None
    problem: str = ""  # there is no sandbox to try the work in
    busy: bool = False
    news: Callable[[], Awaitable[str]] = _no_news  # what people said that it has not heard; told once
    skills: list[str] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _fixes: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def answer(self, body: bytes) -> bytes | None:
        """None for what wants no answer. Nothing that a program sends can raise."""
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return _error(None, -32700, "this is not JSON")
        if not isinstance(said, dict) or not isinstance(said.get("method"), str):
            return _error(None, -32600, "this is not a request")
        if "id" not in said:
            return None
        id, params = said["id"], said.get("params")
        given = params if isinstance(params, dict) else {}
        match said["method"]:
            case "initialize":
                return _result(id, _about(given))
            case "ping":
                return _result(id, {})
            case "tools/list":
                return _result(id, {"tools": [self._describe(name) for name in self.names]})
            case "tools/call":
                return _result(id, await self._call(given))
            case method:
                return _error(id, -32601, f"there is no method {cut(method, 80)}")

    @property
    def names(self) -> list[str]:
        return [name for name in OFFERED if name in self.executor.tools]

    def _describe(self, name: str) -> Mapping[str, Any]:
        spec = self.executor.tools[name]
        return {"name": name, "description": spec.does, "inputSchema": spec.takes.model_json_schema()}

    async def _call(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        name, arguments = given.get("name"), given.get("arguments", {})
        async with self._turn, self._at_work():
            if self.outcome is not None:
                return _text(_OVER, error=True)
            if name not in self.names or not isinstance(arguments, dict):
                return _text(f"There is no such tool. There are: {', '.join(self.names)}.", error=True)
            said = await self.news()
            if said and name in _ENDING:
                return _text(f"Not taken yet, for people said something meanwhile.\n{said}", error=True)
            try:
                done = await self.executor.run(ParsedCall(id="mcp", name=str(name), given=arguments))
            except NoRoom as problem:
                self.problem = str(problem)
                self.ended.set()
                return _text(self.problem, error=True)
            return _text("\n".join(part for part in (self._note(done), said) if part), error=done.error)

    async def finish(self, summary: str) -> str:
        """For a program that ended without a word to us: as if it had called its work complete. Returns what speaks
        against it."""
        call = ParsedCall(
            id="mcp", name=ToolName.TASK_COMPLETE, given={"summary": cut(summary.strip(), 4_000) or "Done."}
        )
        done = await self.executor.run(call)
        said = self._note(done)
        return "" if self.outcome is not None else said

    @asynccontextmanager
    async def _at_work(self) -> AsyncIterator[None]:
        self.busy = True
        try:
            yield
        finally:
            self.busy = False

    def take_fixes(self) -> int:
        """How often it was sent back since this was asked last."""
        fixes, self._fixes = self._fixes, 0
        return fixes

    def _note(self, done: Done) -> str:
        self._fixes += done.sent_back
        self.executor.fixes += done.sent_back
        if done.skill and done.skill not in self.skills:
            self.skills.append(done.skill)
        if done.outcome is not None:
            self.outcome = done.outcome
            self.ended.set()
        text = WAIT if isinstance(done.outcome, Asked | WantsScope) else done.text
        return cut(self.redact(text), LONGEST)


def _about(given: Mapping[str, Any]) -> Mapping[str, Any]:
    version = given.get("protocolVersion")
    return {
        "protocolVersion": version if isinstance(version, str) else "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "overlord", "version": "1"},
    }


def _text(said: str, *, error: bool) -> Mapping[str, Any]:
    return {"content": [{"type": "text", "text": said or "(nothing)"}], "isError": error}


def _result(id: object, result: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()


def _error(id: object, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).encode()
