"""Periodic work: the table of what is done every so often, and the upkeep in it. What a change wakes is a pump."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.workspace.git.git import GitFailed, git_dir
from agents.workspace.git.mirror import lock_of
from agents.workspace.git.upkeep import branches_by_task, drop_from_copy, drop_from_original, keep_up, pack_refs
from bot.config.settings import Settings
from bot.running.adapting import adapt_engines
from bot.running.new_threads import IssueWatch, Threads
from bot.running.scheduler import Periodic
from bot.running.world import World
from bot.services import Services
from store.retention import (
    ARCHIVE,
    PRUNED,
    START,
    lines_of,
    remove_rows,
    tasks_over,
    tasks_taken,
    tasks_to_archive,
    write_file,
)
from store.transaction import Transaction

log = logging.getLogger("overlord.upkeep")
AT_ONCE = 100  # tasks; then others may do something
OVERFULL = 4.0  # times as much as should lie about: then it does not wait for a quiet moment, which may never come
AN_HOUR = 3600.0
AFTER_TROUBLE = timedelta(days=1)


def periodic_work(settings: Settings, world: World, threads: Threads) -> tuple[Periodic, ...]:
    services, shop, hub = world.services, world.workshop, world.hub
    clones = tuple(hub.places.values()) if hub else ()
    theirs = {name: site.path for name, site in shop.sites.items() if site.path not in clones}
    copies = {name: shop.checkouts.repository(name) for name in shop.sites}
    projects = {name: Repositories(copy=copy, original=theirs.get(name)) for name, copy in copies.items()}
    upkeep = Upkeep(services, (*copies.values(), *clones), tuple(theirs.values()))
    apart = services.limits.upkeep_apart
    table = (
        Periodic(name="prune-branches", every=apart, run=partial(prune_branches, services, projects)),
        Periodic(name="prune-rows", every=apart, run=Pruning(services).prune),
        Periodic(name="archive", every=apart, run=partial(archive_tasks, services, settings.home / ARCHIVE)),
        Periodic(name="upkeep", every=apart, run=upkeep.keep_up),
        Periodic(name="adapt-engines", every=AN_HOUR, run=partial(adapt_engines, services, world.engines_here)),
    )
    if hub is None:
        return table
    channels = {project.name: project.channel for project in settings.projects if project.name in hub.places}
    watch = IssueWatch(threads, hub.intake, channels)
    return (*table, Periodic(name="issues", every=services.limits.issues_apart, run=watch.look))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repositories:
    """Where a project's branches are."""

    copy: Path  # ours
    original: Path | None  # a person's own repository; None: it is on another machine


async def prune_branches(services: Services, projects: Mapping[str, Repositories]) -> None:
    """Remove branches of tasks that ended long ago. What goes wrong is logged, and tried again the next time.

    A branch that a person took over, moved or has checked out stays, in our copy and in theirs.
    """
    before = services.retention.before("branches", services.clock.now())
    if before is None:
        return
    for project, place in projects.items():
        try:
            found = await branches_by_task(place.copy)
            tasks = list(found)
            for start in range(0, len(tasks), AT_ONCE):
                over = await services.database.read(partial(_over, tasks[start : start + AT_ONCE], before))
                await _drop(place, [branch for task in over for branch in found[task].items()])
        except (OverlordError, OSError) as problem:
            log.warning("branches could not be removed", extra={"project": project, "problem": str(problem)})


def _over(tasks: Collection[TaskId], before: datetime, tx: Transaction) -> set[TaskId]:
    return (over := tasks_over(tx.db, tasks, before)) - tasks_taken(tx.db, over)


async def _drop(place: Repositories, branches: Iterable[tuple[str, str]]) -> None:
    gone = dict[str, str]()
    for branch, commit in branches:
        if place.original is None or await drop_from_original(place.original, branch, commit):
            gone[branch] = commit
    if gone:
        await drop_from_copy(place.copy, gone)
        log.info("branches of ended tasks were removed", extra={"copy": place.copy.name, "branches": len(gone)})


class Pruning:
    def __init__(self, services: Services) -> None:
        self._database, self._clock, self._retention = services.database, services.clock, services.retention
        self._after = dict(START)  # the last row that was looked at

    async def prune(self) -> int:
        """Remove what is too old. Returns how many rounds of one batch of each kind that took."""
        rounds = 0
        while sum([await self._prune_batch(name, self._clock.now()) for name in PRUNED]):
            rounds += 1
        for name in ("messages", "turns"):  # those of a task that was open may go the next time
            self._after[name] = START[name]
        return rounds

    async def _prune_batch(self, name: str, now: datetime) -> int:
        before = self._retention.before(name, now)
        if before is None:
            return 0
        find, remove = PRUNED[name]
        after = self._after[name]
        batch = await self._database.read(lambda tx: find(tx.db, after, before))
        if batch.rows:
            await self._database.write(lambda tx: remove(tx.db, batch.rows))
            log.info("old rows were looked through", extra={"kind": name, "rows": len(batch.rows)})
        self._after[name] = batch.last
        return len(batch.rows) or int(batch.more)


async def archive_tasks(services: Services, folder: Path) -> int:
    """Move tasks that ended long ago to files. Returns how many; a run that was cut short is begun again."""
    before, count = services.retention.before("archived", services.clock.now()), 0
    while before and (tasks := await services.database.read(lambda tx: tasks_to_archive(tx.db, before))):
        moved = sum([await _archive(services, folder, task) for task in tasks])
        if not moved:
            break
        count += moved
    return count


async def _archive(services: Services, folder: Path, task: TaskId) -> bool:
    """Its file is whole and on disk before its rows go."""
    lines = await services.database.read(lambda tx: lines_of(tx.db, task))
    await asyncio.to_thread(write_file, folder, task, lines)
    now = services.clock.now()
    return await services.database.write(lambda tx: remove_rows(tx, task, lines, now))


class Upkeep:
    """`places`: bare repositories that nobody but us writes to.

    `theirs`: people's own repositories, where branches of ours lie, too.
    """

    def __init__(self, services: Services, places: Sequence[Path], theirs: Sequence[Path] = ()) -> None:
        self._database, self._clock = services.database, services.clock
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
        busy = await self._database.read(lambda tx: tx.jobs.any_unfinished())
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
