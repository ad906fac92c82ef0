"""What the tests of the sandbox stand on: a real worktree, small limits, and programs that misbehave inside."""

import json
import os
import subprocess
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.ports import Profile, Ran, Room, Sandbox, Workspace
from agents.workspace.sandbox import walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap, Guard
from agents.workspace.sandbox.walls import GATE, MB, NOBODY, Start, command_line

SMALL = replace(
    GATE,
    name="small",
    seconds=20,
    memory=192 * MB,
    processes=64,
    descriptors=256,
    disk=48 * MB,
    inodes=2_000,
    file=32 * MB,
    kept=20_000,
    output=8 * MB,
)


_GUARD = Guard()  # one for all tests of this process


def bubblewrap(**how: Any) -> Bubblewrap:
    return Bubblewrap(tools=walls.find_tools(), guard=_GUARD, **how)


def weakened(change: Callable[[list[str]], list[str]]) -> Callable[[Start], list[str]]:
    """The real command line with a fault planted in it."""
    return lambda start: change(command_line(start))


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    ).stdout


def worktree(base: Path) -> Workspace:
    """A repository and a worktree of it, as a minion gets them."""
    repository = base / "repository"
    repository.mkdir(parents=True)
    git(repository, "init", "--quiet")
    (repository / "main.py").write_text("print('hello')\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "first")
    git(repository, "worktree", "add", "--quiet", "-b", "ai/t1-s1", str(base / "tree"))
    return Workspace(path=(base / "tree").resolve(), git=(repository / ".git").resolve())


@dataclass(frozen=True, slots=True)
class Yard:
    """Runs Python in a sandbox and reads back what it saw."""

    sandbox: Sandbox
    workspace: Workspace
    profile: Profile = SMALL

    async def python(self, code: str, *arguments: str) -> Ran:
        return await self.sandbox.once(self.workspace, self.profile, python(code, *arguments))

    async def seen(self, code: str, *arguments: str) -> Any:
        """What the program printed last, as JSON."""
        ran = await self.python(code, *arguments)
        assert ran.exit_code == 0, ran
        return json.loads(ran.output.splitlines()[-1])


def python(code: str, *arguments: str) -> list[str]:
    return ["python3", "-c", textwrap.dedent(code), *arguments]


def uid_in(sandbox: Sandbox) -> int:
    """Who a program inside is: never root."""
    if sandbox.name == "bubblewrap":
        return walls.UID
    return NOBODY if os.geteuid() == 0 else os.geteuid()


def left(mark: str) -> list[int]:
    """Processes on the host whose command line has the mark, whoever started them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


async def said(room: Room, *command: str, **how: Any) -> str:
    ran = await room.run(command, **how)
    assert ran.exit_code == 0, ran
    return ran.output
