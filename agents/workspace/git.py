"""Git as the host runs it: an explicit repository, no configuration of the machine's, nothing executed from it."""

import asyncio
import os
from pathlib import Path

from agents.domain.errors import OverlordError

TIMEOUT = 60.0
_OPTIONS = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "protocol.ext.allow=never",
    "-c", "safe.bareRepository=explicit",
    "-c", "gc.auto=0",
)  # fmt: skip


class GitFailed(OverlordError):
    def __init__(self, what: str, said: str) -> None:
        super().__init__(f"git could not {what}: {said.strip() or 'it said nothing'}", next_step="Look at the project.")


async def git(repository: Path, *arguments: str) -> bytes:
    """Run one git command on a repository and return what it printed."""
    process = await asyncio.create_subprocess_exec(
        "git",
        f"--git-dir={git_dir(repository)}",
        *_OPTIONS,
        *arguments,
        env={"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
             "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(TIMEOUT):
            out, err = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise GitFailed(arguments[0], f"no answer within {TIMEOUT:g} s") from None
    if process.returncode != 0:
        raise GitFailed(arguments[0], err.decode(errors="replace"))
    return out


def git_dir(repository: Path) -> Path:
    """A checkout's own folder, or the repository itself where it is bare."""
    inside = repository / ".git"
    return inside if inside.exists() else repository
