"""Long texts, each kept as a file in the state folder; those of a task in a folder of its own."""

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agents.domain.text.redact import Redact

LONGEST = 150
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
READ_MOST = 40 * 1024 * 1024
_OF_TASK = re.compile(r"(T-\d+)[.-]")
_IN_FOLDERS = ".in-folders"  # says that no task's text lies outside its folder, as all did once


def file_name(name: str) -> str:
    """A plain name stays as it is; another is made plain and gets a mark of what it was."""
    if _PLAIN.fullmatch(name) and len(name) <= LONGEST and not name.endswith("."):
        return name
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:12]
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("._-")[: LONGEST - len(mark) - 1]
    return f"{plain}-{mark}" if plain else mark


class FileArtefacts:
    """Implements agents.ports.Artefacts. `redact` is applied before a text is kept."""

    def __init__(self, home: Path, redact: Redact = str) -> None:
        self._place = home / "artefacts"
        self._redact = redact

    async def keep(self, name: str, text: str) -> str:
        safe = file_name(name)
        await asyncio.to_thread(self._write, safe, text)
        return safe

    async def names(self, task: str) -> list[str]:
        """What is kept of a task."""
        return await asyncio.to_thread(self._names, file_name(task))

    async def read(self, name: str) -> str | None:
        return await asyncio.to_thread(self._read, file_name(name))

    async def move_old(self) -> int:
        """Bring what an older version kept in one folder to where it belongs. Returns how many there were."""
        return await asyncio.to_thread(self._move_old)

    def _write(self, name: str, text: str) -> None:
        """Under another name first: it is there whole or not at all."""
        content = self._redact(text).encode(errors="replace")
        if not self._place.is_dir():
            self._place.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self._place / _IN_FOLDERS).touch()
        path = self._path(name)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        fresh = self._place / f".{os.urandom(8).hex()}"
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.rename(path)
        finally:
            fresh.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        found = _OF_TASK.match(name)
        return self._place / found[1] / name if found else self._place / name

    def _names(self, task: str) -> list[str]:
        old = () if (self._place / _IN_FOLDERS).exists() else self._old()
        mine = {name for name in old if self._path(name).parent.name == task}
        with suppress(FileNotFoundError, NotADirectoryError):
            mine.update(path.name for path in (self._place / task).iterdir())
        return sorted(mine)

    def _old(self) -> Iterator[str]:
        """Texts of tasks that lie outside of their folders."""
        with suppress(FileNotFoundError), os.scandir(self._place) as entries:
            yield from (entry.name for entry in entries if entry.is_file() and _OF_TASK.match(entry.name))

    def _move_old(self) -> int:
        if not self._place.is_dir() or (self._place / _IN_FOLDERS).exists():
            return 0
        found = list(self._old())
        for name in found:
            path = self._path(name)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            with suppress(FileNotFoundError):  # another process was quicker
                if not path.exists():  # kept anew meanwhile
                    (self._place / name).rename(path)
        (self._place / _IN_FOLDERS).touch()
        return len(found)

    def _read(self, name: str) -> str | None:
        for path in (self._path(name), self._place / name):
            with suppress(FileNotFoundError, IsADirectoryError), path.open("rb") as file:
                more = os.fstat(file.fileno()).st_size - READ_MOST
                text = file.read(READ_MOST).decode(errors="replace")
                return f"{text}\n… ({more:,} more bytes)" if more > 0 else text
        return None
