"""Keeps repositories quick, at a moment when no work is under way: our copies are packed, and branches everywhere."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from agents.workspace.git.git import GitFailed, git_dir
from agents.workspace.git.mirror import lock_of
from agents.workspace.git.upkeep import keep_up, pack_refs
from bot.services import Office

log = logging.getLogger("overlord.upkeep")
OVERFULL = 4.0  # times as much as should lie about: then it does not wait for a quiet moment, which may never come
AFTER_TROUBLE = timedelta(days=1)


class Upkeep:
    """`places`: bare repositories that nobody but us writes to.

    `theirs`: people's own repositories, where branches of ours lie, too.
    """

    def __init__(self, office: Office, places: Sequence[Path], theirs: Sequence[Path] = ()) -> None:
        self._database, self._clock = office.database, office.clock
        self._places = places
        self._theirs = theirs
        self._troubled = dict[Path, datetime]()

    async def keep_up(self) -> None:
        """One repository after the other. What goes wrong is logged, and left alone for a day."""
        now = self._clock.now()
        for place in (*self._places, *self._theirs):
            if now - self._troubled.get(place, now - AFTER_TROUBLE) >= AFTER_TROUBLE:
                await self._keep_up(place)

    async def _keep_up(self, place: Path) -> None:
        busy = await self._database.read(lambda books: books.jobs.any_unfinished())
        fill = OVERFULL if busy else 1.0
        try:
            if place in self._theirs:
                await pack_refs(git_dir(place), fill=fill)
                return
            await pack_refs(place, lock_of(place), fill=fill)
            if await keep_up(place, fill=fill):
                log.info("a copy was packed", extra={"copy": place.name})
        except (GitFailed, OSError) as problem:
            self._troubled[place] = self._clock.now()
            log.warning("a copy could not be packed", extra={"copy": place.name, "problem": str(problem)})
