"""Carries out what operators and admins asked to be changed in the settings: writes the file, reads it, says so."""

import asyncio
from functools import partial

from agents.domain.errors import OverlordError
from agents.domain.ids import surface_of
from bot.cards.replies import outcome_card
from bot.config.changes import RemoveProject, change_settings
from bot.config.platforms import REGISTRY
from bot.delivery.announcer import wish
from bot.intake.naming import read_naming
from bot.queries.acts_queries import open_on
from bot.running.reloading import Reloading
from store.running.acts import Act, ActState
from store.transaction import Transaction


class SettingsActs:
    def __init__(self, reloading: Reloading) -> None:
        self._services, self._reloading = reloading.services, reloading
        self._database = reloading.services.database

    async def carry_out(self) -> int:
        """What was asked for and is not done; after a crash it is done again, which changes nothing more."""
        waiting = await self._database.read(lambda tx: tx.acts.list_waiting())
        for act in waiting:
            await self._carry_out(act)
        return len(waiting)

    async def _carry_out(self, act: Act) -> None:
        try:
            done = await self._change(act) if act.state is ActState.WANTED else act.outcome
            read = await self._reloading.reload()
        except OverlordError as problem:
            await self._database.write(partial(self._settle, act, ActState.REFUSED, str(problem)))
        else:
            told = "\n".join(part for part in (done, read) if part)
            await self._database.write(partial(self._settle, act, ActState.DONE, told))

    async def _change(self, act: Act) -> str:
        change = read_naming(act.words).change
        if change is None:
            return ""
        if isinstance(change, RemoveProject):
            name = change.project
            if busy := await self._database.read(lambda tx: open_on(tx, {name})):
                step = "Finish or cancel them first."
                raise OverlordError(f"{', '.join(busy)} still needs {name}", next_step=step)
        changed = await asyncio.to_thread(change_settings, self._reloading.source, change)
        told = f"{change.outcome}, in {changed.path}" if changed.differs else "It was so already"
        await self._database.write(lambda tx: tx.acts.settle(act.key, ActState.WRITTEN, told))
        return told

    def _settle(self, act: Act, state: ActState, told: str, tx: Transaction) -> None:
        tx.acts.settle(act.key, state, told)
        if surface_of(act.thread) in REGISTRY:
            card = outcome_card(told, refused=state is ActState.REFUSED)
            tx.posts.want(wish(f"act:{act.key}", act.thread, card), self._services.clock.now())
