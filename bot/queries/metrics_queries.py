"""What came of work: roles with the record of each, and the metrics of a while."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from agents.domain.metrics.figures import Metrics, measure
from agents.domain.workflow.roles import EngineName
from bot.intake.engine_choices import read_choices
from bot.queries.role_queries import RolesShown, read_roles
from bot.services import Services
from store.streams.metrics import runs_between, task_ends
from store.transaction import Transaction

DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """The engine that success chose for a role. `undone`: a person took it back, and what is written holds."""

    role: str
    written: EngineName | None  # None: the role is gone
    engine: EngineName
    at: datetime
    undone: bool
    why: str


class MetricsQueries:
    _services: Services

    async def engine_choices(self) -> Sequence[EngineChoice]:
        """The last word on each role, the newest first; in force while `adaptive: enabled:` is."""
        choices = await self._services.database.read(read_choices)
        roles = (await asyncio.to_thread(self._services.catalog)).roles  # read from files, the first time
        found = [
            EngineChoice(
                role=each.role,
                written=roles[each.role].engine if each.role in roles else None,
                engine=each.engine,
                at=each.at,
                undone=each.undone,
                why=each.why,
            )
            for each in choices.values()
        ]
        return sorted(found, key=lambda each: each.at, reverse=True)

    async def roles(self) -> RolesShown:
        catalog = await asyncio.to_thread(self._services.catalog)
        return await self._services.database.read(partial(read_roles, catalog=catalog))

    async def metrics(self, days: float = DAYS) -> Metrics:
        until = self._services.clock.now()
        since = until - timedelta(days=days)

        def question(tx: Transaction) -> Metrics:
            runs = runs_between(tx.db, since, until)
            return measure(runs, task_ends(tx.db, {run.task for run in runs}), since, until)

        return await self._services.database.read(question)
