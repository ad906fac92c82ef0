"""Fresh folders with the files of one commit, for one command each; removed afterwards, following no link."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.files.removal import remove
from agents.workspace.gates.objects import LINK, MODULE, batches
from agents.workspace.git.diffs import Entry

_NEVER = ("", ".", "..")
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotLaidOut(OverlordError):
    """A commit whose files cannot be put into a folder."""


class CleanCheckout:
    """Makes the folders beneath one folder of the state's own. Their names say whose they are."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @asynccontextmanager
    async def write_tree(self, repository: Path, wanted: Sequence[Entry]) -> AsyncIterator[Path]:
        """These files, and nothing else."""
        self._home.mkdir(parents=True, exist_ok=True)
        folder = self._home / f"{os.getpid()}-{os.urandom(6).hex()}"
        folder.mkdir(mode=0o755)
        try:
            await _lay_out(repository, folder, wanted)
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(remove, folder))

    async def sweep(self) -> int:
        """Remove what dead processes left; how many folders that were."""
        left = await asyncio.to_thread(self._left)
        for folder in left:
            await asyncio.to_thread(remove, folder)
        return len(left)

    def _left(self) -> list[Path]:
        found = self._home.glob("*-*")
        return [folder for folder in found if not Path("/proc", folder.name.partition("-")[0]).exists()]


async def _lay_out(repository: Path, folder: Path, wanted: Sequence[Entry]) -> None:
    """Links come last: while files are written there is none that could lead elsewhere."""
    for entry in wanted:
        _plain_path(entry.path)
    files = [entry for entry in wanted if entry.mode not in (LINK, MODULE)]
    links = [entry for entry in wanted if entry.mode == LINK]
    try:
        for kind, write in ((files, _file), (links, _link)):
            async for some in batches(repository, kind):
                await asyncio.to_thread(_written, folder, some, write)
    except OSError as problem:
        raise NotLaidOut(
            f"the files of the commit cannot be laid out: {problem.strerror}", next_step="Look at the project's tree."
        ) from problem


def _plain_path(path: str) -> None:
    parts = path.split("/")
    if any(part in _NEVER or part.casefold() == ".git" for part in parts):
        raise NotLaidOut(f"the commit has a path that may not be: {path!r}", next_step="Look at the project's tree.")


def _written(folder: Path, some: Sequence[tuple[Entry, bytes]], write: Callable[[str, Entry, bytes], None]) -> None:
    """By plain names: a Path for each of some thousand files takes longer than writing them."""
    made = set[str]()
    for entry, content in some:
        path = f"{folder}/{entry.path}"
        above = path.rpartition("/")[0]
        if above not in made:
            Path(above).mkdir(parents=True, exist_ok=True)
            made.add(above)
        write(path, entry, content)


def _file(path: str, entry: Entry, content: bytes) -> None:
    file = os.open(path, _FRESH, 0o755 if entry.mode == "100755" else 0o644)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
    finally:
        os.close(file)


def _link(path: str, entry: Entry, content: bytes) -> None:
    Path(path).symlink_to(os.fsdecode(content))
