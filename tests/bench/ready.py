"""From the start of the process to /healthz saying 200, beside a bare Starlette + uvicorn + SQLAlchemy.

Both run on the same Python, with their bytecode written, on a database that is there already: a program is started
again far more often than it is started for the first time. `ready_first` is that first time, in an empty folder.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.bench.floor import ROOT, folder
from tests.bench.rows import Row, Say, compared, in_turn

ROUNDS = 9
PATIENCE = 30.0  # seconds for a program to become ready
LOOK = 0.002
BARE = Path(__file__).parent / "bare_console.py"


def run(say: Say) -> list[Row]:
    with folder() as place:
        try:
            return _measure(place, say)
        except NeverReady as problem:
            return [Row(name="ready", ours=PATIENCE * 1e3, failed=str(problem))]


def _measure(place: Path, say: Say) -> list[Row]:
    ours, firsts, theirs = [], [], []
    for number in range(-1, ROUNDS):
        starts: dict[str, Callable[[], float]] = {
            "first": partial(_overlord, place / f"first-{number}"),
            "ready": partial(_overlord, place / "home"),
            "bare": partial(_bare, place),
        }
        took = {name: starts[name]() for name in in_turn(number, *starts)}
        first, ready, bare = (took[name] for name in starts)
        say(f"round {number + 1}: Overlord {ready * 1e3:.0f}, first time {first * 1e3:.0f}, bare {bare * 1e3:.0f} ms")
        if number >= 0:  # the first writes bytecode
            ours.append(ready)
            firsts.append(first)
            theirs.append(bare)
    beside = "bare Starlette + uvicorn + SQLAlchemy"
    return [
        compared("ready", ours, theirs, beside=beside, most=2.5),
        compared("ready_first", firsts, theirs, beside=beside),
    ]


def _overlord(home: Path) -> float:
    home.mkdir(exist_ok=True)
    port = _free_port()
    here = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": str(port), "HOME": str(home)}
    return _seconds_until_ready([sys.executable, "-m", "bot", "up"], port, home, here)


def _bare(place: Path) -> float:
    port = _free_port()
    return _seconds_until_ready([sys.executable, str(BARE), str(place / "bare.db"), str(port)], port, place, {})


def _seconds_until_ready(command: Sequence[str], port: int, cwd: Path, more: dict[str, str]) -> float:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OVERLORD_", "PYTHON"))}
    environ |= {"PYTHONPATH": str(ROOT), **more}
    before = time.perf_counter()
    with (cwd / "log").open("w") as log:
        program = subprocess.Popen(command, cwd=cwd, env=environ, stdout=log, stderr=log)
    try:
        while not _says_ok(port):
            if program.poll() is not None or time.perf_counter() - before > PATIENCE:
                raise NeverReady(f"{' '.join(command)} was never ready: {(cwd / 'log').read_text()[-400:]}")
            time.sleep(LOOK)
        return time.perf_counter() - before
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait(PATIENCE)


class NeverReady(Exception):
    pass


def _says_ok(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as asked:
            host = f"127.0.0.1:{port}"
            asked.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return asked.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
