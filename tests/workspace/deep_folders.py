"""Folders in folders, thousands deep: pytest's own clean-up would recurse into them and end in RecursionError."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def make_nested(top: Path, depth: int, name: str = "d") -> None:
    """By steps: a path that long cannot be named."""
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@contextmanager
def removed_afterwards(folder: Path) -> Iterator[Path]:
    """Remove the folder however the test ends, by a program that is not what is tested."""
    try:
        yield folder
    finally:
        subprocess.run(["rm", "-rf", "--", str(folder)], check=True)
