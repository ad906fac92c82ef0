"""One start of bubblewrap: with an empty environment, our descriptors, and a way to tell whether the command ran."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from agents.ports import EndedBy, Profile, Workspace
from agents.workspace.sandbox.limits import cgroup
from agents.workspace.sandbox.limits.disk import Disk, over_a_limit
from agents.workspace.sandbox.limits.usage import Usage
from agents.workspace.sandbox.processes import process, tree
from agents.workspace.sandbox.processes.guard import Guard
from agents.workspace.sandbox.processes.process import SACRIFICED, Process
from agents.workspace.sandbox.walls import syscalls
from agents.workspace.sandbox.walls.errors import SandboxUnusable
from agents.workspace.sandbox.walls.ownership import hand_over
from agents.workspace.sandbox.walls.tools import Tools
from agents.workspace.sandbox.walls.walls import Start, command_line

# What breaks bubblewrap on real machines, by what it then says.
_FIXES: tuple[tuple[str, str], ...] = (
    (
        "uid map",
        "AppArmor forbids it (Ubuntu 24.04): install an AppArmor profile for bwrap with `userns,` in it, "
        "or set kernel.apparmor_restrict_unprivileged_userns=0.",
    ),
    (
        "namespace",
        "User namespaces are off, or this is a container: set user.max_user_namespaces above 0 (on Debian also "
        "kernel.unprivileged_userns_clone=1), start a container with --security-opt seccomp=unconfined, "
        "or run Overlord on the host.",
    ),
    ("nknown option", "bubblewrap is too old: install 0.8 or newer."),
)
_WORDS = 4_096  # of what is told at the end
_starts = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """How sandboxes are started here. Only tests change what has a default."""

    tools: Tools
    guard: Guard = field(default_factory=Guard)
    filter: bytes | None = field(default_factory=syscalls.program)
    group: Callable[[Profile], cgroup.Group | None] = cgroup.make
    usage: Callable[[int, int], Usage] = Usage  # where there is no group
    build: Callable[[Start], list[str]] = command_line
    environ: Mapping[str, str] = field(default_factory=dict)  # what bwrap itself gets: its /proc/1/environ shows it


@dataclass(frozen=True, slots=True)
class Launch:
    how: Launcher
    start: Start
    group: cgroup.Group | None
    told: int  # bwrap writes to it how the command ended

    def process(self, command: Sequence[str], into: int, *inherited: int) -> Process:
        with ExitStack() as ours:
            return self._started(command, into, inherited, ours)

    def _started(self, command: Sequence[str], into: int, inherited: Sequence[int], ours: ExitStack) -> Process:
        filter = None if self.how.filter is None else _lent(self.how.filter, ours)
        start = replace(self.start, command=command, filter=filter, first=_lent(_shell(), ours))
        line = [*_joining(self.group), *self.how.build(start)]
        passed = [fd for fd in (start.status, filter, start.first, *inherited) if fd is not None]
        limited = self.group is not None and self.group.limits_cpus
        cpus = frozenset() if limited else _some_of_the_cpus(self.start.profile.cpus)
        try:
            return process.start(line, self.how.environ, into, passed, cpus)
        except OSError as error:
            raise unusable(f"{line[0]}: {error.strerror}") from None

    async def watch(self, pid: int, disk: Disk) -> EndedBy:
        members, profile = partial(tree.members, pid), self.start.profile
        if self.group is not None:
            return await over_a_limit(profile, disk, members, self.group.used)
        with self.how.usage(pid, profile.memory) as used:
            return await over_a_limit(profile, disk, members, used)

    async def ran_out(self) -> bool:
        """Whether the kernel ended something inside for want of memory."""
        return self.group is not None and self.group.ran_out()

    def command_ran(self) -> bool:
        """bwrap tells an exit code only of a command; an end of its own looks the same from outside."""
        return b"exit-code" in waiting(self.told)


@asynccontextmanager
async def launching(how: Launcher, workspace: Workspace, profile: Profile) -> AsyncIterator[Launch]:
    workspace = replace(workspace, path=workspace.path.resolve())
    if how.tools.user is not None and workspace.path.stat().st_uid != how.tools.user:
        await asyncio.to_thread(hand_over, workspace.path, how.tools.user)
    how.guard.stand()
    group = how.group(profile)
    told, tells = os.pipe()
    start = Start(
        workspace=workspace,
        profile=profile,
        tools=how.tools,
        command=(),
        status=tells,
        hostname=how.guard.token,
    )
    try:
        yield Launch(how, start, group, told)
    finally:
        os.close(told)
        os.close(tells)
        if group is not None:
            asyncio.get_running_loop().run_in_executor(None, group.remove)  # when the last has left it: nobody waits


def _joining(group: cgroup.Group | None) -> list[str]:
    """Put in front of a command: what it becomes has its limits, and is ended before us where memory runs out."""
    joined = "" if group is None else f"{group.joining()} && "
    return ["/bin/sh", "-c", f'echo {SACRIFICED} 2>&- >/proc/self/oom_score_adj; {joined}exec "$@"', "sh"]


def _lent(content: bytes, ours: ExitStack) -> int:
    """A descriptor to read it from, until the program that reads it is started."""
    descriptor = syscalls.descriptor_of(content)
    ours.callback(os.close, descriptor)
    return descriptor


@cache
def _shell() -> bytes:
    return Path("/bin/sh").read_bytes()


def _some_of_the_cpus(count: int) -> frozenset[int]:
    """Other ones for every start, so that sandboxes do not crowd on one. None: all that there are."""
    there = sorted(os.sched_getaffinity(0))
    if count >= len(there):
        return frozenset()
    first = next(_starts) * count
    return frozenset(there[(first + offset) % len(there)] for offset in range(count))


def waiting(pipe: int) -> bytes:
    """What is in the pipe already."""
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, _WORDS)
    except BlockingIOError:
        return b""


def unusable(said: str) -> SandboxUnusable:
    lines = said.strip().splitlines()
    what = lines[-1] if lines else "it ends without a word"
    fix = next((fix for sign, fix in _FIXES if sign in what), "Run `overlord doctor` to see why.")
    return SandboxUnusable(f"the sandbox does not start: {what}", next_step=fix)
