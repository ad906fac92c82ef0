"""Runs each brief on the engine that its role names; `ENGINES` has them all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.domain.errors import OverlordError
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import EngineName
from agents.minions.engines import Engine, EngineServices
from agents.minions.engines.builtin.engine import BUILTIN
from agents.ports import Brief, GaveUp, Outcome, Show, Watch, show_nothing

ENGINES: Mapping[EngineName, Engine] = {engine.name: engine for engine in (BUILTIN,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMinions:
    """Implements agents.ports.Minions for one job. Without a sandbox that holds, nothing is run."""

    services: EngineServices
    engines: Mapping[EngineName, Engine] = field(default_factory=lambda: ENGINES)

    async def prepare(self, role: str) -> str:
        title = self._engine(role).title
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

    def _engine(self, role: str) -> Engine:
        return self.engines[self.services.role_of(role).engine]
