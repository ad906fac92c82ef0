"""A person's own checkout of the branch that moves: advanced where nothing of theirs can be lost, else left alone.

The rule: their files are touched only when git's own two-way merge says that nothing uncommitted is in the way,
and then only to follow their branch. Where that is not sure the branch does not move, and they are told what to type.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from agents.workspace.forge.plumbing import Repository

_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_SUBMODULE = re.compile(r"(?m)^:(160000 |\d{6} 160000 )")
_REBASING = ("rebase-merge/head-name", "rebase-apply/head-name")


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
        if not await self._untouched(old):
            return "there are changes that are not committed"
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

    async def _untouched(self, commit: str) -> bool:
        """Whether index and tracked files are as this commit has them."""
        edited = await self.git.ask("diff-files", "--quiet", "--ignore-submodules=all", "--no-ext-diff", "--")
        return edited.code == 0 and await self._staged(commit)

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
