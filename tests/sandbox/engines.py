"""The container engines that tests use: Podman with settings, storage and an image of our own in the user's cache.

`python -m tests.sandbox.engines` makes the image, once, from the package source of this machine; `make test` calls it.
The user's own containers, images and settings are neither read nor changed.
"""

import asyncio
import fcntl
import os
import platform
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import dedent

from agents.workspace.sandbox.container import IMAGE, Container, Engine

RECIPE = 1  # raise it when the image is made in another way: the key of the cache
PACKAGES = "python3,git,ca-certificates"
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/man/*")
SOURCES = ("sources.list", "sources.list.d/debian.sources", "sources.list.d/ubuntu.sources")
PATIENCE = 60.0
MAKING = 900.0  # seconds for a machine that is busy and far from its package source
PROBLEM = "problem"  # a file that says why there is no image, for pytest's summary


class NoEngine(Exception):
    """Why an engine cannot be used here."""


def podman() -> Engine:
    """Ready to be used, or NoEngine."""
    if shutil.which("podman") is None:
        raise NoEngine("Podman is not installed")
    command, problem = place() / "podman", place() / PROBLEM
    if problem.exists():
        raise NoEngine(problem.read_text())
    if not command.exists() or not works(str(command), "image", "exists", IMAGE):
        raise NoEngine("there is no image for Podman yet, `make test` makes it")
    return Engine(name="podman", path=str(command))


def docker() -> Engine:
    """Whichever answers, if it has the image: tests download nothing."""
    path = os.environ.get("OVERLORD_TEST_DOCKER") or shutil.which("docker")
    if path is None or not works(path, "info"):
        raise NoEngine("no Docker engine answers here, `make bench ARGS=--all` starts one")
    if not works(path, "image", "inspect", IMAGE):
        raise NoEngine(f"Docker has no image {IMAGE} here")
    return Engine(name="docker", path=path)


def works(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def place() -> Path:
    """Shared by all checkouts of a user; outside of them, so that `make clean` and a fresh clone keep the image."""
    key = f"containers-{RECIPE}-{_codename() or 'unknown'}-{platform.machine()}-{os.geteuid()}"
    home = os.environ.get("HOME") or pwd.getpwuid(os.geteuid()).pw_dir
    return Path(os.environ.get("XDG_CACHE_HOME") or Path(home, ".cache")) / "overlord-tests" / key


def make(folder: Path) -> None:
    """Makes the image unless it is there. NoEngine if it cannot be had."""
    binary = shutil.which("podman")
    if binary is None:
        raise NoEngine("Podman is not installed")
    with _alone(folder):
        command = _settings(folder, binary)
        if not works(command, "image", "exists", IMAGE):
            _import(command, folder)
        _try(command)
    asyncio.run(Container(Engine(name="podman", path=command)).sweep())  # what a killed run left


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two runs at once: the second waits, and then finds the image made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise NoEngine(f"{folder} cannot be used: {error.strerror}") from None


def _settings(folder: Path, binary: str) -> str:
    """Writes Podman's settings, and the command that uses them in place of the user's."""
    running = _runtime_folder()
    runtime = 'runtime = "runc"' if shutil.which("runc") else ""  # crun refuses hybrid cgroups
    manager = "systemd" if Path("/run/systemd/system").is_dir() else "cgroupfs"
    _write(
        folder / "containers.conf",
        f"""\
        [engine]
        {runtime}
        cgroup_manager = "{manager}"
        events_logger = "none"
        lock_type = "file"
        tmp_dir = "{running}/engine"
        [containers]
        default_ulimits = ["nofile=1024:1024", "nproc=512:512"]
        """,
    )
    _write(
        folder / "storage.conf",
        f"""\
        [storage]
        driver = "overlay"
        graphroot = "{folder}/storage"
        runroot = "{running}/storage"
        """,
    )
    _write(
        folder / "podman",
        f"""\
        #!/bin/sh
        export CONTAINERS_CONF='{folder}/containers.conf' CONTAINERS_STORAGE_CONF='{folder}/storage.conf'
        exec '{binary}' "$@"
        """,
    )
    return str(folder / "podman")


def _runtime_folder() -> Path:
    """Empty after a boot, and short: Podman takes at most 50 characters."""
    if os.geteuid() == 0:
        return Path("/run/overlord-tests")
    given = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(given, "overlord-tests") if given else Path(f"/tmp/overlord-tests-{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise NoEngine(f"{folder} is somebody else's")
    return folder


def _write(file: Path, text: str) -> None:
    """In one step: a run beside this one may be reading it."""
    new = file.with_name(f"{file.name}.{os.getpid()}")
    new.write_text(dedent(text))
    new.chmod(0o755)
    new.replace(file)


def _import(command: str, folder: Path) -> None:
    tar = folder / "image.tar"
    try:
        _run(_recipe(tar))
        _run([command, "import", "--quiet", str(tar), IMAGE])
    finally:
        tar.unlink(missing_ok=True)


def _try(command: str) -> None:
    """Whether the engine itself can do here what is asked of it; whether we ask rightly, the tests say."""
    limits = ("--memory", "64m", "--pids-limit", "20")
    tried = subprocess.run(  # a hang is a failure like any other
        ["timeout", f"{PATIENCE:.0f}", command, "run", "--rm", "--network", "none", *limits, IMAGE, "true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if tried.returncode != 0 or "ignored" in tried.stderr:  # without root only version 2 of control groups has limits
        raise NoEngine(f"Podman cannot hold containers here: {tried.stderr.strip()[-300:]}")


def _recipe(tar: Path) -> list[str]:
    codename, sources = _codename(), [f"/etc/apt/{name}" for name in SOURCES if Path("/etc/apt", name).exists()]
    if shutil.which("mmdebstrap") is None or not sources or not codename:
        raise NoEngine("no image for Podman: it takes mmdebstrap and the package source of a Debian or an Ubuntu")
    say("making the image that containers of tests use; once, in one or two minutes")
    excluded = [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
    return ["mmdebstrap", "--variant=essential", f"--include={PACKAGES}", *excluded, codename, str(tar), *sources]


def _run(command: Sequence[str]) -> None:
    """What it says is passed on, so that nobody thinks it hangs."""
    last = ""
    with subprocess.Popen(
        ["timeout", f"{MAKING:.0f}", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout or ():
            last = line.strip() or last
            if line.startswith("I: ") and last.endswith("..."):
                say(f"  {last[3:]}")
    if running.returncode != 0:
        raise NoEngine(f"no image for Podman: {Path(command[0]).name} failed: {last or running.returncode}")


def _codename() -> str:
    try:
        return platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        return ""


def say(text: str) -> None:
    sys.stdout.write(f"set-up: {text}\n")
    sys.stdout.flush()


def main() -> int:
    """Never fails: what cannot be tried here is named in pytest's summary."""
    folder = place()
    try:
        make(folder)
    except NoEngine as why:
        say(str(why))
        with suppress(OSError):
            (folder / PROBLEM).write_text(str(why))
    else:
        (folder / PROBLEM).unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
