"""Walks over all that is in a folder that somebody hostile fills: no link is followed, and no depth is in the way."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agents.workspace.files.safe_open import open_beneath

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LONGEST = 2_000  # bytes of a path from an open folder: the kernel takes 4,096
_MOST_OPEN = 200  # folders on the way down, one for each such path


class TooDeep(Exception):
    """Folders in folders, for longer than open files last."""


class Entry(NamedTuple):
    folder: int  # open while the entry is looked at
    name: str
    status: os.stat_result


class _Held:
    """An open folder, for as long as somebody wants to go on from there."""

    def __init__(self, descriptor: int, above: "_Held | None" = None) -> None:
        self.descriptor = descriptor
        self.depth: int = above.depth + 1 if above else 0

    def __del__(self) -> None:
        os.close(self.descriptor)


def walk(folder: Path) -> Iterator[Entry]:
    """Every entry once, in any order, folders among them. What goes away meanwhile, or may not be read, is left out."""
    ahead = [(_Held(os.open(folder, FOLDER)), ".")]
    while ahead:
        above, path = ahead.pop()
        try:
            here = _Held(_opened(above.descriptor, path), above)
        except OSError:
            continue
        below = []
        for entry in _entries(here.descriptor):
            yield entry
            if stat.S_ISDIR(entry.status.st_mode):
                below.append(entry.name)
        if len(os.fsencode(path)) < _LONGEST:
            ahead += [(above, f"{path}/{name}") for name in below]
        elif here.depth > _MOST_OPEN:
            raise TooDeep
        else:
            ahead += [(here, name) for name in below]


def _opened(above: int, path: str) -> int:
    """Somebody may have taken from us the right to look into a folder of ours: then it is given back."""
    try:
        return open_beneath(above, path, FOLDER)
    except PermissionError:
        folder = open_beneath(above, path, FOLDER | os.O_PATH)
        try:
            Path(f"/proc/self/fd/{folder}").chmod(0o700)
        finally:
            os.close(folder)
        return open_beneath(above, path, FOLDER)


def _entries(folder: int) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        for entry in found:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield Entry(folder, entry.name, status)
