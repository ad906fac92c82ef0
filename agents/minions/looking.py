"""Looks at the code with tools that read: the files of a commit in a folder that is thrown away, and a sandbox.

Whoever answers a question about the code, plans or judges a plan has the same tools. Each turn is on disk before the
model is asked again, so a look that died goes on.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.errors import OverlordError, StaleLease
from agents.domain.knowledge.document import Note, Status
from agents.domain.text.sanitize import clean, cut
from agents.minions.engines import EngineServices, NotesOf
from agents.minions.engines.builtin.executor import SCOPE, Done, LateRoom, NoRoom, ParsedCall, Spec, ToolExecutor
from agents.minions.engines.builtin.tools import offer
from agents.minions.engines.builtin.transcript import LETTERS_A_TOKEN, Message, Row, Turn, result
from agents.minions.engines.builtin.turn import message_of, parse_calls
from agents.ports import Keep, LookBrief, Owed, Said, Show, Tool, Workspace

READS = ("read_file", "list_directory", "glob_files", "search_files", "run_command", "search_knowledge")
LONGEST = 32_000  # characters of one result
MOST_FAILED = 3  # turns in a row in which every call failed
LAST_LOOK = "You have looked enough. Answer now with the JSON object; what you could not see is an assumption."

Lend = Callable[[str, str], AbstractAsyncContextManager[Workspace]]  # a project at a commit


@asynccontextmanager
async def open_code(
    services: EngineServices,
    lend: Lend,
    of: tuple[str, str],
    more: Sequence[Spec],
    show: Show,
) -> AsyncIterator[ToolExecutor]:
    """The files of a project at a commit, its notes, and a sandbox for when it is needed. Nothing may be written."""
    sandbox, notes = await services.sandbox(), await services.notes_of(*of)
    async with lend(*of) as lent:
        nothing = Scope(mode=ScopeMode.EXPLICIT).dump()
        workspace = replace(lent, environ={**lent.environ, SCOPE: nothing})
        files = await asyncio.to_thread(services.files, workspace.path)
        room = LateRoom(lambda: sandbox.open(workspace, services.profile))
        try:
            yield ToolExecutor(
                tools=offer(READS, notes) | {spec.name: spec for spec in more},
                files=files,
                workspace=workspace,
                room=room,
                skills=(),
                limits=services.limits,
                show=show,
                hand_in=None,
                notes=notes,
            )
        finally:
            await room.close()
            await asyncio.to_thread(files.close)


@dataclass(slots=True, kw_only=True)
class Looking:
    """Implements agents.ports.Look."""

    services: EngineServices
    lend: Lend
    brief: LookBrief
    show: Show
    notes: Sequence[Note] = ()
    rows: list[Row] = field(default_factory=list)  # of this run, those that are not shown any more among them
    owed: list[Owed] = field(default_factory=list)
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    executor: ToolExecutor | None = None

    @property
    def tools(self) -> Sequence[Tool]:
        return tuple(offer(READS, self.notes).values())

    @property
    def talk(self) -> list[Message]:
        return [message for row in self._shown for message in row["messages"]]

    @property
    def turns(self) -> int:
        return len(self._mine)

    @property
    def may_go_on(self) -> bool:
        failed = self._mine[-1]["errors"] if self._mine else 0
        fits = _letters(self._shown) < self._room
        return self.turns < self.brief.turns and failed < MOST_FAILED and fits

    @property
    def read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for row in self._shown for path in row.get("read", ())))

    @property
    def at(self) -> tuple[str, str]:
        return self.brief.project, self.brief.commit

    def take_owed(self) -> Sequence[Owed]:
        owed, self.owed = self.owed, []
        return owed

    async def see(self, said: Said, keep: Keep) -> None:
        self.owed.append(keep)
        row = await self._play(said)
        self.owed.append(partial(self.services.turns.add, self.key, len(self.rows), row))
        self.rows.append(row)
        if not self.may_go_on:
            row["messages"][-1]["content"] += f"\n({LAST_LOOK})"

    @property
    def key(self) -> str:
        return f"{self.brief.task.id}.{self.brief.run}"

    async def settle(self) -> None:
        await asyncio.gather(*(each() for each in self.take_owed()))
        await self.held.aclose()

    @property
    def _room(self) -> int:
        """Characters of all that it may see."""
        return self.services.role_of(self.brief.role).context.budget * LETTERS_A_TOKEN

    @property
    def _mine(self) -> list[Row]:
        return [row for row in self.rows if row["step"] == self.brief.step and row["commit"] == self.brief.commit]

    @property
    def _shown(self) -> list[Row]:
        """The turns of this question, after those of the last few questions as far as they fit."""
        steps = dict.fromkeys(row["step"] for row in self.rows if row["commit"] == self.brief.commit)
        before = [step for step in steps if step != self.brief.step][-self.brief.continues :]
        earlier = [row for row in self.rows if row["step"] in before] if self.brief.continues else []
        if _letters(earlier) > self._room // 2:
            earlier = []
        return [*earlier, *self._mine]

    async def _play(self, said: Said) -> dict[str, Any]:
        began, calls = self.services.clock(), parse_calls(said, len(self.rows) + 1)
        failed_before = self._mine[-1]["errors"] if self._mine else 0
        turn, read, failed = Turn(message=message_of(said, calls), errors=failed_before), list[str](), 0
        for call in calls:
            done = await self._run(call)
            failed += done.error
            if not done.error and call.name == "read_file" and self.executor:
                read.append(self.executor.inside(str(call.given["path"])))
            turn.results.append(result(call.id, cut(self.services.redact(done.text), LONGEST)))
        turn.errors = turn.errors + 1 if failed == len(calls) else 0
        turn.doing = self.executor.doing if self.executor else ""
        turn.seconds = self.services.clock() - began
        return {**turn.row(), "step": self.brief.step, "commit": self.brief.commit, "read": read}

    async def _run(self, call: ParsedCall) -> Done:
        """Where there is no folder or no sandbox the model is told: it can still answer from what it was shown."""
        try:
            if self.executor is None:
                of = self.brief.project, self.brief.commit
                code = open_code(self.services, self.lend, of, (), self.show)
                self.executor = await self.held.enter_async_context(code)
            return await self.executor.run(call)
        except StaleLease:
            raise
        except (NoRoom, OverlordError, OSError) as problem:
            return Done(text=f"Nothing can be looked at: {cut(clean(str(problem)), 300)}", error=True)


def _letters(rows: Sequence[Row]) -> int:
    return sum(len(message.get("content") or "") for row in rows for message in row["messages"])


@asynccontextmanager
async def look_at(services: EngineServices, lend: Lend, brief: LookBrief, show: Show) -> AsyncIterator[Looking]:
    if brief.judges:
        services = replace(services, notes_of=_confirmed(services.notes_of))
    notes = await services.notes_of(brief.project, brief.commit)
    look = Looking(services=services, lend=lend, brief=brief, show=show, notes=notes)
    look.rows += await services.turns.of(look.key)
    try:
        yield look
    finally:
        await look.settle()


def _confirmed(notes_of: NotesOf) -> NotesOf:
    """For judges: what nobody confirmed has no word in a verdict."""

    async def confirmed_notes(project: str, commit: str) -> Sequence[Note]:
        return [note for note in await notes_of(project, commit) if note.status is Status.ESTABLISHED]

    return confirmed_notes
