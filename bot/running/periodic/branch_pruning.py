"""Removes branches of tasks that ended long ago, by the retention setting, here and in people's repositories."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.workspace.git.branches import branches_by_task, drop_from_copy, drop_from_original
from bot.services import Office
from store.books import Books
from store.running.pruning import tasks_over, tasks_taken

log = logging.getLogger("overlord.branches")
AT_ONCE = 100  # tasks; then others may do something


@dataclass(frozen=True, slots=True, kw_only=True)
class Yard:
    """Where a project's branches lie."""

    copy: Path  # ours
    original: Path | None  # a person's own repository; None: it is on another machine


class EndedBranches:
    """A branch that a person took over, moved or has checked out stays, in our copy and in theirs."""

    def __init__(self, office: Office, yards: Mapping[str, Yard]) -> None:
        self._database, self._clock, self._retention = office.database, office.clock, office.retention
        self._yards = yards

    async def prune(self) -> None:
        """What goes wrong in one project is logged, and tried again the next time."""
        before = self._retention.before("branches", self._clock.now())
        if before is None:
            return
        for project, yard in self._yards.items():
            try:
                await self._prune(yard, before)
            except (OverlordError, OSError) as problem:
                log.warning("branches could not be removed", extra={"project": project, "problem": str(problem)})

    async def _prune(self, yard: Yard, before: datetime) -> None:
        found = await branches_by_task(yard.copy)
        tasks = list(found)
        for start in range(0, len(tasks), AT_ONCE):
            some = tasks[start : start + AT_ONCE]
            over = await self._database.read(partial(_over, some, before))
            await self._drop(yard, {task: found[task] for task in over})

    async def _drop(self, yard: Yard, found: Mapping[TaskId, Mapping[str, str]]) -> None:
        gone = dict[str, str]()
        for branches in found.values():
            for branch, commit in branches.items():
                if yard.original is None or await drop_from_original(yard.original, branch, commit):
                    gone[branch] = commit
        if gone:
            await drop_from_copy(yard.copy, gone)
            log.info("branches of ended tasks were removed", extra={"copy": yard.copy.name, "branches": len(gone)})


def _over(tasks: Collection[TaskId], before: datetime, books: Books) -> set[TaskId]:
    return (over := tasks_over(books.db, tasks, before)) - tasks_taken(books.db, over)
