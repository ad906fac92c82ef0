"""The configured projects, read from what is committed in them; and the sample project, if there is none to try on."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.knowledge.document import LARGEST, PLACE
from agents.domain.knowledge.shelf import MOST
from agents.ports import ProjectUnusable
from agents.workspace.forge.remotes import page_of
from agents.workspace.git.checkouts import copy_of
from agents.workspace.git.git import Git, GitFailed, git, identity
from agents.workspace.git.objects import committed_files, files_beneath, named_files
from agents.workspace.git.repository_states import find_obstacle, find_states

FILES_MOST = 20_000
TEMPLATES = ".overlord/prompts"
WORKFLOWS = ".overlord/workflows"
ROLES = (".overlord/roles", ".overlord/contexts")
SAMPLE = "sample"
_WHO = identity("2026-01-01T00:00:00+00:00")


class GitProjects:
    """Implements agents.ports.Projects."""

    def __init__(
        self,
        paths: Mapping[str, Path | None],
        of_channel: Callable[[str], str] = lambda channel: "",
        fresh: Callable[[str], Awaitable[None]] | None = None,
        home: Path | None = None,
    ) -> None:
        """`fresh` brings a project's repository up to date, where it is only a copy. `home`: where work is done."""
        self._paths = paths
        self._of_channel = of_channel
        self._fresh = fresh
        self._home = home

    def names(self) -> Sequence[str]:
        return tuple(self._paths)

    def of_channel(self, channel: str) -> str:
        return self._of_channel(channel)

    async def files(self, project: str) -> Sequence[str]:
        path = self._paths.get(project)
        if path is None:
            return ()
        if self._fresh:
            await self._fresh(project)
        try:
            listed = await git(path, "ls-tree", "-r", "-z", "--name-only", "HEAD")
        except GitFailed:
            return ()
        names = listed.decode(errors="replace").split("\0")
        return tuple(name for name in names if name)[:FILES_MOST]

    async def read(self, project: str, paths: Sequence[str]) -> dict[str, bytes]:
        """Plain files by path, as they are committed; without what is not there or is large."""
        path = self._paths.get(project)
        return await named_files(path, paths) if path and paths else {}

    async def require_usable(self, project: str) -> None:
        path = self._paths.get(project)
        if path is None or self._fresh:  # not here, or a clone of our own that is yet to be made
            return
        if found := await find_obstacle(path, self._home):
            raise ProjectUnusable(found.what, next_step=found.step)

    async def notes(self, project: str) -> Sequence[str]:
        path = self._paths.get(project)
        if path is None or self._fresh:
            return ()
        found = await find_states(path, self._home)
        return tuple(f"{each.what}. {each.step}" for each in found if not each.blocks)

    async def web(self, project: str, commit: str) -> str:
        path = self._paths.get(project)
        if path is None:
            return ""
        try:
            url = (await git(path, "config", "--get", "remote.origin.url")).decode(errors="replace").strip()
            pushed = self._fresh or await git(path, "branch", "--remotes", "--contains", commit)
        except GitFailed:
            return ""
        page = page_of(url)
        return f"{page}/blob/{commit}" if page and pushed else ""

    async def workflow_files(self, project: str, branch: str) -> dict[str, bytes]:
        path = self._paths.get(project)
        if path is None:
            return {}
        named = f"refs/heads/{branch}"
        known = branch and await _is_there(path, named)
        return await committed_files(path, WORKFLOWS, named if known else "HEAD")

    async def role_files(self, project: str, commit: str) -> dict[str, bytes]:
        """Its own roles and contexts, as they are committed there; empty: at the newest commit of its branch."""
        path = self._paths.get(project)
        if path is None:
            return {}
        found = [await committed_files(path, folder, commit or "HEAD") for folder in ROLES]
        return {name: body for each in found for name, body in each.items()}

    async def templates(self, project: str, commit: str = "") -> dict[str, bytes]:
        """The project's own guidance for models by file name, as it is committed: what is only written is not read."""
        path = self._paths.get(project)
        files = await committed_files(path, TEMPLATES, commit or "HEAD") if path else {}
        return {name.rpartition("/")[2]: body for name, body in files.items()}

    async def branch_tip(self, project: str) -> str:
        """The commit that its branch is at; empty: it is not here, or has none."""
        path = self._paths.get(project)
        if path is None:
            return ""
        if self._fresh:
            await self._fresh(project)
        try:
            return (await git(path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")).decode().strip()
        except GitFailed:
            return ""

    async def knowledge_files(self, project: str, commit: str) -> dict[str, bytes | None]:
        """What lies in the folder of notes; a little more than may be there, and than a note may hold."""
        path = self._paths.get(project)
        if path is None:
            return {}
        if self._home and not await _is_there(path, f"{commit}^{{commit}}"):
            path = copy_of(self._home, project)  # a commit of work under way is in our own copy alone
        return await files_beneath(path, PLACE, commit, MOST + 2, LARGEST)


async def _is_there(path: Path, ref: str) -> bool:
    try:
        return bool(await git(path, "rev-parse", "--verify", "--quiet", ref))
    except GitFailed:
        return False


async def lay_out_sample(source: Path, home: Path) -> Path:
    """The repository, made once. What is there already stays as it is: it may hold somebody's work."""
    target = home / SAMPLE
    if (target / ".git").exists():
        return target
    fresh = home / f"{SAMPLE}.{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    await asyncio.to_thread(shutil.copytree, source, fresh, ignore=shutil.ignore_patterns("__pycache__"))
    try:
        await _committed(fresh)
    except (GitFailed, OSError) as problem:
        said = problem.said.strip() if isinstance(problem, GitFailed) else problem.strerror
        raise OverlordError(
            f"The sample project could not be made: {said}",
            next_step="Install git, or name a project in overlord.yaml.",
        ) from problem
    if target.exists():
        raise OverlordError(f"{target} is there but is no repository", next_step="Move it away and start again.")
    fresh.rename(target)
    return target


async def _committed(folder: Path) -> None:
    bare = Git(directory=folder / ".git", environ=_WHO)  # told of its files, it would note where they are now
    await bare.run("init", "--quiet", "--initial-branch=main")
    git = replace(bare, files=folder)
    await git.run("add", ".")
    await git.run("commit", "--quiet", "--message=The sample project")
