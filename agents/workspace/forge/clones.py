"""The code of projects that are on GitHub: a bare clone each, brought up to date when it matters."""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from agents.ports import ForgeFailed
from agents.workspace.forge.plumbing import Repository, checked_branch
from agents.workspace.forge.remotes import Pushing, Remote
from agents.workspace.removal import remove
from agents.workspace.skills import committed_files

PROMPTS = ".overlord/prompts"
_PROMPT = re.compile(r"[a-z_]{1,60}\.j2")
RECENT = 30.0  # seconds for which a list of files is recent enough to plan with


class Clones:
    """`remotes` name each project's repository, with `commits` as the place of its clone."""

    def __init__(self, remotes: Mapping[str, Remote], git: Pushing) -> None:
        self._remotes = remotes
        self._git = git
        self._locks = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._looked = dict[str, float]()  # when each was last brought up to date
        self._laid_out = dict[str, Path]()

    def folder(self, project: str) -> Path | None:
        """Where the project's own prompts lie as files: nothing is checked out in a clone. None: nowhere yet."""
        return self._laid_out.get(project)

    async def refresh(self, project: str) -> None:
        """Bring what is on GitHub here; nothing for a project that is elsewhere. Raises ForgeFailed."""
        if remote := self._remotes.get(project):
            async with self._locks[project]:
                await self._refresh(remote)
                await self._lay_out(project, remote.commits)
                self._looked[project] = time.monotonic()

    async def recent(self, project: str) -> None:
        """For reading: as it was a moment ago is good enough, and what there is is better than nothing."""
        remote = self._remotes.get(project)
        if remote is None or time.monotonic() - self._looked.get(project, -RECENT) < RECENT:
            return
        try:
            await self.refresh(project)
        except ForgeFailed:
            if not await _has_code(remote.commits):
                raise
            async with self._locks[project]:
                await self._lay_out(project, remote.commits)

    async def _refresh(self, remote: Remote) -> None:
        clone = Repository(remote.commits)
        await _make(remote.commits)
        named, commit = await self._git.head(remote)
        if not commit:
            return
        branch = checked_branch(named)
        ref = f"refs/heads/{branch}"
        if await clone.commit_at(ref) != commit:
            await self._git.fetch(remote, f"+{ref}:{ref}")
        if (await clone.ask("symbolic-ref", "--quiet", "HEAD")).text.strip() != ref:
            await clone.tell("symbolic-ref", "HEAD", ref)

    async def _lay_out(self, project: str, place: Path) -> None:
        """Under the commit's name: whoever reads finds all of one commit, or nothing."""
        commit = await Repository(place).commit_at("HEAD")
        folder = place.with_suffix(".own") / commit
        if commit and self._laid_out.get(project) != folder:
            files = await committed_files(place, PROMPTS, commit)
            await asyncio.to_thread(_write, folder, files)
            self._laid_out[project] = folder


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    (folder / PROMPTS).mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        if _PROMPT.fullmatch(name := path.rpartition("/")[2]):
            (folder / PROMPTS / name).write_bytes(content)
    for other in folder.parent.iterdir():
        if other != folder:
            remove(other)


def _is_there(place: Path) -> bool:
    return place.is_dir()


async def _has_code(place: Path) -> bool:
    return _is_there(place) and bool(await Repository(place).commit_at("HEAD"))


async def _make(place: Path) -> None:
    """Made under another name first, so that it is there whole or not at all."""
    if _is_there(place):
        return
    fresh = place.with_suffix(".new")
    remove(fresh)
    fresh.mkdir(parents=True)
    await Repository(fresh).tell("init", "--quiet", "--bare")
    fresh.rename(place)
