"""Lays out the files of a commit in a fresh folder, and nothing else."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.files.untrusted import remove
from agents.workspace.git.objects import LINK, MODULE, Entry, batches

NO_TEXTS: Mapping[str, bytes] = {}
_NEVER = ("", ".", "..")
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotLaidOut(OverlordError):
    """A commit whose files cannot be put into a folder."""


class CleanCheckout:
    """Makes the folders beneath one folder of the state's own. Their names say whose they are."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @asynccontextmanager
    async def write_tree(
        self, repository: Path, wanted: Sequence[Entry], texts: Mapping[str, bytes] = NO_TEXTS
    ) -> AsyncIterator[Path]:
        """These files, and nothing else. `texts`: some that are in no commit."""
        self._home.mkdir(parents=True, exist_ok=True)
        folder = self._home / f"{os.getpid()}-{os.urandom(6).hex()}"
        folder.mkdir(mode=0o755)
        try:
            await lay_out(repository, folder, wanted)
            await asyncio.to_thread(_write_texts, folder, texts)
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(remove, folder))

    async def sweep(self) -> int:
        """Remove what dead processes left; how many folders that were."""
        return await asyncio.to_thread(self._sweep)

    def _sweep(self) -> int:
        folders = list(self._home.glob("*-*"))
        left = [folder for folder in folders if not Path("/proc", folder.name.partition("-")[0]).exists()]
        for folder in left:
            remove(folder)
        return len(left)


async def lay_out(repository: Path, folder: Path, wanted: Sequence[Entry]) -> None:
    """Links come last: while files are written there is none that could lead elsewhere."""
    for path in (entry.path for entry in wanted):
        if any(part in _NEVER or part.casefold() == ".git" for part in path.split("/")):
            what = f"the commit has a path that may not be: {path!r}"
            raise NotLaidOut(what, next_step="Look at the project's tree.")
    files = [entry for entry in wanted if entry.mode not in (LINK, MODULE)]
    links = [entry for entry in wanted if entry.mode == LINK]
    try:
        for kind in (files, links):
            async for some in batches(repository, kind):
                await asyncio.to_thread(_write, folder, some)
    except OSError as problem:
        raise NotLaidOut(
            f"the files of the commit cannot be laid out: {problem.strerror}", next_step="Look at the project's tree."
        ) from problem


def _write_texts(folder: Path, texts: Mapping[str, bytes]) -> None:
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)


def _write(folder: Path, some: Sequence[tuple[Entry, bytes]]) -> None:
    """By plain names: a Path for each of some thousand files takes longer than writing them."""
    made = set[str]()
    for entry, content in some:
        path = f"{folder}/{entry.path}"
        above = path.rpartition("/")[0]
        if above not in made:
            Path(above).mkdir(parents=True, exist_ok=True)
            made.add(above)
        if entry.mode == LINK:
            Path(path).symlink_to(os.fsdecode(content))
        else:
            mode = 0o755 if entry.mode == "100755" else 0o644
            with os.fdopen(os.open(path, _FRESH, mode), "wb") as file:
                file.write(content)
