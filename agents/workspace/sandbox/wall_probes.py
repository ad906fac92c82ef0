"""Runs inside the sandbox: tries what must not work, and prints as JSON what did. It does no harm if it works."""

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Given = dict[str, Any]
_WAIT = 1.0
_PTRACE_TRACEME = 0


def environment(given: Given) -> str:
    names = set(os.environ) - set(given["environ"] or os.environ)
    return f"there are {', '.join(sorted(names))}" if names else ""


def environment_of_others(given: Given) -> str:
    for path in Path("/proc").glob("[0-9]*/environ") if given["environ"] else ():
        with suppress(OSError):
            pairs = path.read_bytes().split(b"\0")
            names = {os.fsdecode(pair.partition(b"=")[0]) for pair in pairs if pair} - set(given["environ"])
            if names:
                return f"{path} shows {', '.join(sorted(names)[:5])}"
    return ""


def files(given: Given) -> str:
    """Only what was put there on purpose is to be seen."""
    for folder, expected in given["shown"].items():
        seen = {entry.name for entry in Path(folder).iterdir()} - set(expected)
        if seen:
            return f"{folder} shows {', '.join(sorted(seen)[:5])}"
    with suppress(OSError):
        Path(given["secret"]).read_text()
        return f"{given['secret']} can be read"
    return ""


def workspace(given: Given) -> str:
    """The one thing that must work."""
    try:
        Path(given["workspace"], "mark").write_text("written inside")
    except OSError as error:
        return f"it cannot be written: {error.strerror}"
    return ""


def writing_outside(given: Given) -> str:
    for folder in ("/", "/usr", "/etc", "/dev", "/proc/sys/kernel", *given["above"]):
        with suppress(OSError):
            path = Path(folder, ".overlord-probe")
            path.write_text("")
            path.unlink()
            return f"{folder} can be written"
    return ""


def core_pattern(given: Given) -> str:
    """Who may write this file runs programs as root on the host. It is opened, and nothing is written."""
    path = Path("/proc/sys/kernel/core_pattern")
    owner = path.stat().st_uid
    if owner == os.getuid():
        return "the user inside is root outside"
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY))
        return f"{path} can be written"
    return ""


def capabilities(given: Given) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    held = [line.split()[0] for line in lines if line.startswith("Cap") and int(line.split()[1], 16)]
    return f"{', '.join(held)} not empty" if held else ""


def user(given: Given) -> str:
    return "it runs as root" if 0 in (*os.getresuid(), *os.getresgid()) else ""


def git(given: Given) -> str:
    for at in given["git"]:
        with suppress(OSError):
            path = Path(at, ".overlord-probe") if Path(at).is_dir() else Path(at)
            with path.open("a"):
                return f"{at} can be written"
    for at in given["git"][:1]:
        with suppress(OSError):
            Path(at).rename(f"{at}.moved")
            return f"{at} can be moved away"
    return ""


def mounting(given: Given) -> str:
    libc = ctypes.CDLL(None)
    for at in (given["workspace"], "/tmp", *given["git"]):
        if libc.umount2(at.encode(), 2) == 0:
            return f"{at} can be unmounted"
    if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
        return "something can be mounted"
    return ""


def user_namespaces(given: Given) -> str:
    code = "import ctypes, os; os._exit(ctypes.CDLL(None).unshare(0x10000000) == 0)"
    made = subprocess.run([sys.executable, "-ISc", code], check=False).returncode
    return "a new user namespace can be made, with every capability in it" if made == 1 else ""


def tracing(given: Given) -> str:
    return "" if ctypes.CDLL(None).ptrace(_PTRACE_TRACEME, 0, 0, 0) != 0 else "processes can be traced"


def filter(given: Given) -> str:
    """Every process, the first one too: its memory can be written by the others."""
    for path in Path("/proc").glob("[0-9]*/status") if given["filtered"] else ():
        if "\nSeccomp:\t2" not in path.read_text():
            return f"{path} has none"
    return ""


def taking_space(given: Given) -> str:
    """Space that is taken without writing is gone before anybody looks."""
    path = Path(given["workspace"], ".overlord-probe")
    with path.open("wb") as file:
        path.unlink()
        zero, size = ctypes.c_int64(0), ctypes.c_int64(4096)
        taken = ctypes.CDLL(None).fallocate64(file.fileno(), 0, zero, size) == 0
    return "it can be taken without writing" if taken else ""


def first_process(given: Given) -> str:
    with suppress(OSError):
        os.close(os.open("/proc/1/mem", os.O_RDWR))
        return "its memory can be written" if os.getpid() != 1 else ""
    return ""


def limits(given: Given) -> str:
    """Of every process: one that has none can be made to start others."""
    for path in Path("/proc").glob("[0-9]*/limits"):
        lines = path.read_text().splitlines()
        most = next((line.split()[3] for line in lines if line.startswith("Max processes")), "")
        if not most.isdigit() or int(most) > given["limit"]:
            return f"{path} allows {most or 'any number of'} processes"
    return ""


def network(given: Given) -> str:
    names = {name for _, name in socket.if_nameindex()} - {"lo"}
    if names:
        return f"there is {', '.join(sorted(names))}"
    for place in (("127.0.0.1", given["port"]), ("169.254.169.254", 80)):
        with suppress(OSError):
            socket.create_connection(place, _WAIT).close()
            return f"{place[0]}:{place[1]} can be reached"
    with suppress(OSError), socket.socket(socket.AF_UNIX) as host:
        host.connect(f"\0{given['abstract']}")
        return "a socket of the host can be reached"
    return ""


def names(given: Given) -> str:
    """Asking a name server is a way to send."""
    for server in given["name servers"]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking, suppress(OSError):
            asking.sendto(b"probe", (server, 53))
            return f"name server {server} can be asked"
    return ""


def processes(given: Given) -> str:
    """Ours, and nobody else's: the host's first process is not ours."""
    seen = len(list(Path("/proc").glob("[0-9]*")))
    return f"{seen} processes are seen" if seen > given["processes"] else ""


PROBES: tuple[Callable[[Given], str], ...] = (
    *(environment, environment_of_others, files, workspace, writing_outside, core_pattern, capabilities, user, git),
    *(mounting, user_namespaces, tracing, filter, taking_space, first_process, limits, network, names, processes),
)


def run_probes(given: Given) -> Iterator[tuple[str, str]]:
    for probe in PROBES:
        name = probe.__name__.replace("_", " ")
        try:
            yield name, probe(given)
        except OSError as error:
            yield name, f"could not be tried: {error}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(dict(run_probes(json.loads(sys.argv[1])))))
