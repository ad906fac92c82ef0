"""Opens files beneath a folder that somebody hostile writes to: no link is followed, only plain files are read."""

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from agents.domain.checks.scope import odd_path
from agents.domain.errors import OverlordError

_OPENAT2 = 437  # the same number on every Linux
_BENEATH, _NO_SYMLINKS, _NO_MAGICLINKS = 0x08, 0x04, 0x02
_PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
LARGEST = 5 * 1024 * 1024
MANY = 100_000  # names in one folder


class NotThere(OverlordError):
    """The path is not one that may be opened."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r} cannot be opened: {why}", next_step="Use a plain file inside the workspace.")


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class Tree:
    """A folder held open, so that it stays the same one whatever happens to its name."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._root)

    def read(self, path: str, most: int = LARGEST) -> bytes:
        """A plain file with one name. A hard link may be to something outside, so it is refused."""
        with self._opened(path, os.O_RDONLY) as file:
            size = _checked(path, file).st_size
            if size > most:
                raise NotThere(path, f"it has {size:,} bytes, more than {most:,}")
            with os.fdopen(file, "rb", closefd=False) as stream:
                return stream.read(most)

    def write(self, path: str, content: bytes, *, runnable: bool | None = None) -> None:
        """Whole or not at all: written beside it under a name of its own, then put in its place. `runnable`: as it was,
        where nothing is said."""
        folder, _, name = path.rpartition("/")
        self.make_folders(folder)
        with self._opened(folder or ".", os.O_RDONLY | os.O_DIRECTORY) as place:
            mode = self._mode_of(path) if runnable is None else 0o755 if runnable else 0o644
            fresh = f".overlord-{os.getpid()}-{os.urandom(6).hex()}"
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600, dir_fd=place)
            try:
                with os.fdopen(file, "wb", closefd=False) as stream:
                    stream.write(content)
                os.fchmod(file, mode)
                _give_to_owner_of(place, file)
                os.rename(fresh, name, src_dir_fd=place, dst_dir_fd=place)
            except OSError as problem:
                os.unlink(fresh, dir_fd=place)
                raise NotThere(path, problem.strerror or str(problem)) from problem
            finally:
                os.close(file)

    def write_link(self, path: str, target: bytes) -> None:
        """In place of what is there, if that is a file or a link."""
        folder, _, name = path.rpartition("/")
        self.make_folders(folder)
        with self._opened(folder or ".", os.O_RDONLY | os.O_DIRECTORY) as place:
            fresh = f".overlord-{os.getpid()}-{os.urandom(6).hex()}"
            os.symlink(target, os.fsencode(fresh), dir_fd=place)
            os.rename(fresh, name, src_dir_fd=place, dst_dir_fd=place)

    def remove(self, path: str) -> None:
        """A file or a link, never what a link points to; an empty folder above it goes too."""
        folder, _, name = path.rpartition("/")
        if problem := odd_path(path):
            raise NotThere(path, problem)
        with self._opened(folder or ".", os.O_RDONLY | os.O_DIRECTORY) as place:
            os.unlink(name, dir_fd=place)
        while folder:
            above, _, name = folder.rpartition("/")
            with self._opened(above or ".", os.O_RDONLY | os.O_DIRECTORY) as place:
                try:
                    os.rmdir(name, dir_fd=place)
                except OSError:
                    return  # something else is in it
            folder = above

    def names(self, path: str, most: int = MANY) -> list[tuple[str, str]]:
        """What is in a folder, or so much of it: names, each with "file", "folder", "link" or "other"."""
        with self._opened(path or ".", os.O_RDONLY | os.O_DIRECTORY) as folder, os.scandir(folder) as entries:
            return sorted((entry.name, _kind(entry)) for entry in islice(entries, most))

    def link(self, path: str) -> str | None:
        """Where a link points to; None if the path is no link."""
        folder, _, name = path.rpartition("/")
        if problem := odd_path(path):
            raise NotThere(path, problem)
        with self._opened(folder or ".", os.O_RDONLY | os.O_DIRECTORY) as place:
            if not stat.S_ISLNK(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):
                return None
            return os.readlink(name, dir_fd=place)

    def runnable(self, path: str) -> bool:
        with self._opened(path, os.O_RDONLY) as file:
            return bool(_checked(path, file).st_mode & stat.S_IXUSR)

    def make_folders(self, path: str) -> None:
        done = ""
        for part in path.split("/") if path else ():
            with self._opened(done or ".", os.O_RDONLY | os.O_DIRECTORY) as above:
                done = f"{done}/{part}" if done else part
                try:
                    os.mkdir(part, 0o755, dir_fd=above)
                except FileExistsError:
                    continue  # a folder is fine; a link in its place is refused by the next opening
                with self._opened(done, os.O_RDONLY | os.O_DIRECTORY) as made:
                    _give_to_owner_of(above, made)

    def _mode_of(self, path: str) -> int:
        """The mode a file keeps when it is written again; never set-id. What is no plain file is not replaced."""
        try:
            with self._opened(path, os.O_RDONLY) as file:
                return stat.S_IMODE(_checked(path, file).st_mode) & 0o755
        except FileNotFoundError:
            return 0o644

    @contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int]:
        if path != "." and (problem := odd_path(path)):
            raise NotThere(path, problem)
        try:
            file = open_beneath(self._root, path, flags | _PLAIN)
        except FileNotFoundError:
            raise
        except OSError as problem:
            raise NotThere(path, problem.strerror or str(problem)) from problem
        try:
            yield file
        finally:
            os.close(file)


def open_beneath(root: int, path: str, flags: int) -> int:
    """Resolved by the kernel beneath the root, in one go: nothing can be swapped on the way."""
    how = _How(flags=flags, mode=0, resolve=_BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    call = ctypes.CDLL(None, use_errno=True).syscall
    for _ in range(100):
        made: int = call(_OPENAT2, root, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
        if made >= 0:
            return made
        number = ctypes.get_errno()
        if number != errno.EAGAIN:  # a rename raced with it
            break
    if number == errno.ENOSYS:
        return _step_by_step(root, path, flags)
    raise OSError(number, os.strerror(number), path)


def _step_by_step(root: int, path: str, flags: int) -> int:
    """Where the kernel has no openat2: one part at a time, each refused if it is a link."""
    *folders, last = path.split("/")
    here = os.dup(root)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _PLAIN, dir_fd=here)
            os.close(here)
            here = below
        return os.open(last, flags, dir_fd=here)
    finally:
        os.close(here)


def _give_to_owner_of(folder: int, file: int) -> None:
    """Where the host is root, what it writes for a minion is the minion's: else no program inside could change it."""
    owner = os.fstat(folder)
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(file, owner.st_uid, owner.st_gid)


def _checked(path: str, file: int) -> os.stat_result:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise NotThere(path, "it is not a plain file")
    if found.st_nlink != 1:
        raise NotThere(path, "it has another name somewhere (a hard link)")
    return found


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
