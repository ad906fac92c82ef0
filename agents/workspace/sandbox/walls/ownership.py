"""Gives a workspace to the user whom root becomes for the sandbox. Anybody else owns theirs already."""

import os
import stat
from pathlib import Path

from agents.workspace.files.walk import Entry, walk


def hand_over(folder: Path, user: int) -> None:
    """The folder itself comes last, so that a hand-over that was cut short is seen and done again."""
    if folder.stat().st_uid == user:
        return
    for entry in walk(folder):
        _give(entry, user)
    os.chown(folder, user, user, follow_symlinks=False)


def _give(entry: Entry, user: int) -> None:
    """Not what has a second name: that may be somebody's outside. Not what git keeps: the host writes it."""
    shared = entry.status.st_nlink > 1 and not stat.S_ISDIR(entry.status.st_mode)
    if entry.name != ".git" and not shared and entry.status.st_uid != user:
        os.chown(entry.name, user, user, dir_fd=entry.folder, follow_symlinks=False)
