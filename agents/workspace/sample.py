"""The sample project, put into the state folder as a repository of its own, so that there is something to try on."""

import asyncio
import os
import shutil
from pathlib import Path

from agents.domain.errors import OverlordError

NAME = "sample"
_WHO = {"NAME": "Overlord", "EMAIL": "overlord@localhost", "DATE": "2026-01-01T00:00:00+00:00"}


async def lay_out(source: Path, home: Path) -> Path:
    """The repository, made once. What is there already stays as it is: it may hold somebody's work."""
    target = home / "sample"
    if (target / ".git").exists():
        return target
    fresh = home / f"sample.{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    await asyncio.to_thread(shutil.copytree, source, fresh, ignore=shutil.ignore_patterns("__pycache__"))
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "The sample project")):
        await _git(fresh, *arguments)
    if target.exists():
        raise OverlordError(f"{target} is there but is no repository", next_step="Move it away and start again.")
    fresh.rename(target)
    return target


async def _git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
    quiet = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    process = await asyncio.create_subprocess_exec(
        "git", *arguments, cwd=folder, env={**quiet, **who}, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    if process.returncode != 0:
        raise OverlordError(
            f"The sample project could not be made: {said.decode(errors='replace').strip()}",
            next_step="Install git, or name a project in overlord.yaml.",
        )
