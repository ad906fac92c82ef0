"""Locks on files and folders that end with whoever held them, git included: nothing is left locked by a kill."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.ports import CheckoutFailed

PATIENCE = 600.0
_FIRST_WAIT, _LONGEST_WAIT = 0.002, 0.1
_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@asynccontextmanager
async def hold_lock(path: Path) -> AsyncIterator[int]:
    """Hold the lock of a file that stays, made if need be, as soon as nobody else does. Pass it on to git."""
    file = os.open(path, _FILE, 0o600)
    try:
        await _until_free(file, path)
        yield file
    finally:
        os.close(file)


@asynccontextmanager
async def hold_folder(path: Path) -> AsyncIterator[int]:
    """Hold the lock of a folder. Raises FileNotFoundError if it is not there, or went away meanwhile."""
    folder = os.open(path, _FOLDER)
    try:
        await _until_free(folder, path)
        if not os.path.samestat(os.fstat(folder), os.lstat(path)):
            raise FileNotFoundError(path)
        yield folder
    finally:
        os.close(folder)


def hold_now(path: Path) -> int | None:
    """The lock of a folder if it is there and nobody has it; to be closed."""
    try:
        return _if_free(os.open(path, _FOLDER))
    except FileNotFoundError:
        return None


def hold_file_now(path: Path) -> int | None:
    """The lock of a file that stays, if nobody has it; to be closed, and passed on to git."""
    return _if_free(os.open(path, _FILE, 0o600))


def _if_free(file: int) -> int | None:
    if _taken(file):
        os.close(file)
        return None
    return file


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


async def _until_free(file: int, path: Path) -> None:
    wait, waited = _FIRST_WAIT, 0.0
    while _taken(file):
        if waited > PATIENCE:
            raise CheckoutFailed(f"{path.name} is in use for more than {waited:.0f} s", next_step="Try again later.")
        await asyncio.sleep(wait)
        waited, wait = waited + wait, min(wait * 1.5, _LONGEST_WAIT)
