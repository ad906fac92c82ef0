"""Git as the forge runs it: an explicit repository, only the settings named here, nothing executed from it."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.ports import ForgeFailed
from agents.workspace.git import git_dir

TIMEOUT = 120.0
_OPTIONS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.version=2",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "false",
    "LC_ALL": "C.UTF-8",
}
EMAIL = "overlord@localhost"
WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in {"NAME": "Overlord", "EMAIL": EMAIL}.items()
}
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository. With a folder, the files that are checked out there are meant too."""

    path: Path
    folder: Path | None = None

    async def ask(
        self, *arguments: str, env: Mapping[str, str] | None = None, given: str = "", most: float = TIMEOUT
    ) -> Said:
        """Run one command, whatever comes of it. It is not ended halfway by the signals that end us."""
        try:
            process = await self._started(arguments, env or {})
        except OSError as error:
            raise ForgeFailed(
                f"git cannot be run in {self.path} ({error.strerror})", next_step="Check that both are there."
            ) from error
        try:
            async with asyncio.timeout(most):
                out, err = await process.communicate(given.encode())
        except TimeoutError:
            process.kill()
            await process.wait()
            return Said(code=-1, out="", err=f"no answer within {most:g} s")
        return Said(code=process.returncode or 0, out=_text(out), err=_text(err).strip())

    async def _started(self, arguments: Sequence[str], env: Mapping[str, str]) -> asyncio.subprocess.Process:
        where = git_dir(self.path)
        return await asyncio.create_subprocess_exec(
            "git",
            f"--git-dir={where}",
            *((f"--work-tree={self.folder}",) if self.folder else ()),
            *(part for option in _OPTIONS for part in ("-c", option)),
            *arguments,
            cwd=self.folder or (where if where.is_dir() else self.path),
            env={"PATH": os.environ.get("PATH", os.defpath), **_QUIET, **WHO, **env},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )

    async def tell(self, *arguments: str, given: str = "") -> str:
        """Run one command that must succeed; what it printed."""
        said = await self.ask(*arguments, given=given)
        if said.code != 0:
            raise ForgeFailed(
                f"git could not {arguments[0]} in {self.path}: {said.err or 'it said nothing'}",
                next_step="Look at the repository, then try again.",
            )
        return said.out

    async def commit_at(self, ref: str) -> str:
        """The commit a ref names; empty if there is none."""
        said = await self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return said.out.strip() if said.code == 0 else ""

    async def has(self, commit: str) -> bool:
        return (await self.ask("cat-file", "-e", f"{commit}^{{commit}}")).code == 0

    async def leads_to(self, older: str, newer: str) -> bool:
        """Whether the newer commit holds the older one."""
        return (await self.ask("merge-base", "--is-ancestor", older, newer)).code == 0

    async def take(self, source: "Repository", commit: str) -> None:
        """Copy a commit and what it needs; no ref is written."""
        if not await self.has(commit):
            quiet = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
            await self.tell("fetch", *quiet, "--no-auto-maintenance", "--", str(git_dir(source.path)), commit)

    async def move(self, branch: str, new: str, old: str, why: str) -> bool:
        """Compare and swap: the branch goes from one commit to another, or stays. Old is empty for a new branch."""
        expected = old or "0" * len(new)
        said = await self.ask("update-ref", "-m", why, "--end-of-options", f"refs/heads/{branch}", new, expected)
        return said.code == 0

    async def catch_up(self, branch: str, commit: str) -> None:
        """Our branch goes to where a person brought it, unless theirs only lags behind."""
        here = await self.commit_at(f"refs/heads/{branch}")
        if here != commit and not (here and await self.leads_to(commit, here)):
            await self.move(branch, commit, here, "overlord: what a person did")


def checked_commit(written: str) -> str:
    if not _COMMIT.fullmatch(written):
        raise ForgeFailed(f"{written!r} is not a commit", next_step="Name the commit by its whole hash.")
    return written


def checked_branch(written: str) -> str:
    """Attack 49: a name that git could take for something else is no name."""
    odd = ".." in written or any(part.endswith((".lock", ".")) for part in written.split("/"))
    if odd or len(written) > 200 or not _BRANCH.fullmatch(written):
        raise ForgeFailed(f"{written[:80]!r} does not do as the name of a branch", next_step="Use letters and dashes.")
    return written


def _text(printed: bytes) -> str:
    return printed.decode(errors="replace")
