"""Reads commits, trees and blobs straight from git's store: no attribute, filter or line-end setting has a say."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.domain.checks.evaluation import Change
from agents.domain.context.listing import Listing
from agents.ports import Checkout
from agents.workspace.git.git import GitFailed, git, is_commit

PLAIN = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short")
LINK, MODULE = "120000", "160000"
FILES_MOST = 200_000  # in a listing
SKILLS_MOST, SKILL_LARGEST = 200, 256 * 1024
_ABSENT = "000000"
_AT_ONCE = 16 << 20  # bytes of blobs in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    path: str
    mode: str
    blob: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """One path of a diff, with what each side has there."""

    change: Change
    before: Entry | None
    after: Entry | None


async def changes(repository: Path, base: str, commit: str, *, errors: str = "surrogateescape") -> list[Change]:
    """What differs between two commits. `errors`: how names are read that are no text."""
    said = await git(repository, "diff-tree", *PLAIN, "-z", "--raw", "--numstat", "--no-abbrev", base, commit)
    # `:mode mode id id S`, path, … and then `added TAB removed TAB path` of each
    raw, counts = dict[str, list[str]](), dict[str, tuple[int, int]]()
    ahead = iter(said.decode(errors=errors).split("\0")[:-1])
    for each in ahead:
        if each.startswith(":"):
            raw[next(ahead)] = each.split(" ")
        else:
            added, removed, path = each.split("\t", 2)
            counts[path] = (_count(added), _count(removed))
    found = []
    for path, (_, mode, _, _, status) in raw.items():
        added_lines, removed_lines = counts.get(path, (0, 0))
        kept = "" if mode == _ABSENT else mode
        found.append(Change(path=path, status=status[:1], added=added_lines, removed=removed_lines, mode=kept))
    return found


def _count(written: str) -> int:
    return int(written) if written.isdigit() else 0  # a dash: binary


async def tree_of(repository: Path, commit: str) -> str:
    return (await git(repository, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")).decode().strip()


async def entries(repository: Path, commit: str) -> dict[str, Entry]:
    """All files of a commit, by path."""
    listed = await git(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    return {entry.path: entry for entry in _entries(listed)}


def _entries(listed: bytes) -> Iterator[Entry]:
    """`mode kind id size TAB path` of each; what is no file has a dash for its size."""
    for line in listed.decode(errors="surrogateescape").split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, _, blob, size = about.split()
        yield Entry(path=path, mode=mode, blob=blob, size=_count(size))


async def blobs(repository: Path, wanted: Sequence[Entry]) -> dict[str, bytes]:
    """Contents by path."""
    return {entry.path: content async for some in batches(repository, wanted) for entry, content in some}


async def batches(repository: Path, wanted: Sequence[Entry]) -> AsyncIterator[list[tuple[Entry, bytes]]]:
    """Contents, some at a time, so that a large repository does not fill the memory."""
    for some in _batches(wanted):
        found = []
        asked = "".join(f"{entry.blob}\n" for entry in some)
        said = memoryview(await git(repository, "cat-file", "--batch", stdin=asked.encode()))
        for entry in some:
            line, _, _ = bytes(said[:256]).partition(b"\n")
            head, said = line.decode(errors="replace"), said[len(line) + 1 :]
            name, kind, size = (*head.split(), "", "", "")[:3]
            if kind != "blob" or name != entry.blob:
                raise GitFailed("read a file", f"{entry.path}: {head}")
            found.append((entry, bytes(said[: int(size)])))
            said = said[int(size) + 1 :]
        yield found


def _batches(wanted: Sequence[Entry]) -> Iterator[list[Entry]]:
    some, size = list[Entry](), 0
    for entry in wanted:
        if some and size + entry.size > _AT_ONCE:
            yield some
            some, size = [], 0
        some.append(entry)
        size += entry.size
    if some:
        yield some


async def between(repository: Path, base: str, commit: str, most: int) -> list[str]:
    """The branch's earlier commits, newest first, one more than `most` if there are more."""
    said = await git(repository, "rev-list", f"--max-count={most + 2}", f"{base}..{commit}")
    return said.decode().split()[1:]


async def patch(repository: Path, base: str, commit: str) -> str:
    """Every changed line, of files that call themselves binary too."""
    options = (*PLAIN, "-p", "--text", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/")
    said = await git(repository, "-c", "core.quotePath=true", "diff-tree", *options, base, commit)
    return said.decode(errors="replace")


async def listing(repository: Path, commit: str) -> Listing:
    """Names and blob ids of a commit's files, without reading any. Raises GitFailed."""
    if not is_commit(commit):
        raise GitFailed("list the files", f"{commit!r} is not a commit's full id")
    said = await git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    return await asyncio.to_thread(_listing, said)


async def of_checkout(checkout: Checkout, commit: str) -> Listing:
    """Asked of the repository, for the worktree is a minion's."""
    return await listing(checkout.workspace.git or checkout.workspace.path, commit)


def _listing(said: bytes) -> Listing:
    """Links and submodules are not files; names that nobody could read are counted and not listed."""
    lines = said.split(b"\0", FILES_MOST)
    rest = lines.pop() if lines else b""
    files, odd = dict[str, str](), 0
    for line in lines:
        about, _, name = line.decode(errors="surrogateescape").partition("\t")
        if not about.startswith(("100644", "100755")):
            continue
        if name.isprintable():
            files[name] = about.rpartition(" ")[2]
        else:
            odd += 1
    return Listing(files=files, more=rest.count(b"\0") + odd)


async def committed_files(repository: Path, folder: str, commit: str = "HEAD") -> dict[str, bytes]:
    """Plain files right in one folder, as skills are. For one that is too large, as many blanks as are too many."""
    try:
        said = await git(repository, "ls-tree", "-l", "-z", "--full-tree", commit, "--", f"{folder.strip('/')}/")
    except GitFailed:
        return {}  # nothing is committed yet, or it is no repository
    found = dict[str, bytes]()
    for entry in list(_entries(said))[:SKILLS_MOST]:
        if entry.mode.startswith("100") and entry.path.isprintable():
            large = entry.size > SKILL_LARGEST
            content = b" " * (SKILL_LARGEST + 1) if large else await git(repository, "cat-file", "blob", entry.blob)
            found[entry.path] = content
    return found


async def files_beneath(repository: Path, folder: str, commit: str, most: int, largest: int) -> dict[str, bytes | None]:
    """Files at any depth of a folder. None: it is a link or a submodule. For one that is too large: blanks."""
    said = await git(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", f"{folder.strip('/')}/")
    entries = [entry for entry in _entries(said) if entry.path.isprintable()][:most]
    plain = [entry for entry in entries if entry.mode.startswith("100")]
    read = await blobs(repository, [entry for entry in plain if entry.size <= largest])
    large = {entry.path: b" " * (largest + 1) for entry in plain if entry.size > largest}
    return {entry.path: large.get(entry.path, read.get(entry.path)) for entry in entries}


async def named_files(repository: Path, paths: Sequence[str], commit: str = "HEAD") -> dict[str, bytes]:
    """Plain files of these names, without those that are large."""
    try:
        said = await git(repository, "ls-tree", "-l", "-z", "--full-tree", commit, "--", *paths)
        plain = [each for each in _entries(said) if each.mode.startswith("100") and each.size <= SKILL_LARGEST]
        return await blobs(repository, plain)
    except GitFailed:
        return {}
