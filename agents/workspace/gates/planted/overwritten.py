"""Whether tests were written over while they ran: what is tested may change them on the disk before they are loaded."""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from agents.domain.checks.file_kinds import is_test, is_test_data


class Mark(NamedTuple):
    number: int
    size: int
    written: int


def marks_of(folder: Path, paths: Iterable[str], own: Collection[str] = ()) -> dict[str, Mark]:
    """Of the tests among these files, and of what they are made of. `own`: those whose names do not say so."""
    tests = (path for path in paths if path in own or is_test(path) or is_test_data(path))
    return {path: mark for path in tests if (mark := _mark(folder, path))}


def overwritten(folder: Path, before: Mapping[str, Mark], began: int | None) -> list[str]:
    """Those that are not as they were. `began`: when the runner was first heard, in ns; whoever changes a file and puts
    it back cannot put back when it was changed."""
    return sorted(path for path, mark in before.items() if _mark(folder, path) != mark or _later(folder, path, began))


def _mark(folder: Path, path: str) -> Mark | None:
    found = _status(folder, path)
    return Mark(found.st_ino, found.st_size, found.st_mtime_ns) if found else None


def _later(folder: Path, path: str, began: int | None) -> bool:
    found = _status(folder, path)
    return began is not None and found is not None and found.st_ctime_ns > began


def _status(folder: Path, path: str) -> os.stat_result | None:
    """The folder belongs to whatever ran in it. Its status says nothing about what a link leads to."""
    try:
        return os.lstat(folder / path)
    except OSError:
        return None
