"""Long texts, each kept as a file in the state folder."""

import asyncio
import os
from pathlib import Path

from agents.workspace.names import file_name

READ_MOST = 5 * 1024 * 1024


class FileArtefacts:
    """Implements agents.ports.Artefacts. What may be shown to whom is the caller's to decide, before it is kept."""

    def __init__(self, home: Path) -> None:
        self._place = home / "artefacts"

    async def keep(self, name: str, text: str) -> str:
        safe = file_name(name)
        await asyncio.to_thread(self._write, safe, text.encode(errors="replace"))
        return safe

    async def names(self, prefix: str) -> list[str]:
        """What is kept under names that begin so."""
        return await asyncio.to_thread(self._names, file_name(prefix))

    async def read(self, name: str) -> str | None:
        return await asyncio.to_thread(self._read, file_name(name))

    def _write(self, name: str, content: bytes) -> None:
        """Under another name first: it is there whole or not at all."""
        self._place.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._place / f".{os.urandom(8).hex()}"
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.rename(self._place / name)
        finally:
            fresh.unlink(missing_ok=True)

    def _names(self, prefix: str) -> list[str]:
        if not self._place.is_dir():
            return []
        return sorted(path.name for path in self._place.iterdir() if path.name.startswith(prefix))

    def _read(self, name: str) -> str | None:
        path = self._place / name
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                text = file.read(READ_MOST).decode(errors="replace")
        except FileNotFoundError:
            return None
        return f"{text}\n… ({size - READ_MOST:,} more bytes)" if size > READ_MOST else text
