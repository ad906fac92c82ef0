"""Upkeep of our own copies of repositories: what lies loose is packed, and branches of ended tasks are removed.

No object is ever pruned. One that no branch leads to may be a commit that a folder is at, that a fact names, or that is
about to be joined. So whole packs are put together, and loose objects with them, reachable or not.
"""

import asyncio
import os
import re
import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from agents.domain.ids import TaskId
from agents.workspace.files.locks import hold_file_now, hold_lock
from agents.workspace.forge.repository import Repository, checkout_of
from agents.workspace.git.git import Git
from agents.workspace.git.mirror import BASE, lock_of

LOOSE_MOST, PACKS_MOST = 2_000, 20
REFS_MOST = 200  # each begun branch makes git read all that lie loose beside it
SECONDS = 600.0
OLD = 86_400.0  # seconds after which nobody writes on at half a file any more
_HALF = (".tmp-*", "tmp_*")
_HEADS = "refs/heads/"
_USUAL = re.compile(r"ai/t-(\d{1,9})(?:\.\d+)?-")
# Of another pattern: a task's number is always set apart. Nothing but branches of tasks is in a copy of ours.
_OF_TASK = re.compile(r"(?:^|[/_-])t-(\d{1,9})(?:\.\d+)?(?=[/_-]|$)")
# One thread and little memory: it is not in a hurry, and others are.
_REPACK = ("repack", "--geometric=2", "-d", "-n", "--quiet", "--threads=1", "--window-memory=64m")


async def pack_refs(place: Path, lock: Path | None = None, *, fill: float = 1.0) -> bool:
    """Put branches that lie loose into one file, if they are `fill` times as many as should. Raises GitFailed.

    `lock`: whoever moves a branch there holds it. Git's own locks are enough in a repository that others use.
    """
    if await asyncio.to_thread(loose_refs, place) <= fill * REFS_MOST:
        return False
    async with hold_lock(lock) if lock else nullcontext() as file:
        await Git(directory=place, held=(file,) if file else ()).run("pack-refs", "--all")
    return True


def loose_refs(place: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(place / "refs"))


async def keep_up(place: Path, *, fill: float = 1.0, seconds: float = SECONDS) -> bool:
    """Pack what lies about in a bare repository, if it is `fill` times as much as should. Raises GitFailed.

    It may go on beside any other work there. A kill leaves half a file, which is removed the next time.
    """
    loose, packs = await asyncio.to_thread(count_objects, place)
    if loose <= fill * LOOSE_MOST and packs <= fill * PACKS_MOST:
        return False
    lock = hold_file_now(place.with_suffix(".upkeep"))
    if lock is None:
        return False  # another process is at it, or a git that outlived its own
    try:
        await asyncio.to_thread(_clear, place)
        await Git(directory=place, held=(lock,), seconds=seconds).run(*_REPACK)
    finally:
        os.close(lock)
    return True


def count_objects(place: Path) -> tuple[int, int]:
    """How many loose objects there are, and how many packs."""
    loose = sum(len(_names(folder)) for folder in _fans(place))
    return loose, sum(name.endswith(".pack") for name in _names(place / "objects" / "pack"))


def _clear(place: Path) -> None:
    """Remove what a kill left of earlier upkeep: nobody else makes such names, and we hold its lock.

    Half a pack of a fetch and half an object look alike while they are written: they must be old.
    """
    old = time.time() - OLD
    for folder in (place / "objects" / "pack", *_fans(place)):
        for half in (half for pattern in _HALF for half in folder.glob(pattern)):
            with suppress(FileNotFoundError):
                if half.name.startswith(".tmp-") or half.lstat().st_mtime < old:
                    half.unlink()


def _fans(place: Path) -> list[Path]:
    return [place / "objects" / name for name in _names(place / "objects") if len(name) == 2]


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


async def branches_by_task(copy: Path) -> dict[TaskId, dict[str, str]]:
    """What lies in a copy of ours: by task, each branch and the commit it is at."""
    found = dict[TaskId, dict[str, str]]()
    if not await asyncio.to_thread(copy.is_dir):
        return found  # nothing was worked on yet
    listed = await Git(directory=copy).line("for-each-ref", "--format=%(refname) %(objectname)", _HEADS)
    for line in listed.splitlines():
        ref, _, commit = line.partition(" ")
        branch = ref.removeprefix(_HEADS)
        if task := _task_of(branch):
            found.setdefault(task, {})[branch] = commit
    return found


def _task_of(branch: str) -> TaskId | None:
    """Which task a branch is of. A description may name another one: then nobody knows, and the branch stays."""
    usual = _USUAL.match(branch)
    named = {usual[1]} if usual else set(_OF_TASK.findall(branch))
    return TaskId(f"T-{named.pop()}") if len(named) == 1 else None


async def drop_from_copy(copy: Path, branches: Mapping[str, str]) -> None:
    """All of them or none: each must still be where it was seen. Commits stay, for facts name them."""
    listed = await Git(directory=copy).line("for-each-ref", "--format=%(refname)", f"{BASE}/")
    begun = set(listed.splitlines())
    lines = [f"delete {_HEADS}{branch} {commit}\n" for branch, commit in branches.items()]
    lines += [f"delete {BASE}/{branch}\n" for branch in branches if f"{BASE}/{branch}" in begun]
    async with hold_lock(lock_of(copy)) as lock:
        await Git(directory=copy, held=(lock,)).run("update-ref", "--stdin", stdin="".join(lines).encode())


async def drop_from_original(repository: Path, branch: str, commit: str) -> bool:
    """Whether the branch is not in a person's repository any more. One that moved or is checked out is theirs."""
    theirs = Repository(repository)
    there = await theirs.commit_at(f"{_HEADS}{branch}")
    if not there:
        return True
    if there != commit or await checkout_of(theirs, branch):
        return False
    said = await theirs.ask("update-ref", "-d", "--end-of-options", f"{_HEADS}{branch}", commit)
    return said.code == 0
