"""Walks over, hands over and removes folders that somebody hostile filled. No link is ever followed."""

import errno
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from agents.workspace.files.safe_open import open_beneath

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LONGEST = 2_000  # bytes of a path from an open folder: the kernel takes 4,096
_MOST_OPEN = 200  # folders on the way down, one for each such path
_DEEPEST = 100  # folders in folders that are emptied where they are

Doomed = Callable[[os.stat_result], bool]


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
        _give_back_rights(open_beneath(above, path, FOLDER | os.O_PATH))
        return open_beneath(above, path, FOLDER)


def _give_back_rights(folder: int) -> None:
    with _closing(folder):
        Path(f"/proc/self/fd/{folder}").chmod(0o700)


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _entries(folder: int) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        for entry in found:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield Entry(folder, entry.name, status)


def hand_over(folder: Path, user: int) -> None:
    """The folder itself comes last, so that a hand-over that was cut short is seen and done again."""
    if folder.stat().st_uid == user:
        return
    for entry in walk(folder):
        # not what has a second name: that may be somebody's outside; not what git keeps: the host writes it
        shared = entry.status.st_nlink > 1 and not stat.S_ISDIR(entry.status.st_mode)
        if entry.name != ".git" and not shared and entry.status.st_uid != user:
            os.chown(entry.name, user, user, dir_fd=entry.folder, follow_symlinks=False)
    os.chown(folder, user, user, follow_symlinks=False)


def remove(path: Path) -> None:
    """Gone, with all that is in it; what its links point to stays. It may be gone already."""
    try:
        above = os.open(path.parent, FOLDER)
    except FileNotFoundError:
        return
    with _closing(above):
        root = _open_or_remove(path.name, above)
        if root is None:
            return
        with _closing(root):
            _prune(root, None)
        with suppress(FileNotFoundError):
            os.rmdir(path.name, dir_fd=above)


def prune(path: Path, doomed: Doomed) -> None:
    """Remove what is doomed by its record, in whatever folder; a folder only if nothing is left in it."""
    with _closing(os.open(path, FOLDER)) as root:
        _prune(root, doomed)


def _prune(root: int, doomed: Doomed | None) -> None:
    """Again, if something was moved up meanwhile."""
    numbers, moved = itertools.count(1), 0
    while True:
        _empty(root, root, 0, numbers, doomed)
        if (number := next(numbers)) == moved + 1:
            return
        moved = number


def _empty(folder: int, root: int, depth: int, numbers: Iterator[int], doomed: Doomed | None) -> None:
    """What lies too deep is moved up to the root, to be removed from there: neither depth nor open files run out."""
    for name, goes in _folders_left(folder, doomed):
        if depth == _DEEPEST:
            _move_up(name, folder, root, numbers)
            continue
        below = _open_or_remove(name, folder)
        if below is None:
            continue
        with _closing(below):
            _empty(below, root, depth + 1, numbers, doomed)
        try:
            if goes:
                os.rmdir(name, dir_fd=folder)
        except OSError as problem:
            if problem.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise


def _move_up(name: str, folder: int, root: int, numbers: Iterator[int]) -> None:
    """Under a name that is free. Moving a folder needs the right to write to it."""
    _allow(name, folder)
    for number in numbers:
        try:
            os.rename(name, f".gone-{number}", src_dir_fd=folder, dst_dir_fd=root)
        except OSError as problem:
            if problem.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
        else:
            return


def _folders_left(folder: int, doomed: Doomed | None) -> list[tuple[str, bool]]:
    """Remove what is doomed (None: everything) but for the folders, and name those, each with whether it is doomed."""
    left = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            with suppress(FileNotFoundError):
                goes = doomed is None or doomed(entry.stat(follow_symlinks=False))
                if entry.is_dir(follow_symlinks=False):
                    left.append((entry.name, goes))
                elif goes:
                    os.unlink(entry.name, dir_fd=folder)
    return left


def _open_or_remove(name: str, above: int) -> int | None:
    """A folder that may be emptied; None if there is none. What stands there and is no folder is removed."""
    try:
        _allow(name, above)
        return os.open(name, FOLDER, dir_fd=above)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        os.unlink(name, dir_fd=above)
        return None


def _allow(name: str, above: int) -> None:
    """Give back to ourselves the rights that somebody took from a folder of ours."""
    status = os.stat(name, dir_fd=above, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(name)
    if status.st_mode & 0o700 == 0o700 or os.geteuid() == 0:
        return
    if sys.platform != "linux":
        os.chmod(name, 0o700, dir_fd=above, follow_symlinks=False)
        return
    _give_back_rights(os.open(name, FOLDER | os.O_PATH, dir_fd=above))
