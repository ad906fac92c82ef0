"""The states that a person's repository may be in, and what is said of each: before a model is asked, and by doctor."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from agents.workspace.git.git import Git, GitFailed, git_dir

TRUNKS = ("main", "master", "trunk")
LEAST_ROOM = 100 << 20  # bytes that must be free where work is done
_NAMED = 3  # paths in one sentence
_SUBMODULE = "160000"


class RepositoryState(StrEnum):
    NO_FOLDER = "no folder"
    NO_REPOSITORY = "no repository"
    DAMAGED = "damaged"
    NO_COMMIT = "no commit"
    NO_BRANCH = "detached, without a branch"
    DISK_FULL = "full disk"
    UNBORN = "unborn HEAD"
    DETACHED = "detached HEAD"
    OTHER_BRANCH = "another default branch"
    SHALLOW = "shallow clone"
    SUBMODULES = "submodules"
    LFS = "LFS"
    CRLF = "CRLF"
    CASE_COLLISION = "case collision"
    DIRTY = "dirty checkout"


S = RepositoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a state means for work, and what to do about it. `{}` is what was seen."""

    what: str
    step: str
    blocks: bool = False  # nothing is planned before it is mended


ANSWERS: dict[RepositoryState, Answer] = {
    S.NO_FOLDER: Answer(what="There is no folder {}", step="Clone it there, or correct its path.", blocks=True),
    S.NO_REPOSITORY: Answer(
        what="{} is no git repository", step="Run `git init` there and commit what is in it.", blocks=True
    ),
    S.DAMAGED: Answer(
        what="git cannot read the repository {}", step="Run `git fsck` there, or clone it anew.", blocks=True
    ),
    S.NO_COMMIT: Answer(what="{} has no commit yet", step="Commit something there, if only a README.", blocks=True),
    S.NO_BRANCH: Answer(
        what="{} is on no branch, and has none of the names main, master and trunk",
        step="Check a branch out there, such as main.",
        blocks=True,
    ),
    S.DISK_FULL: Answer(
        what="Only {} are free where work is done", step="Make room, or move OVERLORD_HOME.", blocks=True
    ),
    S.UNBORN: Answer(
        what="HEAD is on a branch without a commit, so work is for {}", step="Check out the branch you mean."
    ),
    S.DETACHED: Answer(
        what="HEAD is detached, so work starts from and is merged into {}", step="Check out the branch you mean."
    ),
    S.OTHER_BRANCH: Answer(what="Work is merged into {}, the branch that is checked out", step="Check out another."),
    S.SHALLOW: Answer(
        what="It is a shallow clone: history before {} is not seen", step="`git fetch --unshallow` brings the rest."
    ),
    S.SUBMODULES: Answer(
        what="Files of submodules are not there for minions and checks: {}",
        step="Ask for work on them where they live.",
    ),
    S.LFS: Answer(
        what="Files in Git LFS are pointers for minions and checks ({})", step="Keep what tests need out of LFS."
    ),
    S.CRLF: Answer(
        what="Lines end with CRLF in {}; they stay as they are",
        step="`* text=auto` in .gitattributes makes them alike.",
    ),
    S.CASE_COLLISION: Answer(
        what="Names that differ in capitals alone: {}", step="Rename one; on some disks they are one file."
    ),
    S.DIRTY: Answer(
        what="{} not committed: minions work without them, and a merge is refused only if it would touch them",
        step="Commit or stash what the work should know.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    state: RepositoryState
    seen: str

    @property
    def blocks(self) -> bool:
        return ANSWERS[self.state].blocks

    @property
    def what(self) -> str:
        return ANSWERS[self.state].what.format(self.seen)

    @property
    def step(self) -> str:
        return ANSWERS[self.state].step


async def find_obstacle(folder: Path, home: Path | None = None) -> Finding | None:
    """What keeps all work on it from being begun. Quick: a request waits for it."""
    if found := _on_disk(folder, home):
        return found
    try:
        return await _without_branch(folder, Git(directory=git_dir(folder)))
    except GitFailed:
        return Finding(state=S.DAMAGED, seen=str(folder))


def _on_disk(folder: Path, home: Path | None) -> Finding | None:
    if not folder.is_dir():
        return Finding(state=S.NO_FOLDER, seen=str(folder))
    inside = git_dir(folder)
    if not (inside.is_file() or (inside / "HEAD").is_file()):
        return Finding(state=S.NO_REPOSITORY, seen=str(folder))
    if home and (free := free_at(home)) < LEAST_ROOM:
        return Finding(state=S.DISK_FULL, seen=f"{free >> 20} MB")
    return None


def free_at(place: Path) -> int:
    """Bytes, on the disk of the nearest folder that is there."""
    return shutil.disk_usage(next(each for each in (place, *place.parents) if each.exists())).free


async def _without_branch(folder: Path, git: Git) -> Finding | None:
    branches = (await git.line("for-each-ref", "--format=%(refname:short)", "refs/heads")).split()
    head, named = await git.commit_at("HEAD"), await git.ask("rev-parse", "--quiet", "--verify", "HEAD")
    if not head and named.code == 0:
        return Finding(state=S.DAMAGED, seen=str(folder))
    if not head and not branches:
        return Finding(state=S.NO_COMMIT, seen=str(folder))
    if head:
        await git.line("cat-file", "-t", f"{head}^{{tree}}")  # it may be gone
    if await _branch(git, branches) == "":
        return Finding(state=S.NO_BRANCH, seen=str(folder))
    return None


async def _branch(git: Git, branches: Sequence[str]) -> str:
    """That work is merged into."""
    said = await git.ask("symbolic-ref", "--quiet", "--short", "HEAD")
    current = said.out.decode(errors="replace").strip() if said.code == 0 else ""
    return next((name for name in (current, *TRUNKS) if name in branches), "")


async def find_states(folder: Path, home: Path | None = None) -> list[Finding]:
    """All that there is to say of a repository, for doctor and init."""
    if obstacle := await find_obstacle(folder, home):
        return [obstacle]
    git = Git(directory=git_dir(folder), files=folder if (folder / ".git").exists() else None)
    try:
        return [*await _of_head(git), *await _of_tree(git), *await _of_checkout(git)]
    except GitFailed:
        return [Finding(state=S.DAMAGED, seen=str(folder))]


async def _of_head(git: Git) -> list[Finding]:
    branches = (await git.line("for-each-ref", "--format=%(refname:short)", "refs/heads")).split()
    into = await _branch(git, branches)
    found = []
    if (await git.ask("symbolic-ref", "--quiet", "HEAD")).code != 0:
        found.append(Finding(state=S.DETACHED, seen=into))
    elif not await git.commit_at("HEAD"):
        found.append(Finding(state=S.UNBORN, seen=into))
    elif into not in TRUNKS:
        found.append(Finding(state=S.OTHER_BRANCH, seen=into))
    if await git.line("rev-parse", "--is-shallow-repository") == "true":
        count = await git.line("rev-list", "--count", into)
        found.append(Finding(state=S.SHALLOW, seen=f"its last {count} commit{'s' if count != '1' else ''}"))
    return found


async def _of_tree(git: Git) -> list[Finding]:
    branches = (await git.line("for-each-ref", "--format=%(refname:short)", "refs/heads")).split()
    into = await _branch(git, branches)
    listed = (await git.run("ls-tree", "-r", "-z", into)).decode(errors="replace").split("\0")
    entries = [(entry.split()[0], path) for entry, _, path in (line.partition("\t") for line in listed if line)]
    paths = [path for _, path in entries]
    found = []
    if modules := [path for mode, path in entries if mode == _SUBMODULE]:
        found.append(Finding(state=S.SUBMODULES, seen=_some(modules)))
    if any(path.rpartition("/")[2] == ".gitattributes" for path in paths):
        lfs = await git.ask("grep", "-h", "-e", "filter=lfs", into, "--", "*.gitattributes", ".gitattributes")
        patterns = [line.split()[0] for line in lfs.out.decode(errors="replace").splitlines() if line.split()]
        if lfs.code == 0 and patterns:
            found.append(Finding(state=S.LFS, seen=_some(patterns)))
    if twins := list(_twins(paths)):
        found.append(Finding(state=S.CASE_COLLISION, seen=_some(twins)))
    return found


async def _of_checkout(git: Git) -> list[Finding]:
    if git.files is None:
        return []
    found = []
    ends = (await git.run("ls-files", "--eol", "-z")).decode(errors="replace").split("\0")
    if crlf := [line.partition("\t")[2] for line in ends if line.startswith(("i/crlf", "i/mixed"))]:
        found.append(Finding(state=S.CRLF, seen=_some(crlf)))
    said = (await git.run("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames")).decode(
        errors="replace"
    )
    if dirty := [line[3:] for line in said.split("\0") if line]:
        found.append(Finding(state=S.DIRTY, seen=f"{_some(dirty)} {'is' if len(dirty) == 1 else 'are'}"))
    return found


def _twins(paths: Iterable[str]) -> Iterator[str]:
    folded = Counter(path.casefold() for path in paths)
    yield from (path for path in paths if folded[path.casefold()] > 1)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
