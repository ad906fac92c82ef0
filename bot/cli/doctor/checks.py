"""The checks of `overlord doctor`: each looks at one thing and says what was seen and what to do."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.catalog.validation import Problem
from bot.__main__ import foreign_packages
from bot.config.platforms import platforms as all_platforms
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn

OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 38)
ENOUGH_DISK = 1 << 30
LEAST_DISK = 100 << 20
PATIENCE = 10  # seconds for a command to end
DAY = 86_400


def python() -> Check:
    seen = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        return fail("python", seen, "Install Python 3.11 or newer and run make again.")
    return ok("python", seen)


def packages() -> Check:
    strangers = foreign_packages()
    if strangers:
        return fail("packages", "; ".join(strangers), "Install Overlord in a virtual environment of its own.")
    return ok("packages", f"ours, in {Path(__file__).resolve().parents[3]}")


def clock() -> Check:
    """A clock before the day this program was installed is wrong for certain."""
    now, installed = time.time(), Path(__file__).stat().st_mtime
    seen = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now))
    if now < installed - DAY:
        return fail(
            "clock", f"{seen}, which is before the program was installed", "Set the clock, or start its NTP service."
        )
    return ok("clock", seen)


def git() -> Check:
    path = shutil.which("git")
    if path is None:
        return fail("git", "not found", "Install it: apt install git, or brew install git.")
    said = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False
    ).stdout.strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        return warn("git", said or "no version", "Install git 2.38 or newer: older ones cannot join work.")
    return ok("git", said)


def written(problems: Sequence[Problem], warnings: Sequence[Problem]) -> Iterator[Check]:
    for problem in problems:
        yield fail("settings", f"{problem.name}: {problem.what}", problem.instead)
    for problem in warnings:
        yield warn("settings", f"{problem.name}: {problem.what}", problem.instead)
    if not problems and not warnings:
        yield ok("settings", "all can be used")


def home(path: Path) -> Check:
    if not path.exists():
        return ok("home", f"{path} will be made, for you alone")
    if not os.access(path, os.W_OK | os.X_OK):
        return fail("home", f"{path} cannot be written", "Name another folder in OVERLORD_HOME, or take it over.")
    if path.stat().st_mode & 0o077:
        return warn("home", f"others may look into {path}", f"Run chmod 700 {path}; the next start does it too.")
    return ok("home", f"{path}, yours alone")


def disk(path: Path) -> Check:
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    free = shutil.disk_usage(nearest).free
    seen = f"{free / (1 << 30):.1f} GB free at {nearest}"
    if free < LEAST_DISK:
        return fail("disk", seen, "Make room: nothing can be stored, so nothing is acknowledged.")
    if free < ENOUGH_DISK:
        return warn("disk", seen, "Make room, or move OVERLORD_HOME to a larger disk.")
    return ok("disk", seen)


def platforms(settings: Settings) -> Check:
    others = [spec.title for spec in all_platforms() if not settings.platforms[spec.name].joins]
    only = f" only; tokens for {' or '.join(others)} add those" if len(settings.joined_platforms) == 1 else ""
    return ok("platforms", f"{', '.join(settings.joined_platforms)}{only}")


def groups(settings: Settings) -> Check:
    empty = [group.value for group, members in settings.groups.items() if not members]
    if not empty:
        return ok("groups", "somebody is named in each")
    step = "Name accounts under `groups:` in overlord.yaml; until then only the operator decides there."
    return warn("groups", f"nobody is named in {', '.join(empty)}", step)
