"""The checks of `overlord doctor`: each looks at one thing and says what was seen and what to do."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.catalog.problems import Problem
    from bot.config.settings import Settings

OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 38)
ENOUGH_DISK = 1 << 30
LEAST_DISK = 100 << 20
PATIENCE = 10  # seconds for a command to end
ANSWER = 2  # seconds for a program on this machine to say who it is
DAY = 86_400


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    state: State
    seen: str
    next_step: str = ""


def ok(name: str, seen: str) -> Check:
    return Check(name=name, state=State.OK, seen=seen)


def warn(name: str, seen: str, next_step: str) -> Check:
    return Check(name=name, state=State.WARN, seen=seen, next_step=next_step)


def fail(name: str, seen: str, next_step: str) -> Check:
    return Check(name=name, state=State.FAIL, seen=seen, next_step=next_step)


def python() -> Check:
    seen = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        return fail("python", seen, "Install Python 3.11 or newer and run make again.")
    return ok("python", seen)


def packages() -> Check:
    from bot.__main__ import foreign_packages

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


def written(problems: "Sequence[Problem]", warnings: "Sequence[Problem]") -> Iterator[Check]:
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


def console_port(settings: "Settings") -> Check:
    host, port = settings.console.host, settings.console.port
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return ok("console port", f"{host} port {port} is free")
    except OSError as error:
        if answers(settings.console.url):
            return ok("console port", f"Overlord runs on {settings.console.url}")
        seen = f"{host} port {port} cannot be used: {error.strerror}"
        return fail("console port", seen, "Stop what uses it, or set OVERLORD_CONSOLE_PORT to another port.")


def answers(url: str) -> bool:
    """Whether an Overlord speaks at this address, well or not."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/healthz", timeout=ANSWER) as reply:
            body = reply.read(10_000)
    except urllib.error.HTTPError as error:
        body = error.read(10_000)
    except OSError:
        return False
    try:
        said = json.loads(body)
    except ValueError:
        return False
    return isinstance(said, dict) and "ok" in said


def platforms(settings: "Settings") -> Check:
    from bot.start import platforms as joined

    names = joined(settings)
    seen = ", ".join(names)
    return ok("platforms", seen if len(names) > 1 else f"{seen} only; tokens for Slack or Discord add those")


def groups(settings: "Settings") -> Check:
    empty = [group.value for group, members in settings.groups.items() if not members]
    if not empty:
        return ok("groups", "somebody is named in each")
    step = "Name accounts under `groups:` in overlord.yaml; until then only the operator decides there."
    return warn("groups", f"nobody is named in {', '.join(empty)}", step)
