"""Puts paths of a minion's folder back as they were at a commit. No link in it is followed, and git writes nothing."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.files.safe_open import Tree
from agents.workspace.git import objects
from agents.workspace.git.objects import LINK, MODULE, Entry


async def put_back(repository: Path, folder: Path, commit: str, paths: Sequence[str]) -> list[str]:
    """What was not there goes. Returns what could not be put back, and why."""
    there = await objects.entries(repository, commit)
    wanted = [there[path] for path in paths if path in there and there[path].mode != MODULE]
    problems = await asyncio.to_thread(_remove, folder, [path for path in paths if path not in there])
    async for some in objects.batches(repository, wanted):
        problems += await asyncio.to_thread(_write, folder, some)
    return problems


def _remove(folder: Path, paths: Sequence[str]) -> list[str]:
    problems = []
    with closing(Tree(folder)) as tree:
        for path in paths:
            try:
                tree.remove(path.rstrip("/"))
            except FileNotFoundError:
                continue  # it is gone already
            except (OverlordError, OSError) as problem:
                problems.append(f"{path}: {problem}")
    return problems


def _write(folder: Path, some: Sequence[tuple[Entry, bytes]]) -> list[str]:
    problems = []
    with closing(Tree(folder)) as tree:
        for entry, content in some:
            try:
                if entry.mode == LINK:
                    tree.write_link(entry.path, content)
                else:
                    tree.write(entry.path, content, runnable=entry.mode == "100755")
            except (OverlordError, OSError) as problem:
                problems.append(f"{entry.path}: {problem}")
    return problems
