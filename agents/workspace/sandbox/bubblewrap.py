"""The sandbox on Linux: bubblewrap, started with an empty environment behind the walls of walls.py."""

import asyncio
import itertools
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from agents.ports import EndedBy, Listener, Profile, Ran, Room, Workspace
from agents.workspace.files.untrusted import hand_over
from agents.workspace.sandbox import session, syscalls, walls
from agents.workspace.sandbox.guardian import TOKEN
from agents.workspace.sandbox.processes import resource_limits, running, tree
from agents.workspace.sandbox.processes.resource_limits import Disk, over_a_limit
from agents.workspace.sandbox.processes.running import SACRIFICED, Process, readable
from agents.workspace.sandbox.processes.tree import Usage
from agents.workspace.sandbox.session import session_of
from agents.workspace.sandbox.walls import SandboxUnusable, Start, Tools, command_line

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
GUARDIAN = Path(__file__).with_name("guardian.py")
_WORDS = 4_096  # of what is told at the end
# The sandbox's first process must bury orphans and outlive none of them.
_FIRST = (walls.FIRST, "-c", '"$@"; exit $?')
_starts = itertools.count()


class Guard:
    """Started with the first sandbox. It needs no word to act: the end of its pipe is the end of us."""

    def __init__(self) -> None:
        self.token = f"overlord-{os.urandom(16).hex()}"
        self._process: Process | None = None

    def start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={TOKEN: self.token},
            cwd="/",
            start_new_session=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """Implements agents.ports.Sandbox. Only tests change what has a default."""

    name = "bubblewrap"

    tools: Tools
    guard: Guard = field(default_factory=Guard)
    filter: bytes | None = field(default_factory=syscalls.program)
    group: Callable[[Profile], resource_limits.Group | None] = resource_limits.make_group
    usage: Callable[[int, int], Usage] = Usage  # where there is no group
    build: Callable[[Start], list[str]] = command_line
    environ: Mapping[str, str] = field(default_factory=dict)  # what bwrap itself gets: its /proc/1/environ shows it

    @property
    def has_filter(self) -> bool:
        """Whether system calls are filtered: libseccomp is installed."""
        return self.filter is not None

    @property
    def python(self) -> str:
        return self.tools.python

    def visible_entries(self, workspace: Workspace) -> Mapping[str, list[str]]:
        return walls.visible_entries(workspace, self.tools)

    def without_filter(self) -> "Bubblewrap":
        """The same walls without the filter, so that one does not hide a hole in the other."""
        return replace(self, filter=None)

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        return session_of(workspace, profile, partial(self._instance, workspace, profile))

    async def once(
        self, workspace: Workspace, profile: Profile, command: Sequence[str], on_output: Listener | None = None
    ) -> Ran:
        session.encode_command([*workspace.around, *command])
        if profile.opens or workspace.first:
            async with self.open(workspace, profile) as room:
                return await room.run(command, on_output=on_output)
        began, ended = time.monotonic(), running.DIED
        async with running.listening(profile, on_output) as pipe, launching(self, workspace, profile) as launch:
            line = [*_FIRST, self.guard.token, *workspace.around, *command]
            process = launch.process(line, pipe.writable)
            pipe.close_ours()
            try:
                watching = launch.watch(process.pid, Disk(workspace.path))
                ended = await running.outcome(running.exit_code(process), watching, pipe.output, profile.seconds)
                ended = await running.explain_ending(ended, launch.ran_out)
            finally:
                await running.end(process)
            ran = await running.result(pipe.output, ended, began)
            if ran.ended_by is EndedBy.EXIT and not launch.command_ran():
                raise unusable(ran.output)
            return ran

    async def _instance(self, workspace: Workspace, profile: Profile) -> session.Instance:
        async with AsyncExitStack() as held:
            launch = await held.enter_async_context(launching(self, workspace, profile))
            ours, theirs = session.control_pair()
            held.callback(ours.close)
            words, said = os.pipe()
            held.callback(os.close, words)
            program = syscalls.descriptor_of(session.INSIDE.read_bytes())
            port = walls.PROXY_PORT if profile.opens else 0
            inside = session.inside_command(self.tools.python, f"/proc/self/fd/{program}", theirs.fileno(), port)
            try:
                process = launch.process([*inside, self.guard.token], said, theirs.fileno(), program)
            finally:
                os.close(program)
                os.close(said)
                theirs.close()
            end = partial(running.end, process)
            held.push_async_callback(end)
            try:
                await session.ready(ours, profile, held)
            except session.NeverReady:
                await running.exit_code(process)
                raise unusable(readable(waiting(words).decode(errors="replace"))) from None
            return session.Instance(ours, end, partial(launch.watch, process.pid), launch.ran_out, held.pop_all())
        raise AssertionError("an instance is returned, or an error is raised")


@dataclass(frozen=True, slots=True)
class Launch:
    how: Bubblewrap
    start: Start
    group: resource_limits.Group | None
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
            return running.start(line, self.how.environ, into, passed, cpus)
        except OSError as error:
            raise unusable(f"{line[0]}: {error.strerror}") from None

    async def watch(self, pid: int, disk: Disk) -> EndedBy:
        members, profile = partial(tree.members, pid), self.start.profile
        if self.group is not None:
            return await over_a_limit(profile, disk, members, self.group.memory_used)
        with self.how.usage(pid, profile.memory) as used:
            return await over_a_limit(profile, disk, members, used)

    async def ran_out(self) -> bool:
        """Whether the kernel ended something inside for want of memory."""
        return self.group is not None and self.group.ran_out()

    def command_ran(self) -> bool:
        """bwrap tells an exit code only of a command; an end of its own looks the same from outside."""
        return b"exit-code" in waiting(self.told)


@asynccontextmanager
async def launching(how: Bubblewrap, workspace: Workspace, profile: Profile) -> AsyncIterator[Launch]:
    workspace = replace(workspace, path=workspace.path.resolve())
    if how.tools.user is not None and workspace.path.stat().st_uid != how.tools.user:
        await asyncio.to_thread(hand_over, workspace.path, how.tools.user)
    how.guard.start()
    group = how.group(profile)
    told, tells = os.pipe()
    start = Start(
        workspace=workspace, profile=profile, tools=how.tools, command=(), status=tells, hostname=how.guard.token
    )
    try:
        yield Launch(how, start, group, told)
    finally:
        os.close(told)
        os.close(tells)
        if group is not None:
            asyncio.get_running_loop().run_in_executor(None, group.remove)  # when the last has left it: nobody waits


def _joining(group: resource_limits.Group | None) -> list[str]:
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
