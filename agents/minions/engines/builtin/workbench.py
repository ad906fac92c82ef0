"""What every run opens first, whatever powers it: its files, its tools, the transcript so far, a sandbox for later."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from agents.domain.checks.scope import Scope
from agents.domain.errors import OverlordError
from agents.domain.work.work import run_key
from agents.domain.workflow.roles import Role
from agents.minions.engines import EngineServices, no_notes
from agents.minions.engines.builtin.executor import SCOPE, LateRoom, ToolExecutor
from agents.minions.engines.builtin.tools import offer
from agents.minions.engines.builtin.transcript import Talk
from agents.ports import Brief, Show


class NoFolder(OverlordError):
    """The branch's files are not where they should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    key: str
    role: Role
    executor: ToolExecutor
    talk: Talk


def _locked_folders(scope: Scope) -> tuple[str, ...]:
    """What commands may read alone. Where a person opened one of them, only the tools and the gate look."""
    return () if scope.opened else tuple(pattern.removesuffix("/**") for pattern in scope.locked)


@asynccontextmanager
async def open_workbench(services: EngineServices, brief: Brief, show: Show) -> AsyncIterator[Workbench]:
    """Raises NoFolder, OutOfScope and what a sandbox that is missing raises."""
    shown = brief.checkout.workspace
    role, sandbox = services.role_of(brief.step.role), await services.sandbox()
    fixed = (*shown.fixed, *_locked_folders(brief.work.scope))
    workspace = replace(shown, environ={**shown.environ, SCOPE: brief.work.scope.dump()}, fixed=fixed)
    try:
        files = await asyncio.to_thread(services.files, workspace.path)
    except OSError as problem:
        raise NoFolder(f"Its folder cannot be opened: {problem.strerror}", next_step="Start it again.") from problem
    room = LateRoom(lambda: sandbox.open(workspace, services.profile))
    try:
        notes_of = no_notes if brief.checkout.blind else services.notes_of
        notes = await notes_of(brief.checkout.project, brief.task.work.base)
        executor = ToolExecutor(
            tools=offer(role.allowed_tools, notes, role.tools),
            files=files,
            workspace=workspace,
            room=room,
            skills=tuple(await services.skills_of(brief)),
            notes=notes,
            limits=services.limits,
            show=show,
            hand_in=services.hand_in(brief),
        )
        key = run_key(brief.task.id, brief.subtask.number, brief.work.attempt)
        talk = Talk(window=services.window)
        for row in await services.turns.of(key):
            talk.take(row)
        yield Workbench(key=key, role=role, executor=executor, talk=talk)
    finally:
        await room.close()
        await asyncio.to_thread(files.close)
