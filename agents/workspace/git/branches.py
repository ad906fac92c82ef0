"""Branches of tasks that have ended: found by their names, and removed where nobody has changed them."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from agents.domain.ids import TaskId
from agents.workspace.files.locks import hold_lock
from agents.workspace.forge.person import checkout_of
from agents.workspace.forge.plumbing import Repository
from agents.workspace.git.git import Git
from agents.workspace.git.mirror import BASE, lock_of

_HEADS = "refs/heads/"
_OF_TASK = re.compile(r"ai/t-(\d{1,9})(?:\.\d+)?-")


async def branches_by_task(copy: Path) -> dict[TaskId, dict[str, str]]:
    """What lies in a copy of ours: by task, each branch and the commit it is at."""
    found = dict[TaskId, dict[str, str]]()
    if not await asyncio.to_thread(copy.is_dir):
        return found  # nothing was worked on yet
    listed = await Git(directory=copy).line("for-each-ref", "--format=%(refname) %(objectname)", f"{_HEADS}ai/")
    for line in listed.splitlines():
        ref, _, commit = line.partition(" ")
        branch = ref.removeprefix(_HEADS)
        if named := _OF_TASK.match(branch):
            found.setdefault(TaskId(f"T-{named[1]}"), {})[branch] = commit
    return found


async def drop_from_copy(copy: Path, branches: Mapping[str, str]) -> None:
    """All of them or none: each must still be where it was seen. Commits stay, for facts name them."""
    listed = await Git(directory=copy).line("for-each-ref", "--format=%(refname)", f"{BASE}/ai/")
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
