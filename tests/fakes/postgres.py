"""A private PostgreSQL: a cluster of its own in a temporary folder, from the machine's packages, gone afterwards."""

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

USER = "overlord"
PLACES = ("/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt")
EMPTY = "template1"
PATIENCE = 60.0  # seconds for a server to come up, a recovery included


class NoServer(Exception):
    """Why no PostgreSQL can be had here."""


def server_binaries() -> Path:
    """The folder with initdb and postgres; the newest, where there are several."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    found_in = [path.parent for place in PLACES for path in Path(place).glob("*/bin/initdb")]
    if not found_in:
        raise NoServer("no PostgreSQL server on this machine; to have it: apt-get install postgresql")
    return max(found_in, key=lambda folder: [int(part) for part in folder.parent.name.split("@")[-1].split(".")])


def _without_rights() -> list[str]:
    """The server refuses to run as root, so it is started as somebody who may do nothing. It goes when we go."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0:
        return [setpriv, "--pdeathsig", "QUIT"] if setpriv else []
    if not setpriv:
        raise NoServer("PostgreSQL does not run as root, and there is no setpriv to run it as somebody else")
    return [setpriv, f"--reuid={_nobody()}", f"--regid={_nobody()}", "--clear-groups", "--pdeathsig", "QUIT"]


def _nobody() -> int:
    return 65534


class PrivatePostgres:
    """One cluster. `fsync=False` is for tests that are not about durability."""

    def __init__(self, *, fsync: bool) -> None:
        self._binaries, self._as_nobody = server_binaries(), _without_rights()
        self._fsync = fsync
        self._port = _free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self._made = 0
        self.home = Path(tempfile.mkdtemp(prefix="overlord-pg-"))
        if os.geteuid() == 0:
            os.chown(self.home, _nobody(), _nobody())
        self._run("initdb", "-D", str(self._data), "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")

    @property
    def _data(self) -> Path:
        return self.home / "data"

    def start(self) -> None:
        """Start it, also after kill9, and wait until it can be used."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": str(self.home),
            "fsync": "on" if self._fsync else "off",
            "max_connections": "60",
            "shared_buffers": "32MB",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [*self._as_nobody, str(self._binaries / "postgres"), "-D", str(self._data), *options]
        with (self.home / "server.log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.home)
        self._wait_until_up()

    def kill9(self) -> None:
        """SIGKILL to the server and all its children, as a power cut would have it; the disk's cache stays."""
        server, self._server = self._server, None
        assert server is not None
        children = _children(server.pid)
        for pid in (server.pid, *children):
            _kill(pid)
        server.wait()
        give_up = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < give_up:
            time.sleep(0.01)

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
            try:
                self._server.wait(10)
            except subprocess.TimeoutExpired:
                self.kill9()
        self._server = None
        shutil.rmtree(self.home, ignore_errors=True)

    def fresh(self, template: str = EMPTY) -> str:
        """The address of a new database, empty or like another one."""
        self._made += 1
        name = f"test_{self._made}"
        with self._connect("postgres") as admin:
            admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        return self.address(name)

    def drop(self, address: str) -> None:
        """Each takes 8 MB, and hundreds of them take a long time to remove."""
        with self._connect("postgres") as admin:
            admin.execute(f'DROP DATABASE "{address.rpartition("/")[2]}" WITH (FORCE)'.encode())

    def address(self, database: str) -> str:
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self._port}/{database}"

    def _connect(self, database: str) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host="127.0.0.1", port=self._port, user=USER, dbname=database, autocommit=True, connect_timeout=30
        )

    def _wait_until_up(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                self._connect("postgres").close()
                return
            except psycopg.OperationalError:
                assert self._server is not None
                if self._server.poll() is not None or time.monotonic() > give_up:
                    raise AssertionError((self.home / "server.log").read_text()[-2000:]) from None
                time.sleep(0.02)

    def _run(self, binary: str, *arguments: str) -> None:
        command = [*self._as_nobody, str(self._binaries / binary), *arguments]
        done = subprocess.run(command, cwd=self.home, capture_output=True, text=True, timeout=120)
        if done.returncode:
            shutil.rmtree(self.home, ignore_errors=True)
            raise AssertionError(f"{binary} failed:\n{done.stdout}{done.stderr}")


@contextmanager
def private_postgres(*, fsync: bool) -> Iterator[PrivatePostgres]:
    """A running cluster. Where none can be had, the test is reported as not run, and why."""
    try:
        server = PrivatePostgres(fsync=fsync)
    except NoServer as problem:
        pytest.skip(str(problem))
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _free_port() -> int:
    """One that no outgoing connection is given by chance, so that it is still free when the server starts again."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("200 ports in a row are taken")
