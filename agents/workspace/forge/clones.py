"""The code of projects that are on GitHub: a bare clone each, brought up to date when it matters."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from agents.ports import ForgeFailed
from agents.workspace.files.removal import remove
from agents.workspace.forge.plumbing import Repository, checked_branch
from agents.workspace.forge.remotes import Pushing, Remote

RECENT = 30.0  # seconds for which a list of files is recent enough to plan with


class Clones:
    """`remotes` name each project's repository, with `commits` as the place of its clone."""

    def __init__(self, remotes: Mapping[str, Remote], git: Pushing) -> None:
        self._remotes = remotes
        self._git = git
        self._locks = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._looked = dict[str, float]()  # when each was last brought up to date

    async def refresh(self, project: str, branch: str = "") -> None:
        """Bring what is on GitHub here; nothing for a project that is elsewhere. Raises ForgeFailed.

        `branch`: this one too, beside the one that people work from.
        """
        if remote := self._remotes.get(project):
            async with self._locks[project]:
                await self._refresh(remote, branch)
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

    async def _refresh(self, remote: Remote, other: str) -> None:
        clone = Repository(remote.commits)
        await _make(remote.commits)
        named, commit = await self._git.head(remote)
        if other and other != named:
            await self._bring(remote, checked_branch(other), await self._git.at(remote, other))
        if not commit:
            return
        ref = f"refs/heads/{checked_branch(named)}"
        await self._bring(remote, named, commit)
        if (await clone.ask("symbolic-ref", "--quiet", "HEAD")).text.strip() != ref:
            await clone.tell("symbolic-ref", "HEAD", ref)

    async def _bring(self, remote: Remote, branch: str, commit: str) -> None:
        """The branch as it is on GitHub, or none if it is not there."""
        clone, ref = Repository(remote.commits), f"refs/heads/{branch}"
        here = await clone.commit_at(ref)
        if here and not commit:
            await clone.tell("update-ref", "-d", ref)
        elif here != commit:
            await self._git.fetch(remote, f"+{ref}:{ref}")


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
