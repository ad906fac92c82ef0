"""The sandbox where Docker or Podman runs on this machine: the same profiles, held by the engine."""

import asyncio
import os
import socket
import tempfile
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

from agents.ports import EndedBy, Listener, Profile, Ran, Room, Workspace
from agents.workspace.files.untrusted import hand_over
from agents.workspace.sandbox import session, syscalls
from agents.workspace.sandbox.processes import resource_limits, tree
from agents.workspace.sandbox.processes.resource_limits import Disk, over_a_limit
from agents.workspace.sandbox.processes.running import SACRIFICED
from agents.workspace.sandbox.session import session_of
from agents.workspace.sandbox.walls import (
    MB,
    NOBODY,
    PROXY_PORT,
    Mount,
    SandboxUnusable,
    environ_of,
    mounts_of,
    scratch_of,
)

IMAGE = "python:3.11-slim"  # ours inside is a Python program; the image may be any that has one
_PREFIX = "overlord-"  # of a container's name; the bot's process id follows
PATIENCE = 120.0  # seconds for the engine to answer
LABEL = "overlord.pid"  # whose container it is: those of the dead are removed at the start
# It counts a user's processes in all containers, so --pids-limit is the limit. But podman raises what is not named
# here, which even root may be forbidden to do.
_NPROC = "nproc=16384"
DOOR = Path("/run/overlord")  # where our program and its socket are inside


def user() -> tuple[int, int]:
    """Never root; else whoever owns the workspace: nobody else could write it."""
    return (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())


def options(engine: str, workspace: Workspace, profile: Profile, door: Path) -> list[str]:
    uid, gid = user()
    own = ["--userns", "keep-id"] if engine == "podman" and os.geteuid() != 0 else []
    environ = {**environ_of(workspace, profile), "HOME": "/tmp"}  # the engine makes other folders root's
    return [
        *("--label", f"{LABEL}={os.getpid()}", "--hostname", "minion", "--user", f"{uid}:{gid}", *own),
        *("--oom-score-adj", str(SACRIFICED)),
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *_limits(profile),
        *("--volume", f"{door}:{DOOR}:ro"),
        *(part for mount in mounts_of(workspace, ()) for part in ("--volume", _volume(mount))),
        *(part for name, value in environ.items() for part in ("--env", f"{name}={value}")),
        *(
            part
            for at in scratch_of(workspace)
            for part in ("--tmpfs", f"{at}:rw,nosuid,nodev,size={64 * MB},mode=1777")
        ),
        *("--workdir", str(workspace.path)),
    ]


def _volume(mount: Mount) -> str:
    return f"{mount.outside}:{mount.at}:{'rw' if mount.writable else 'ro'}"


def _limits(profile: Profile) -> Iterator[str]:
    yield from ("--memory", str(profile.memory), "--memory-swap", str(profile.memory))
    yield from ("--pids-limit", str(profile.processes), "--cpus", str(profile.cpus))
    own = (f"data={profile.memory}", f"fsize={profile.file}", f"cpu={int(profile.seconds * profile.cpus)}")
    for limit in (*own, "core=0", f"nofile={profile.descriptors}", _NPROC):
        yield from ("--ulimit", limit)
    small, large = min(64 * MB, profile.memory // 8), min(256 * MB, profile.memory // 4)
    yield from ("--shm-size", str(small), "--tmpfs", f"/tmp:rw,nosuid,nodev,size={large},mode=1777")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    name: str  # docker or podman
    path: str

    async def __call__(self, *arguments: str, folder: Path | None = None) -> tuple[int, str]:
        """Its exit code, and the last line of what it said. `folder` is where it works."""
        process = await asyncio.create_subprocess_exec(
            *(self.path, *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=folder,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                said, _ = await process.communicate()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            return 124, f"no answer within {PATIENCE:g} s"
        lines = said.decode(errors="replace").strip().splitlines()
        return process.returncode or 0, lines[-1] if lines else ""


class Container:
    """Implements agents.ports.Sandbox."""

    python = "python3"

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name = engine.name

    @property
    def has_filter(self) -> bool:
        """Whether our program inside puts on the filter: libseccomp is installed."""
        return syscalls.program() is not None

    def without_filter(self) -> "Container":
        """The engine brings a filter of its own, which is not ours to take off."""
        return self

    def visible_entries(self, workspace: Workspace) -> None:
        """The image decides."""

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        return session_of(workspace, profile, partial(self._instance, workspace, profile))

    async def once(
        self, workspace: Workspace, profile: Profile, command: Sequence[str], on_output: Listener | None = None
    ) -> Ran:
        async with self.open(workspace, profile) as room:
            return await room.run(command, on_output=on_output)

    async def sweep(self) -> None:
        """Removes what a killed bot left. Whose it is, its name tells: engines write labels in different ways."""
        process = await asyncio.create_subprocess_exec(
            *(self._engine.path, "ps", "--all", "--filter", f"label={LABEL}", "--format", "{{.Names}}"),
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await process.communicate()
        names = (line for line in said.decode().split() if line.startswith(_PREFIX))
        left = [name for name in names if not _lives(name.split("-")[1])]
        if left:
            await self._engine("rm", "--force", *left)

    async def _instance(self, workspace: Workspace, profile: Profile) -> session.Instance:
        if os.geteuid() == 0:
            await asyncio.to_thread(hand_over, workspace.path, user()[0])
        name = f"{_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
        async with AsyncExitStack() as held:
            door = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="overlord-room-")))
            listening = held.enter_context(_listening(door))
            held.push_async_callback(self._engine, "rm", "--force", name)
            port = PROXY_PORT if profile.opens else 0
            inside = session.inside_command(
                self.python, str(DOOR / "inside.py"), str(DOOR / "socket"), port, str(DOOR / "filter")
            )
            walls = options(self.name, workspace, profile, door)
            run = ("run", "--detach", "--name", name, *walls, IMAGE, *inside)
            code, said = await self._engine(*run, folder=door)  # Podman's monitor leaves files where it was started
            if code != 0:
                raise unusable(self.name, said)
            control = held.enter_context(await self._answered(listening, name))
            try:
                await session.ready(control, profile, held)
            except session.NeverReady:
                raise unusable(self.name, "our program in it ends without a word") from None
            pid = await self._pid(name)
            require_limits(self.name, profile, pid)
            end, ran_out = partial(self._engine, "kill", name), partial(asyncio.to_thread, resource_limits.ran_out, pid)
            return session.Instance(control, end, partial(_watch, profile, pid), ran_out, held.pop_all())
        raise AssertionError("an instance is returned, or an error is raised")

    async def _answered(self, listening: socket.socket, name: str) -> socket.socket:
        try:
            async with asyncio.timeout(session.PATIENCE):
                control, _ = await asyncio.get_running_loop().sock_accept(listening)
        except TimeoutError:
            _, said = await self._engine("logs", name)
            raise unusable(self.name, said or "our program in it does not answer") from None
        control.setblocking(False)
        return control

    async def _pid(self, name: str) -> int:
        _, said = await self._engine("inspect", "--format", "{{.State.Pid}}", name)
        if not said.isdigit() or not _lives(said):
            raise unusable(self.name, "it runs on another machine than this one")
        return int(said)


def _lives(pid: str) -> bool:
    return Path("/proc", pid).exists()


def _watch(profile: Profile, pid: int, disk: Disk) -> Coroutine[None, None, EndedBy]:
    """The engine holds the limit on memory; that it was reached is told by the kernel only."""
    return over_a_limit(profile, disk, partial(tree.members, pid), lambda: inf if resource_limits.ran_out(pid) else 0)


def _listening(door: Path) -> socket.socket:
    """In a folder of its own, together with our program; only the sandbox's user may connect."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.setblocking(False)
    listening.bind(str(door / "socket"))
    listening.listen(1)
    door.chmod(0o711)
    for name, content in (("inside.py", session.INSIDE.read_bytes()), ("filter", syscalls.program() or b"")):
        (door / name).write_bytes(content)
        (door / name).chmod(0o444)
    (door / "socket").chmod(0o600)
    if os.geteuid() == 0:
        os.chown(door / "socket", *user())
    return listening


def require_limits(engine: str, profile: Profile, pid: int) -> None:
    """An engine that may not make control groups starts a container all the same, with a warning and no limits."""
    if (
        resource_limits.lowest_limit(pid, "memory") > profile.memory
        or resource_limits.lowest_limit(pid, "pids") > profile.processes
    ):
        raise SandboxUnusable(
            f"{engine} does not limit the memory and the processes of a container",
            next_step=f"Give {engine} control groups of version 2 (without root they must be delegated), "
            "or use bubblewrap.",
        )


def unusable(engine: str, said: str) -> SandboxUnusable:
    return SandboxUnusable(
        f"{engine} does not start a sandbox: {said}",
        next_step=f"Try `{engine} run --rm {IMAGE} true` by hand; the engine must run on this machine itself.",
    )
