"""Looks now and then whether roles did better on another engine, and chooses it, where that is switched on."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import partial

from agents.domain.metrics.adaptive import WINDOW, Assigned, Looked, adapt
from agents.domain.workflow.roles import EngineName, Role
from bot.intake.engine_choices import read_choices, record_choices
from bot.services import Services
from store.streams.metrics import runs_between
from store.transaction import Transaction

log = logging.getLogger("overlord.engines")


async def adapt_engines(services: Services, engines_here: Callable[[], Collection[EngineName]]) -> int:
    """How many roles got another engine. `engines_here`: those that can run."""
    if not services.adaptive.enabled:
        return 0
    here = frozenset(await asyncio.to_thread(engines_here))
    roles = (await asyncio.to_thread(services.catalog)).roles
    look = partial(_look, services, roles, here)
    if not any(each.changes for each in await services.database.read(look)):
        return 0
    made = await services.database.write(lambda tx: record_choices(tx, look(tx), services.clock.now()))
    if made:
        log.info("roles were given other engines by success; `overlord engines choices` lists them")
    return made


def _look(services: Services, roles: Mapping[str, Role], here: frozenset[EngineName], tx: Transaction) -> list[Looked]:
    at, choices = services.clock.now(), read_choices(tx)
    assigned = [Assigned(role=role.name, written=role.engine, choice=choices.get(role.name)) for role in roles.values()]
    runs = runs_between(tx.db, at - WINDOW - timedelta(seconds=1), at)
    return adapt(assigned, runs, here, services.adaptive, at)
