"""What operators and admins changed of the settings, for the command line; a program that runs reads it."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, TaskId, Thread
from bot.config.changes import Change, RemoveProject, change_settings
from bot.config.settings_source import SettingsSource
from bot.services import Services
from store.running.acts import Act, ActState
from store.transaction import Transaction

PATIENCE = 5.0  # seconds for a program that runs to read its settings again
_APART = 0.1


@dataclass(frozen=True, slots=True)
class ActsQueries:
    _services: Services

    async def change(self, source: SettingsSource, change: Change, words: str, by: Account) -> tuple[str, str]:
        """Writes the file and records who did it. What to say, and the key of what was recorded.

        Raises OverlordError where it makes no sense.
        """
        if isinstance(change, RemoveProject):
            name = change.project
            if busy := await self._services.database.read(lambda tx: open_on(tx, {name})):
                step = "Finish or cancel them first: overlord tasks."
                raise OverlordError(f"{', '.join(busy)} still needs {name}", next_step=step)
        changed = await asyncio.to_thread(change_settings, source, change)
        told = f"{change.outcome}, in {changed.path}" if changed.differs else "It was so already"
        return told, await self._record(words, by, ActState.WRITTEN if changed.differs else ActState.DONE, told)

    async def reload(self, by: Account) -> str:
        """Has a program that runs read its settings again; what it says, or nothing where none runs."""
        return await self.outcome_of(await self._record("settings reload", by, ActState.WRITTEN, ""))

    async def outcome_of(self, key: str) -> str:
        """What a program that runs made of it; empty where none answers in time. Raises OverlordError if it refused."""
        for _ in range(int(PATIENCE / _APART)):
            act = await self._services.database.read(lambda tx: tx.acts.find(key))
            if act and act.state is ActState.REFUSED:
                raise OverlordError(act.outcome, next_step="The settings in force stay.")
            if act and act.state is ActState.DONE:
                return act.outcome
            await asyncio.sleep(_APART)
        return ""

    async def latest(self, most: int) -> Sequence[Act]:
        return await self._services.database.read(lambda tx: tx.acts.latest(most))

    async def _record(self, words: str, by: Account, state: ActState, told: str) -> str:
        act = Act(
            key=f"{by}:{uuid.uuid4().hex}",
            at=self._services.clock.now(),
            actor=by,
            words=words,
            thread=Thread(""),
            state=state,
            outcome=told,
        )
        await self._services.database.write(lambda tx: tx.acts.record(act))
        return act.key


def open_on(tx: Transaction, projects: set[str]) -> Sequence[TaskId]:
    """Tasks that are not over, of these projects."""
    return [task.id for task in tx.log.tasks(ended=False) if task.project in projects]
