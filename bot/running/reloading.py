"""Settings that are read again while the program runs: projects, people, channels, models. The rest needs a restart."""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId, Thread
from bot.config.git_manners import manners_of
from bot.config.settings import Settings
from bot.config.settings_source import SettingsSource
from bot.queries.acts_queries import open_on
from bot.services import Services
from store.running.acts import Act, ActState

if TYPE_CHECKING:
    from bot.running.world import World

log = logging.getLogger("overlord.settings")
TAKEN_OVER = frozenset({"projects", "groups", "channels", "models"})
_NOT_COMPARED = frozenset({"warnings", "left", "config", "keys", "secrets"})


@dataclass(slots=True)
class CurrentWorld:
    """The world that the next job is given. Jobs at work keep the one they began with."""

    ready: "asyncio.Future[World]"
    old: "list[World]" = field(default_factory=list)

    def replace(self, made: "World") -> None:
        self.old.append(self.ready.result())
        self.ready = asyncio.get_running_loop().create_future()
        self.ready.set_result(made)

    async def close(self) -> None:
        for world in self.old:
            await world.close()
        if self.ready.done() and not self.ready.cancelled():
            await self.ready.result().close()


@dataclass(slots=True)
class Reloading:
    """One at a time. Settings with errors change nothing: those in force stay."""

    source: SettingsSource
    settings: Settings  # in force
    services: Services
    take_over: Callable[[Settings], Awaitable[None]]  # what was made from settings is made anew
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def reload(self) -> str:
        """Reads them again, and says what was taken over. Raises OverlordError with what is wrong."""
        async with self._lock:
            new = await asyncio.to_thread(self.source.load)
            await self._refuse_orphans(new)
            changed = _changed(self.settings, new)
            if changed & TAKEN_OVER:
                await self.take_over(new)
                self.services.permissions.replace(new.groups, new.operators, new.channels)
                self._replace_by_project(new)
                self.settings = new
            told = _in_words(changed)
            log.info("settings were read again", extra={"told": told})
            return told

    def _replace_by_project(self, new: Settings) -> None:
        workflows, manners = self.services.project_workflows, self.services.project_manners
        workflows.clear()
        workflows.update({each.name: each.workflow for each in new.projects if each.workflow})
        manners.clear()
        manners.update({each.name: manners_of(new.git, each.git) for each in new.projects})

    async def reload_on_signal(self) -> None:
        """Nobody waits for an answer, so it is in the log, and among what operators did."""
        try:
            state, told = ActState.DONE, await self.reload()
        except OverlordError as problem:
            state, told = ActState.REFUSED, str(problem)
            log.error("settings were not taken over; those in force stay", extra={"problem": told})
        operator = next(iter(sorted(self.settings.operators, key=lambda each: not each.startswith("cli:"))))
        act = Act(
            key=f"signal:{uuid.uuid4().hex}",
            at=self.services.clock.now(),
            actor=operator,
            words="SIGHUP",
            thread=Thread(""),
            state=state,
            outcome=told,
        )
        await self.services.database.write(lambda tx: tx.acts.record(act))

    async def _refuse_orphans(self, new: Settings) -> None:
        """A project that is worked on does not go away under its minions."""
        gone = {each.name for each in self.settings.projects} - {each.name for each in new.projects}
        if not gone:
            return
        busy = await self.services.database.read(lambda tx: open_on(tx, gone))
        if busy:
            step = "Finish or cancel them first; until then the settings in force stay."
            raise OverlordError(f"{', '.join(busy)} still {_work(busy)} on {', '.join(sorted(gone))}", next_step=step)


def _work(tasks: Sequence[TaskId]) -> str:
    return "works" if len(tasks) == 1 else "work"


def _changed(old: Settings, new: Settings) -> frozenset[str]:
    names = (each.name for each in fields(Settings) if each.name not in _NOT_COMPARED)
    return frozenset(name for name in names if getattr(old, name) != getattr(new, name))


def _in_words(changed: frozenset[str]) -> str:
    said = {"projects": "projects", "groups": "people", "channels": "channels", "models": "models"}
    taken = [words for name, words in said.items() if name in changed]
    later = sorted(changed - TAKEN_OVER)
    parts = [f"Taken over: {', '.join(taken)}." if taken else "Nothing that counts at once has changed."]
    if later:
        parts.append(f"A restart is needed for: {', '.join(later)}.")
    return " ".join(parts)
