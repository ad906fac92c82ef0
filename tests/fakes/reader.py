"""Answers about code that nobody has to read."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import BaseModel

from agents.ports import AskBrief, Found, GoesOn, Keep, LookBrief, Owed, Said, Show, Tool, show_nothing


@dataclass
class IdleLook:
    """Offers no tools: whoever answers, answers at once."""

    tools: Sequence[Tool] = ()
    talk: Sequence[Mapping[str, object]] = ()
    turns: int = 0
    may_go_on: bool = False
    read: tuple[str, ...] = ()
    at: tuple[str, str] = ("", "")

    def take_owed(self) -> Sequence[Owed]:
        return ()

    async def see(self, said: Said, keep: Keep) -> None:
        raise AssertionError("no tools are offered")


@dataclass
class ScriptedReader:
    """Answers questions about the code, one after the other; the last answer again and again."""

    answers: list[Found] = field(default_factory=lambda: [Found(answer="Look into src/app.py.", turns=1)])
    asked: list[AskBrief] = field(default_factory=list)
    until: asyncio.Event | None = None  # not before this

    looked: list[LookBrief] = field(default_factory=list)

    @asynccontextmanager
    async def look(self, brief: LookBrief, show: Show = show_nothing) -> AsyncIterator["IdleLook"]:
        self.looked.append(brief)
        yield IdleLook()

    async def answer(self, brief: AskBrief, goes_on: GoesOn, show: Show = show_nothing) -> Found | None:
        self.asked.append(brief)
        if self.until:
            await self.until.wait()
        if not await goes_on():
            return None
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Path(BaseModel):
    path: str


@dataclass
class PlayedLook:
    """Shows a line of every file that a model asks for."""

    most: int = 9
    rows: list[list[dict[str, object]]] = field(default_factory=list)
    owed: list[Owed] = field(default_factory=list)
    tools: Sequence[Tool] = (Tool(name="read_file", does="Read a file.", takes=_Path),)
    at: tuple[str, str] = ("", "")

    @property
    def talk(self) -> Sequence[Mapping[str, object]]:
        return [message for row in self.rows for message in row]

    @property
    def turns(self) -> int:
        return len(self.rows)

    @property
    def may_go_on(self) -> bool:
        return self.turns < self.most

    @property
    def read(self) -> tuple[str, ...]:
        return ("src/login.py",) if self.rows else ()

    def take_owed(self) -> Sequence[Owed]:
        owed, self.owed = self.owed, []
        return owed

    async def see(self, said: Said, keep: Keep) -> None:
        self.owed.append(keep)
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.calls
        ]
        shown: list[dict[str, object]] = [
            {"role": "tool", "tool_call_id": call.id, "content": "def login(): ..."} for call in said.calls
        ]
        self.rows.append([{"role": "assistant", "content": said.text or None, "tool_calls": calls}, *shown])
