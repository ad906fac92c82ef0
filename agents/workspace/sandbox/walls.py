"""The walls of a bubblewrap sandbox. Every option was seen to matter: see docs/decisions/0014."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.models.failure import ErrorClass
from agents.ports import Profile, Shown, Workspace

MB, GB = 1 << 20, 1 << 30
# What a gate and a minion may use up. Neither has a network: models are asked by the host.
GATE = Profile(
    name="gate",
    seconds=600,
    memory=2 * GB,
    cpus=1,
    processes=128,
    descriptors=512,
    disk=2 * GB,
    inodes=200_000,
    file=512 * MB,
    kept=MB // 2,
    output=256 * MB,
)
MINION = replace(GATE, name="minion", seconds=1800, memory=4 * GB, cpus=2, processes=256, disk=4 * GB, kept=MB // 4)
CLI = replace(MINION, name="cli", processes=512, descriptors=4096)  # beside it, one door to its model
NOBODY = 65_534  # what root becomes before it starts bwrap: bwrap that root starts is no wall
UID = 1000
HOME = "/home/minion"
MEMORY_FOLDERS = ("/dev/shm", "/tmp", HOME)
STAGE = "/tmp"  # where root shows folders that the sandbox's user could not reach by itself
PROXY_PORT = 3128
FIRST = "/dev/.first"  # a shell that nobody may read: what runs it is not dumpable, so its memory cannot be written

_ETC = ("ld.so.cache", "passwd", "group", "nsswitch.conf", "hosts", "localtime", "ssl", "alternatives", "mime.types")
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_PYTHON = Path("/usr/bin/python3")
_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", str(UID), "--gid", str(UID)),
    *("--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"),
    # else bwrap stays as the first process: with its own environment, without limits, and its memory can be written
    "--as-pid-1",
)


class SandboxUnusable(OverlordError):
    """Nothing was run, and nothing will be until the sandbox works."""

    error = ErrorClass.RESOURCE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    bwrap: str
    prlimit: str
    python: str  # runs our side of the sandbox inside it
    setpriv: str = ""  # only root needs it
    readable: tuple[Path, ...] = ()  # what that Python needs and /usr does not hold
    user: int | None = None  # the user to become; None: we are nobody special already


def find_tools(path: str | None = None) -> Tools:
    """`path` is where to look, as in PATH. Raises SandboxUnusable with what to install."""
    wanted = ["bwrap", "prlimit", *(["setpriv"] if os.geteuid() == 0 else [])]
    found = {name: shutil.which(name, path=path) for name in wanted}
    missing = [name for name, at in found.items() if at is None]
    if missing:
        packages = "bubblewrap" if missing == ["bwrap"] else "bubblewrap util-linux"
        raise SandboxUnusable(
            f"not installed ({', '.join(missing)} not found)",
            next_step=f"Install it: apt install {packages} (on macOS run Docker or Podman instead).",
        )
    system = _SYSTEM_PYTHON.exists()  # it needs no mount of its own; else the Python that we run on is shown
    return Tools(
        bwrap=found["bwrap"] or "",
        prlimit=found["prlimit"] or "",
        setpriv=found.get("setpriv") or "",
        python=str(_SYSTEM_PYTHON if system else Path(sys.executable).resolve()),
        readable=() if system else (Path(sys.base_prefix),),
        user=NOBODY if os.geteuid() == 0 else None,
    )


def toolchain(venv: Path) -> tuple[Path, ...]:
    """A venv, and the interpreter it stands on: a sandbox must show both."""
    settings = (line.partition("=") for line in (venv / "pyvenv.cfg").read_text().splitlines())
    home = next((Path(value.strip()) for name, _, value in settings if name.strip() == "home"), None)
    if home is None:
        return (venv,)
    prefix = home.resolve().parent
    return (venv,) if prefix == Path("/usr") else (venv, prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    at: Path  # inside, and outside where no source is named
    writable: bool = False
    source: Path | None = None

    @property
    def outside(self) -> Path:
        return self.source or self.at


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start of a sandbox."""

    workspace: Workspace
    profile: Profile
    tools: Tools
    command: Sequence[str]
    filter: int | None = None  # descriptor of the system-call filter
    status: int | None = None  # descriptor that bwrap tells how the command ended
    first: int | None = None  # descriptor of the shell that becomes FIRST
    hostname: str = "minion"


def command_line(start: Start) -> list[str]:
    tools, user = start.tools, start.tools.user
    mounts = mounts_of(start.workspace, tools.readable)
    staged = user is not None and not all(reachable(mount.outside, user) for mount in mounts)
    return [
        *(_stage(tools, mounts) if staged else ()),
        *(() if user is None else (tools.setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--")),
        tools.bwrap,
        *_NAMESPACES,
        *("--hostname", start.hostname),
        *_programs(),
        *(part for name in _ETC for part in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")),
        *("--proc", "/proc", "--dev", "/dev"),
        *_memory_folders(start.profile),
        *_binds(mounts, from_stage=staged),
        *_scratch(start.workspace, start.profile),
        *(() if start.first is None else ("--perms", "0111", "--ro-bind-data", str(start.first), FIRST)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(start.workspace.path)),
        *(part for pair in environ_of(start.workspace, start.profile).items() for part in ("--setenv", *pair)),
        *(() if start.filter is None else ("--seccomp", str(start.filter))),
        *(() if start.status is None else ("--json-status-fd", str(start.status))),
        *("--", *_limited(tools, start.profile), *start.command),
    ]


def mounts_of(workspace: Workspace, needed: Sequence[Path]) -> list[Mount]:
    """In the order they are made: what comes later covers what came before."""
    readable = (*needed, *workspace.readable, *([workspace.git] if workspace.git else []))
    git = workspace.path / ".git"  # a link is none that git made, and following it would show what it points to
    return [
        *(Mount(at=path) for path in dict.fromkeys(readable)),
        Mount(at=workspace.path, writable=True),
        *([Mount(at=git)] if git.exists() and not git.is_symlink() else ()),
        *(Mount(at=workspace.path / each) for each in workspace.fixed if _is_plain(workspace.path, each)),
        *(
            Mount(at=workspace.path / each.at, source=each.source)
            for each in workspace.shown
            if _can_show(workspace, each)
        ),
    ]


def scratch_of(workspace: Workspace) -> list[Path]:
    """Folders in memory, in what nobody writes otherwise: tools of Node keep things in node_modules."""
    shown = [each for each in workspace.shown if _can_show(workspace, each)]
    return [workspace.path / each.at / name for each in shown for name in each.scratch if (each.source / name).is_dir()]


def _scratch(workspace: Workspace, profile: Profile) -> Iterator[str]:
    for folder in scratch_of(workspace):
        yield from ("--size", str(min(256 * MB, profile.memory // 4)), "--tmpfs", str(folder))


def _is_plain(root: Path, at: str) -> bool:
    """Whether it is there, and no link leads to it."""
    path = root
    for part in at.split("/"):
        path = path / part
        if part in ("", ".", "..") or path.is_symlink():
            return False
    return path.exists()


def _can_show(workspace: Workspace, shown: Shown) -> bool:
    """A folder over a folder, a file over a file, and only where plain folders lead to it: a link on the way would show
    it elsewhere."""
    path, kind = workspace.path, 0
    for part in shown.at.split("/"):
        if kind and not stat.S_ISDIR(kind):
            return False
        path = path / part
        try:
            kind = path.lstat().st_mode
        except OSError:
            return False
        if part in ("", ".", "..", ".git") or not (stat.S_ISDIR(kind) or stat.S_ISREG(kind)):
            return False
    return shown.source.is_dir() if stat.S_ISDIR(kind) else shown.source.is_file()


def visible_entries(workspace: Workspace, tools: Tools) -> Mapping[str, list[str]]:
    """What is to be seen at the top, and of the machine's settings."""
    tops = {mount.at.parts[1] for mount in mounts_of(workspace, tools.readable)}
    return {"/": [*tops, "usr", "etc", "proc", "dev", "tmp", "home", *_LINKS], "/etc": [*_ETC]}


def reachable(path: Path, user: int) -> bool:
    """Whether that user may walk to the path: every folder above it lets them through."""
    found = [folder.stat() for folder in path.parents]
    return all(folder.st_mode & (stat.S_IXUSR if folder.st_uid == user else stat.S_IXOTH) for folder in found)


def _stage(tools: Tools, mounts: Sequence[Mount]) -> Iterator[str]:
    """Not the whole machine: its mounts come and go, and bwrap fails if one goes meanwhile."""
    yield from (tools.bwrap, "--die-with-parent", "--unshare-pid", *_programs(), "--ro-bind", "/etc", "/etc")
    yield from ("--dev-bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev", "--tmpfs", STAGE)
    yield from (*_binds(mounts, to_stage=True), "--")


def _programs() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _LINKS:
        at = Path("/", name)
        if at.is_symlink():
            yield from ("--symlink", str(at.readlink()).lstrip("/"), str(at))
        elif at.is_dir():
            yield from ("--ro-bind", str(at), str(at))


def _memory_folders(profile: Profile) -> Iterator[str]:
    small, large = min(64 * MB, profile.memory // 8), min(256 * MB, profile.memory // 4)
    for size, at in zip((small, large, small), MEMORY_FOLDERS, strict=True):
        yield from ("--size", str(size), "--tmpfs", at)


def _binds(mounts: Sequence[Mount], *, from_stage: bool = False, to_stage: bool = False) -> Iterator[str]:
    for number, mount in enumerate(mounts):
        staged = f"{STAGE}/{number}"
        yield "--bind" if mount.writable else "--ro-bind"
        yield from (staged if from_stage else str(mount.outside), staged if to_stage else str(mount.at))


# Of whoever asks for one; a modern yarn heeds its own alone.
_PROXIES = (
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"),
    *("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"),
)


def environ_of(workspace: Workspace, profile: Profile) -> Mapping[str, str]:
    """All that a program inside finds in its environment."""
    paths = [str(path / "bin") for path in workspace.readable if (path / "pyvenv.cfg").exists()]
    proxy = f"http://127.0.0.1:{PROXY_PORT}"
    names = _PROXIES if profile.egress else ()
    return {
        "PATH": ":".join((*paths, "/usr/local/bin", "/usr/bin", "/bin")),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        # the repository belongs to another user, and git must not want to write to it
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_OPTIONAL_LOCKS": "0",
        **dict.fromkeys(names, proxy),
        **workspace.environ,
    }


def _limited(tools: Tools, profile: Profile) -> list[str]:
    """RLIMIT_AS would break programs that only reserve memory; RLIMIT_DATA counts what they use."""
    return [
        tools.prlimit,
        f"--nproc={profile.processes}",
        f"--data={profile.memory}",
        f"--fsize={profile.file}",
        f"--cpu={int(profile.seconds * profile.cpus)}",
        *("--core=0", f"--nofile={profile.descriptors}", "--"),
    ]
