"""The options of `docker run` and `podman run` that make a container a sandbox."""

import os
from collections.abc import Iterator
from pathlib import Path

from agents.ports import Profile, Workspace
from agents.workspace.sandbox.processes.process import SACRIFICED
from agents.workspace.sandbox.walls.profile import MB
from agents.workspace.sandbox.walls.tools import NOBODY
from agents.workspace.sandbox.walls.walls import environ_of, mounts_of

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
    return [
        *("--label", f"{LABEL}={os.getpid()}", "--hostname", "minion", "--user", f"{uid}:{gid}", *own),
        *("--oom-score-adj", str(SACRIFICED)),
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *_limits(profile),
        *_mounts(workspace, door),
        *_environ(workspace, profile),
        *("--workdir", str(workspace.path)),
    ]


def _limits(profile: Profile) -> Iterator[str]:
    yield from ("--memory", str(profile.memory), "--memory-swap", str(profile.memory))
    yield from ("--pids-limit", str(profile.processes), "--cpus", str(profile.cpus))
    own = (f"data={profile.memory}", f"fsize={profile.file}", f"cpu={int(profile.seconds * profile.cpus)}")
    for limit in (*own, "core=0", f"nofile={profile.descriptors}", _NPROC):
        yield from ("--ulimit", limit)
    small, large = min(64 * MB, profile.memory // 8), min(256 * MB, profile.memory // 4)
    yield from ("--shm-size", str(small), "--tmpfs", f"/tmp:rw,nosuid,nodev,size={large},mode=1777")


def _mounts(workspace: Workspace, door: Path) -> Iterator[str]:
    yield from ("--volume", f"{door}:{DOOR}:ro")
    for mount in mounts_of(workspace, ()):
        yield from ("--volume", f"{mount.at}:{mount.at}:{'rw' if mount.writable else 'ro'}")


def _environ(workspace: Workspace, profile: Profile) -> Iterator[str]:
    home = {"HOME": "/tmp"}  # the engine makes other folders root's
    for name, value in {**environ_of(workspace, profile), **home}.items():
        yield from ("--env", f"{name}={value}")
