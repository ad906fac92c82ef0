"""Token counts by git blob id, kept in one file: what was counted once is not counted again."""

import hashlib
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST = 400_000  # lines; then it begins anew
_LINE = re.compile(r"([0-9a-f]{40}) ([0-9]{1,9})")


class Counts:
    """`path` is in the state folder; None keeps them in memory alone. A line that a crash tore is passed over."""

    def __init__(self, count: Callable[[str], int], path: Path | None = None) -> None:
        self._count = count
        self._path = path
        self._lock = threading.Lock()
        self._known = _read(path) if path else dict[str, int]()

    def __call__(self, text: str) -> int:
        return self._count(text)

    def of_blob(self, blob: str, text: str) -> int:
        """Of a file's text as it is packed; `blob` names what the file holds."""
        known = self._known.get(blob)
        if known is None:
            known = self._count(text)
            self._keep(blob, known)
        return known

    def _keep(self, blob: str, tokens: int) -> None:
        with self._lock:
            self._known[blob] = tokens
            if self._path is None:
                return
            with suppress(OSError):  # a full disk costs time, not work
                _append(self._path, f"{blob} {tokens}\n".encode())


def _append(path: Path, line: bytes) -> None:
    """One short write: two processes do not mix their lines."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def blob_id(content: bytes, digest: str = "sha1") -> str:
    """As git names it."""
    return hashlib.new(digest, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _read(path: Path) -> dict[str, int]:
    try:
        said = path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return {}
    if said.count("\n") > MOST:
        path.unlink(missing_ok=True)
        return {}
    return {blob: int(tokens) for blob, tokens in _LINE.findall(said)}
