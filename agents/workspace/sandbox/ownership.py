"""Gives a workspace to the user whom root becomes for the sandbox. Anybody else owns theirs already."""

import os
import stat
from pathlib import Path


def hand_over(folder: Path, user: int) -> None:
    """The folder itself comes last, so that a hand-over that was cut short is seen and done again."""
    if folder.stat().st_uid == user:
        return
    for _, folders, files, at in os.fwalk(folder, topdown=False):
        for name in (*folders, *files):
            _give(name, at, user)
    os.chown(folder, user, user, follow_symlinks=False)


def _give(name: str, folder: int, user: int) -> None:
    """Not what has a second name: that may be somebody's outside. Not what git keeps: the host writes it."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    shared = status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode)
    if name != ".git" and not shared and status.st_uid != user:
        os.chown(name, user, user, dir_fd=folder, follow_symlinks=False)
