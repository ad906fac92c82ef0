"""A repository as the forge needs it: commits copied, branches moved by compare and swap, a person's files left alone.

A person's checkout of the branch that moves is touched only when git's own two-way merge says that nothing uncommitted
is in the way, and then only to follow their branch. Where that is not sure the branch does not move, and they are told
what to type.
"""

import asyncio
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.models.failure import ErrorClass, failure_of_step
from agents.domain.work.git_names import Signature, odd_branch
from agents.ports import ForgeFailed
from agents.workspace.git.git import FETCH, UPLOAD, Git, Said, git_dir, identity, is_commit

TIMEOUT = 120.0
GRACE = 10.0
LOCK_TRIES, LOCK_PAUSE = 5, 0.2  # whoever works there holds a lock for a moment only
_LOCKED = re.compile(r"Unable to create '([^'\n]+\.lock)': File exists")
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_NAMED = 3  # files in one sentence
_SUBMODULE = re.compile(r"(?m)^:(160000 |\d{6} 160000 )")
_REBASING = ("rebase-merge/head-name", "rebase-apply/head-name")


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository. With a folder, the files that are checked out there are meant too."""

    path: Path
    folder: Path | None = None
    signature: Signature = field(default_factory=Signature)  # of commits that are made there

    async def ask(
        self, *arguments: str, env: Mapping[str, str] | None = None, given: str = "", most: float = TIMEOUT
    ) -> Said:
        """Run one command, whatever comes of it. With an environment it goes to another machine."""
        git = Git(
            directory=git_dir(self.path),
            files=self.folder,
            environ={**identity(signature=self.signature), **(env or {})},
            seconds=most,
            grace=GRACE,
            far=env is not None,
        )
        try:
            return await git.ask(*arguments, stdin=given.encode())
        except OSError as error:
            raise ForgeFailed(
                f"git cannot be run in {self.path} ({error.strerror})",
                next_step="Check that both are there.",
                error=failure_of_step(error).error,
            ) from error

    async def tell(self, *arguments: str, given: str = "") -> str:
        """Run one command that must succeed; what it printed."""
        said = await self.ask(*arguments, given=given)
        if said.code != 0 or said.cut:
            problem = "it said too much" if said.cut else said.err.strip() or "it said nothing"
            raise ForgeFailed(
                f"git could not {arguments[0]} in {self.path}: {problem}",
                next_step="Look at the repository, then try again.",
                error=ErrorClass.CLI_ERROR,
            )
        return said.text

    async def commit_at(self, ref: str) -> str:
        """The commit a ref names; empty if there is none."""
        said = await self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return said.text.strip() if said.code == 0 else ""

    async def has(self, commit: str) -> bool:
        return (await self.ask("cat-file", "-e", f"{commit}^{{commit}}")).code == 0

    async def leads_to(self, older: str, newer: str) -> bool:
        """Whether the newer commit holds the older one."""
        return (await self.ask("merge-base", "--is-ancestor", older, newer)).code == 0

    async def take(self, source: "Repository", commit: str) -> None:
        """Copy a commit and what it needs; no ref is written."""
        if not await self.has(commit):
            await self.tell(*FETCH, UPLOAD, "--", str(git_dir(source.path)), commit)

    async def move(self, branch: str, new: str, old: str, why: str) -> bool:
        """Compare and swap: the branch goes from one commit to another, or stays. Old is empty for a new branch."""
        expected = old or "0" * len(new)
        for tries_left in reversed(range(LOCK_TRIES)):
            said = await self.ask("update-ref", "-m", why, "--end-of-options", f"refs/heads/{branch}", new, expected)
            lock = _LOCKED.search(said.err) if said.code != 0 else None
            if lock is None:
                return said.code == 0
            if not tries_left:  # git takes a lock away when it is done: one that stays was left by a git that died
                raise ForgeFailed(
                    f"Git is locked in {self.path}: {lock[1]} stays in the way",
                    next_step=f"If no git runs there, it was left by one that died: remove it "
                    f"(rm {shlex.quote(lock[1])}) and try again.",
                )
            await asyncio.sleep(LOCK_PAUSE)
        return False

    async def catch_up(self, branch: str, commit: str) -> None:
        """Our branch goes to where a person brought it, unless theirs only lags behind."""
        here = await self.commit_at(f"refs/heads/{branch}")
        if here != commit and not (here and await self.leads_to(commit, here)):
            await self.move(branch, commit, here, "overlord: what a person did")


def require_target(number: int, now: str, approved: str, *, merged: bool = False) -> None:
    """Raises ForgeFailed if a pull request is for another branch than people were shown, or went into another."""
    if now == approved:
        return
    if merged:
        what = f"#{number} was merged into {now}, but {approved} was shown and approved"
        raise ForgeFailed(what, next_step=f"Look at {now}; then finish it yourself.")
    what = f"#{number} is for the branch {now}, but {approved} was shown and approved"
    raise _not_merged(what, f"Set its base to {approved} again")


def missing_branch(branch: str) -> ForgeFailed:
    return _not_merged(f"There is no branch {branch} any more", f"Make {branch} again")


def rewritten_branch(branch: str) -> ForgeFailed:
    """A merge would bring back what was taken out of the branch, and nobody was shown that."""
    what = f"{branch} was rewritten: the commit that this work began from is not in it any more"
    return _not_merged(what, f"Bring {branch} back to where it was")


def _not_merged(what: str, step: str) -> ForgeFailed:
    return ForgeFailed(f"{what}. Nothing was merged", next_step=f"{step}, then press again; or finish it yourself.")


def require_commit(written: str) -> str:
    if not is_commit(written):
        raise ForgeFailed(f"{written!r} is not a commit", next_step="Name the commit by its whole hash.")
    return written


def require_branch(written: str) -> str:
    """A name that git could take for something else is no name."""
    if odd_branch(written):
        raise ForgeFailed(f"{written[:80]!r} does not do as the name of a branch", next_step="Use letters and dashes.")
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonsCheckout:
    folder: Path
    git: Repository  # of this folder, its own index among it
    own: Path  # where git keeps what is of this folder alone
    detached: bool = False  # in the middle of a rebase of the branch

    async def obstacle(self, old: str, new: str) -> str:
        """Why the files cannot follow from one commit to another; empty if they can. Nothing is changed by asking."""
        if self.detached or any((self.own / name).exists() for name in _BUSY):
            return "something is under way there, such as a merge or a rebase"
        if (lock := self.own / "index.lock").exists():
            return f"git is locked by {lock} (if no git runs there, it was left by one that died: remove it)"
        if reason := await self._filtered(old, new):
            return reason
        await self.git.ask("update-index", "-q", "--refresh")
        if dirty := await self._dirty(old, new):
            named = ", ".join(dirty[:_NAMED]) + (f" and {len(dirty) - _NAMED} more" if len(dirty) > _NAMED else "")
            return f"there are changes in {named} that are not committed"
        tried = await self.git.ask("read-tree", "-m", "-u", "-n", old, new)
        return "" if tried.code == 0 else "a file that is not committed is in the way"

    async def follow(self, old: str, new: str) -> bool:
        """Bring index and files to the new commit, once the branch is there. Whether they are there now."""
        if await self._staged(new):
            return True
        if await self.obstacle(old, new):
            return False
        moved = await self.git.ask("read-tree", "-m", "-u", old, new)
        return moved.code == 0

    async def _dirty(self, old: str, new: str) -> list[str]:
        """Files with changes of a person that the merge would touch; what they changed elsewhere stays as it is."""
        quiet = ("--name-only", "-z", "--no-renames", "--ignore-submodules=all", "--no-ext-diff")
        touched = (await self.git.tell("diff-tree", "-r", *quiet, old, new)).split("\0")
        edited = (await self.git.tell("diff-files", *quiet, "--")).split("\0")
        staged = (await self.git.tell("diff-index", "--cached", *quiet, old, "--")).split("\0")
        return sorted(set(touched) & {*edited, *staged} - {""})

    async def _staged(self, commit: str) -> bool:
        said = await self.git.ask("diff-index", "--cached", "--quiet", "--ignore-submodules=all", commit, "--")
        return said.code == 0

    async def _filtered(self, *commits: str) -> str:
        """Filters run programs, and submodules are other repositories: neither is for us to touch."""
        if (await self.git.ask("config", "--name-only", "--get-regexp", r"^filter\.")).out:
            return "its settings name filters, which I do not run"
        kept = self.folder / (await self.git.tell("rev-parse", "--git-path", "info/attributes")).strip()
        told = [kept.read_text(errors="replace")] if kept.is_file() else []
        for commit in commits:
            for line in (await self.git.tell("ls-tree", "-r", "-z", commit)).split("\0"):
                entry, _, path = line.partition("\t")
                if path.rpartition("/")[2] == ".gitattributes":
                    told.append(await self.git.tell("cat-file", "blob", entry.split()[2]))
        if any("filter" in text for text in told):
            return "its .gitattributes name filters, which I do not run"
        raw = await self.git.tell("diff-tree", "-r", "--raw", "--no-renames", *commits)
        return "a submodule changes" if _SUBMODULE.search(raw) else ""


async def checkout_of(repository: Repository, branch: str) -> PersonsCheckout | None:
    """Where a branch is checked out, if it is anywhere. A bare repository has nothing checked out."""
    listed = await repository.tell("worktree", "list", "--porcelain", "-z")
    for entry in listed.split("\0\0"):
        told = dict[str, str]((line.partition(" ")[0], line.partition(" ")[2]) for line in entry.split("\0") if line)
        folder = Path(told.get("worktree", ""))
        if "bare" in told or not (folder / ".git").exists():
            continue
        git = Repository(folder, folder)
        own = Path((await git.tell("rev-parse", "--absolute-git-dir")).strip())
        ref = f"refs/heads/{branch}"
        rebasing = any(_reads(own / name) == ref for name in _REBASING)
        if told.get("branch") == ref or rebasing:
            return PersonsCheckout(folder=folder, git=git, own=own, detached=rebasing)
    return None


def _reads(path: Path) -> str:
    return path.read_text(errors="replace").strip() if path.is_file() else ""
