"""The sample project, put into the state folder as a repository of its own, so that there is something to try on."""

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.git.git import OVERLORD, Git, GitFailed

NAME = "sample"
_WHO = replace(OVERLORD, date="2026-01-01T00:00:00+00:00")


async def lay_out(source: Path, home: Path) -> Path:
    """The repository, made once. What is there already stays as it is: it may hold somebody's work."""
    target = home / "sample"
    if (target / ".git").exists():
        return target
    fresh = home / f"sample.{os.getpid()}"
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
    bare = Git(directory=folder / ".git", environ=_WHO.environ)  # told of its files, it would note where they are now
    await bare.run("init", "--quiet", "--initial-branch=main")
    git = replace(bare, files=folder)
    await git.run("add", ".")
    await git.run("commit", "--quiet", "--message=The sample project")
