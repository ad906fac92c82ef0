"""Runs each brief on the engine that its role names; `ENGINES` has them all."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.domain.errors import OverlordError, SettingsProblem
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import EngineName
from agents.minions.engines import Engine, EngineServices
from agents.minions.engines.builtin.engine import BUILTIN
from agents.minions.engines.cli.claude import CLAUDE
from agents.minions.engines.cli.codex import CODEX
from agents.minions.engines.cli.engine import engine_of
from agents.minions.engines.cli.gemini import GEMINI
from agents.ports import Brief, GaveUp, Outcome, Show, Watch, show_nothing

PROGRAMS = (CLAUDE, CODEX, GEMINI)
ENGINES: Mapping[EngineName, Engine] = {engine.name: engine for engine in (BUILTIN, *map(engine_of, PROGRAMS))}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMinions:
    """Implements agents.ports.Minions for one job. Without a sandbox that holds, nothing is run."""

    services: EngineServices
    engines: Mapping[EngineName, Engine] = field(default_factory=lambda: ENGINES)

    async def prepare(self, role: str) -> str:
        title = await self._title(role)
        try:
            return f"{title}, {(await self.services.sandbox()).name}"
        except OverlordError:
            return f"{title}, no sandbox yet"

    async def run(self, brief: Brief, watch: Watch, show: Show = show_nothing) -> Outcome:
        try:
            await self.services.sandbox()
        except OverlordError as problem:
            return GaveUp(ending=Ending.NO_SANDBOX, problem=f"{problem.what}. {problem.next_step}")
        return await self._engine(brief.step.role).run(self.services, brief, watch, show)

    async def _title(self, role: str) -> str:
        """With the version of a program, where it is here."""
        engine, programs = self._engine(role), self.services.programs
        if programs is None or engine.name is EngineName.BUILTIN:
            return engine.title
        try:
            return f"{engine.title} {(await asyncio.to_thread(programs.find, engine.name)).version}"
        except OverlordError:
            return engine.title

    def _engine(self, role: str) -> Engine:
        wanted = self.services.role_of(role).engine
        if wanted not in self.engines:
            step = f"Write `engine: {EngineName.BUILTIN}` for it under `roles:` in overlord.yaml."
            raise SettingsProblem(f"The role `{role}` runs on `{wanted}`, and that engine is not there", next_step=step)
        return self.engines[wanted]
