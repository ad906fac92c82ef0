"""Reads commits, trees and blobs straight from git's store: no attribute, filter or line-end setting has a say."""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from agents.workspace.git import diffs
from agents.workspace.git.diffs import Differing, Entry
from agents.workspace.git.git import Git, GitFailed, git, git_dir

LINK, MODULE = "120000", "160000"
_AT_ONCE = 16 << 20  # bytes of blobs in memory


async def tree_of(repository: Path, commit: str) -> str:
    return (await git(repository, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")).decode().strip()


async def entries(repository: Path, commit: str) -> tuple[Entry, ...]:
    listed = await git(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    found = []
    for line in _records(listed):
        about, _, path = line.partition("\t")
        mode, _, blob, size = about.split()
        found.append(Entry(path=path, mode=mode, blob=blob, size=int(size) if size.isdigit() else 0))
    return tuple(found)


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
            head, said = _line(said)
            name, kind, size = (*head.split(), "", "", "")[:3]
            if kind != "blob" or name != entry.blob:
                raise GitFailed("read a file", f"{entry.path}: {head}")
            found.append((entry, bytes(said[: int(size)])))
            said = said[int(size) + 1 :]
        yield found


async def differing(repository: Path, base: str, commit: str) -> tuple[Differing, ...]:
    return await diffs.differing(Git(directory=git_dir(repository)), base, commit)


async def between(repository: Path, base: str, commit: str, most: int) -> list[str]:
    """The branch's earlier commits, newest first, one more than `most` if there are more."""
    said = await git(repository, "rev-list", f"--max-count={most + 2}", f"{base}..{commit}")
    return said.decode().split()[1:]


async def patch(repository: Path, base: str, commit: str) -> str:
    """Every changed line, of files that call themselves binary too."""
    options = (*diffs.PLAIN, "-p", "--text", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/")
    said = await git(repository, "-c", "core.quotePath=true", "diff-tree", *options, base, commit)
    return said.decode(errors="replace")


def _records(said: bytes) -> Iterator[str]:
    return (part.decode(errors="surrogateescape") for part in said.split(b"\0") if part)


def _line(said: memoryview) -> tuple[str, memoryview]:
    head, _, _ = bytes(said[:256]).partition(b"\n")
    return head.decode(errors="replace"), said[len(head) + 1 :]


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
