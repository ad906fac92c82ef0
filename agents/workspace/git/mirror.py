"""The host's own copy of a project's repository: branches of minions live in it, and nobody's checkout is touched."""

import os
import re
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from agents.domain.work.git_names import Message, as_signed, commit_message, odd_branch
from agents.ports import CheckoutFailed
from agents.workspace.files.locks import hold_lock
from agents.workspace.files.untrusted import remove
from agents.workspace.git.git import EMAIL, FETCH, LONG, UPLOAD, Git, GitFailed, git_dir, identity, is_commit
from agents.workspace.git.objects import PLAIN, tree_of

ATTEMPTS = 20
MESSAGES_MOST = 200_000  # bytes of a history that are read
_HEAD = "refs/overlord/head"  # where the user's repository was when it was last looked at
_SOURCE = "refs/overlord/source"  # where branches of it were
BASE = "refs/overlord/base"  # where each branch began
_ELSEWHERE = re.compile(r"reference already exists|but expected|unable to resolve reference")
_STALE = re.compile(r"'([^'\n]+\.lock)': File exists")
_LITERAL = str.maketrans({each: f"\\{each}" for each in "\\*?[ "})  # signs that mean more to git than themselves
_FOLDERS = ("", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "worktrees")
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\tfilemode = true
\tsymlinks = true
\tlogAllRefUpdates = false
\tsharedRepository = 0644
\tfsync = committed,reference
[checkout]
\tworkers = 0
[gc]
\tauto = 0
[extensions]
{extensions}"""


class Mirror:
    """One project's copy. What only reads needs no lock; whoever moves a branch holds the copy's lock."""

    def __init__(self, source: Path, place: Path) -> None:
        self.source = source
        self.place = place
        self._lock = lock_of(place)
        self._git = Git(directory=place)

    @asynccontextmanager
    async def lock(self) -> AsyncIterator[Git]:
        async with hold_lock(self._lock) as lock:
            yield replace(self._git, held=(lock,))

    async def bring_up(self, branch: str = "") -> str:
        """Look at the user's repository again; the commit it is at, or a branch of it; empty if there is none."""
        theirs, ours = (ref(branch), f"{_SOURCE}/{branch}") if branch else ("HEAD", _HEAD)
        head = await self._source_at(theirs)
        if not self.place.is_dir():
            await self._make()
        if not head or head == await self.resolve(ours):
            return head
        async with self.lock() as git:
            fetch = (*FETCH, "--update-shallow", UPLOAD, "--end-of-options", str(self.source.absolute()))
            await _unstuck(self.place, replace(git, seconds=LONG), (*fetch, f"+{theirs}:{ours}"))
        return await self.resolve(ours)

    def ignore(self, paths: Collection[str], patterns: Collection[str] = ()) -> None:
        """Have git pass over these in every folder, where no commit holds them. `patterns`: as in .gitignore."""
        exclude = self.place / "info" / "exclude"
        known = exclude.read_text().splitlines() if exclude.is_file() else []
        wanted = [*(f"/{path.translate(_LITERAL)}" for path in paths), *patterns]
        if not set(wanted) <= set(known):
            exclude.parent.mkdir(exist_ok=True)
            fresh = exclude.with_name(f"exclude.{os.urandom(4).hex()}")
            fresh.write_text("".join(f"{line}\n" for line in dict.fromkeys((*known, *wanted))))
            fresh.rename(exclude)

    async def resolve(self, name: str) -> str:
        """The commit that a ref or an id names; empty if there is none."""
        return await self._git.commit_at(name) if self.place.is_dir() else ""

    async def tip(self, branch: str) -> str:
        return await self.resolve(ref(branch))

    async def ends(self, branch: str) -> tuple[str, str]:
        """Where a branch is, and where it began. By name alone: to list branches takes longer the more there are."""
        asked = f"{ref(branch)}\n{BASE}/{branch}\n".encode()
        said = await self._git.line("cat-file", "--batch-check=%(objectname)", stdin=asked)
        tip, base = ("" if line.endswith(" missing") else line for line in said.splitlines())
        return tip, base

    async def fetch_commit(self, commit: str) -> str:
        """The commit itself, fetched if need be. Raises CheckoutFailed."""
        check_commit(commit)
        found = await self.resolve(commit)
        if not found and await self.bring_up():
            found = await self.resolve(commit)
        if not found:
            raise CheckoutFailed(f"There is no commit {commit[:12]}", next_step="Look whether the project has it.")
        return found

    async def move(self, branch: str, new: str, old: str) -> bool:
        """From where it was known to be; False if it is elsewhere by now. `old` empty: begin the branch there."""
        lines = [f"update {ref(branch)} {check_commit(new)} {old or '0' * len(new)}\n"]
        if not old:
            lines.append(f"update {BASE}/{branch} {new}\n")
        async with self.lock() as git:
            try:
                await _unstuck(self.place, git, ("update-ref", "--stdin"), "".join(lines).encode())
            except GitFailed as problem:
                if not _ELSEWHERE.search(problem.said):
                    raise
                return False
        return True

    async def begin(self, branch: str, start: str) -> str:
        """The branch's tip; it is made if it is not there."""
        if not self.place.is_dir():
            await self.fetch_commit(start)
        try:
            made = await self.move(branch, start, "")
        except GitFailed as problem:
            if "nonexistent object" not in problem.said:
                raise
            made = await self.move(branch, await self.fetch_commit(start), "")
        return start if made else await self.tip(branch)

    async def put(self, branch: str, commit: str) -> None:
        """Have a branch of our own be there, wherever it was: nobody works on it."""
        for _ in range(ATTEMPTS):
            there = await self.tip(branch)
            if there == commit or await self.move(branch, commit, there):
                return
        raise CheckoutFailed(f"{branch} moved {ATTEMPTS} times while it was written", next_step="Try again.")

    async def write_commit(self, tree: str, parents: Sequence[str], message: Message, date: str = "") -> str:
        words = as_signed(message)
        who = replace(self._git, environ=identity(date, words.signature))
        named = (part for parent in parents for part in ("-p", parent))
        return await who.line("commit-tree", *named, tree, stdin=words.finish(commit_message(words.text)).encode())

    async def join(self, into: str, start: str, commit: str, message: Message) -> str | None:
        commit, start = await self.fetch_commit(commit), await self.fetch_commit(start)
        for _ in range(ATTEMPTS):
            there = await self.tip(into)
            new = await self._joined(there or start, commit, message)
            if new is None or new == there:
                return new
            if not there and not await self.move(into, start, ""):
                continue
            if new == start or await self.move(into, new, there or start):
                return new
        raise CheckoutFailed(f"{into} moved {ATTEMPTS} times while it was written", next_step="Try again.")

    async def forward(self, into: str, start: str, commit: str) -> str:
        commit, start = await self.fetch_commit(commit), await self.fetch_commit(start)
        there = await self.tip(into)
        if not await self.contains(commit, there or start):
            return ""
        if not there and not await self.move(into, start, ""):
            return ""
        from_where = there or start
        return commit if commit == from_where or await self.move(into, commit, from_where) else ""

    async def _joined(self, tip: str, commit: str, message: Message) -> str | None:
        """Always a commit of its own, so that it can be taken back, and as late as the later of the two: made again
        after a kill, it is the same."""
        if await self.contains(tip, commit):
            return tip
        tree, _ = await self.merge_trees(tip, commit)
        if not tree:
            return None
        times = await self._git.line("log", "--no-walk", "--format=%ct", tip, commit)
        return await self.write_commit(tree, (tip, commit), message, f"@{max(map(int, times.split()))} +0000")

    async def merge_trees(self, one: str, other: str) -> tuple[str, tuple[str, ...]]:
        """The files of both together; or no tree, and the paths that do not fit."""
        said = await self._git.ask("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", one, other)
        if said.code not in (0, 1) and "unrelated histories" not in said.err:
            raise GitFailed("merge-tree", said.err, said.code)
        tree, *paths = said.text.split("\0")
        return (tree.strip(), ()) if said.code == 0 else ("", tuple(dict.fromkeys(filter(None, paths))))

    async def first_parents(self, start: str, tip: str) -> list[list[str]]:
        """Each commit of a branch with its parents, newest first, without what was joined onto it."""
        said = await self._git.line(
            "rev-list", "--first-parent", "--parents", check_commit(tip), f"^{check_commit(start)}"
        )
        return [line.split() for line in said.splitlines()]

    async def contains(self, tip: str, commit: str) -> bool:
        return await self._git.says("merge-base", "--is-ancestor", commit, tip)

    async def difference(self, base: str, commit: str, most: int) -> tuple[str, int]:
        """The beginning of it, and how many bytes more there are."""
        arguments = ("diff-tree", *PLAIN, "-p", check_commit(base), check_commit(commit))
        found, cut = await self._git.cut(*arguments, most=most)
        return found.decode(errors="replace"), cut

    async def messages(self, commit: str, most: int) -> list[str]:
        """Newest first, of the last commits; without merges, and without those that we made. A history that cannot be
        read shows no habit."""
        shown = ("--no-merges", "--no-show-signature", f"--max-count={most}", "--format=%ce%n%B%x00")
        try:
            found, _ = await self._git.cut("log", *shown, check_commit(commit), most=MESSAGES_MOST)
        except GitFailed:
            return []
        told = (each.lstrip("\n").partition("\n") for each in found.decode(errors="replace").split("\0"))
        return [message.strip() for who, _, message in told if message.strip() and who != EMAIL]

    async def tree(self, commit: str) -> str:
        return await tree_of(self.place, check_commit(commit))

    async def _source_at(self, name: str) -> str:
        """Asked of the user's repository itself, which costs less than a fetch that brings nothing."""
        try:
            return await Git(directory=git_dir(self.source)).commit_at(name)
        except GitFailed as problem:
            raise CheckoutFailed(
                f"{self.source} cannot be read as a repository: {problem.said.strip()}",
                next_step="Name a project's folder that git knows.",
            ) from problem

    async def _make(self) -> None:
        """Made under another name first, so that it is there whole or not at all."""
        self.place.parent.mkdir(parents=True, exist_ok=True)
        async with hold_lock(self._lock):
            if self.place.is_dir():
                return
            fresh = self.place.with_suffix(".new")
            remove(fresh)
            shape = await Git(directory=git_dir(self.source)).line("rev-parse", "--show-object-format")
            for folder in _FOLDERS:
                (fresh / folder).mkdir()
                (fresh / folder).chmod(0o755)  # whoever the sandbox runs as reads it
            extensions = "" if shape == "sha1" else f"\tobjectFormat = {shape}\n"
            config = _CONFIG.format(version=1 if extensions else 0, extensions=extensions)
            for file, text in (("config", config), ("HEAD", "ref: refs/heads/none\n")):
                (fresh / file).write_text(text)
                (fresh / file).chmod(0o644)
            fresh.rename(self.place)


def lock_of(place: Path) -> Path:
    """Held by whoever moves a branch of this copy."""
    return place.with_suffix(".lock")


def ref(branch: str) -> str:
    if problem := odd_branch(branch):
        raise CheckoutFailed(f"{branch[:80]!r} is no name for a branch: {problem}", next_step="Take a plainer name.")
    return f"refs/heads/{branch}"


def check_commit(commit: str) -> str:
    if not is_commit(commit):
        raise CheckoutFailed(f"{commit[:80]!r} is no commit's id", next_step="Name a commit by its whole id.")
    return commit


async def _unstuck(place: Path, git: Git, arguments: Sequence[str], stdin: bytes = b"") -> None:
    """Whoever runs this holds the copy's lock, so a lock file of git's that is in the way was left by a kill."""
    for _ in range(ATTEMPTS):
        try:
            await git.run(*arguments, stdin=stdin)
        except GitFailed as problem:
            stale = _STALE.search(problem.said)
            if stale is None or not Path(stale[1]).is_relative_to(place):
                raise
            remove(Path(stale[1]))
        else:
            return
    raise GitFailed(arguments[0], "lock files stay in the way")
