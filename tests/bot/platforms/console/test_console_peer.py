"""Whose connection it is: asked of the kernel, for one socket, and never of a header."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agents.domain.errors import SettingsProblem
from bot.network import Address, LookUp, Peer, ask_kernel, neighbourhood, read_address, read_tables
from bot.platforms.console.sign_in import ConsoleOptions, needs_login
from tests.fakes.another_user import OTHER, STRANGER, ask, needs_root, start
from tests.fakes.console import SECRET, console
from tests.fakes.desk import START

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
CLIENT, SERVER = ("127.0.0.1", 50000), ("127.0.0.1", 8765)
ROW = "   0: {} {} {} 00000000:00000000 00:00000000 00000000 {:5} 0 1 1 0 20 4 30 10 -1\n"
V4, V4_SERVER = "0100007F:C350", "0100007F:223D"
MAPPED, MAPPED_SERVER = "0000000000000000FFFF00000100007F:C350", "0000000000000000FFFF00000100007F:223D"
V6, V6_SERVER = "00000000000000000000000001000000:C350", "00000000000000000000000001000000:223D"
ESTABLISHED, FIN_WAIT = "01", "04"

# What a stranger may write to look like somebody of this machine.
CLAIMS = [
    "",
    "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-For: ::1",
    "X-Forwarded-For: localhost",
    "X-Forwarded-For: 127.0.0.1, 127.0.0.1",
    "X-Forwarded-For: |X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-Proto: https|X-Forwarded-For: 127.0.0.1",
    "Forwarded: for=127.0.0.1",
    "X-Real-IP: 127.0.0.1",
]

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a socket is")
little_endian = pytest.mark.skipif(sys.byteorder != "little", reason="the rows below are as a little-endian machine")


def table(folder: Path, *rows: tuple[str, str, str, int]) -> tuple[Path, ...]:
    path = folder / "tcp"
    path.write_text(HEAD + "".join(ROW.format(*row) for row in rows))
    return (path,)


@contextmanager
def connected(host: str = "127.0.0.1") -> Iterator[tuple[socket.socket, Address, Address]]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server((host, 0), family=family))
        client = stack.enter_context(socket.create_connection(server.getsockname()[:2]))
        stack.enter_context(server.accept()[0])
        yield client, client.getsockname()[:2], server.getsockname()[:2]


# ── the table of all sockets ────────────────────────────────────────────────────────────────────────────────────────


@little_endian
@pytest.mark.parametrize(
    ("row", "ends"),
    [
        ((V4, V4_SERVER, ESTABLISHED, 1234), (CLIENT, SERVER)),
        ((MAPPED, MAPPED_SERVER, ESTABLISHED, 1234), (CLIENT, SERVER)),
        ((V6, V6_SERVER, ESTABLISHED, 1234), (("::1", 50000), ("::1", 8765))),
    ],
)
def test_the_clients_end_counts_and_not_ours(
    tmp_path: Path, row: tuple[str, str, str, int], ends: tuple[Address, Address]
) -> None:
    ours = (row[1], row[0], ESTABLISHED, 7)
    assert read_tables(*ends, table(tmp_path, ours, row)) == 1234


@little_endian
def test_a_socket_that_was_closed_is_nobodys_though_the_kernel_says_root(tmp_path: Path) -> None:
    assert read_tables(CLIENT, SERVER, table(tmp_path, (V4, V4_SERVER, FIN_WAIT, 0))) is None


# ── one socket ──────────────────────────────────────────────────────────────────────────────────────────────────────


@linux
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("way", [ask_kernel, read_tables])
def test_our_own_connection_is_recognised(host: str, way: LookUp) -> None:
    with connected(host) as (client, ours, theirs):
        assert way(ours, theirs) == os.getuid()  # type: ignore[operator]
        client.sendall(b"and gone")
        client.close()
        assert way(ours, theirs) is None  # type: ignore[operator]


@linux
def test_asking_for_one_socket_does_not_hold_up_the_loop() -> None:
    """About 16 µs each, among 600 other sockets as well; a table is read at 7 µs a row."""
    with connected() as (_, ours, theirs), ExitStack() as others:
        server = others.enter_context(socket.create_server(("127.0.0.1", 0), backlog=512))
        for _ in range(300):
            others.enter_context(socket.create_connection(server.getsockname()))
        began = time.perf_counter()
        for _ in range(1000):
            assert ask_kernel(ours, theirs) == os.getuid()
        assert time.perf_counter() - began < 1  # a thousand tables would take four seconds


# ── who is let in ───────────────────────────────────────────────────────────────────────────────────────────────────


def refuses(client: Address, server: Address) -> int | None:
    raise OSError("no netlink here")


@pytest.mark.parametrize(
    ("owner", "let_in"), [(os.getuid(), True), (0, True), (os.getuid() + 4321, False), (None, False)]
)
@pytest.mark.parametrize("quick", [True, False])
async def test_only_our_own_user_and_root_are_let_in(owner: int | None, let_in: bool, quick: bool) -> None:
    def says(client: Address, server: Address) -> int | None:
        return owner

    look_up = LookUp(at_once=says if quick else refuses, slowly=says)
    assert await Peer(CLIENT, SERVER, look_up).is_ours() is let_in


@pytest.mark.parametrize("client", [None, ("10.0.0.7", 50000), ("localhost", 50000), ("", 0), ("nonsense", 1)])
async def test_who_is_not_on_loopback_is_not_looked_up(client: Address | None) -> None:
    look_up = LookUp(at_once=lambda *_: os.getuid(), slowly=lambda *_: os.getuid())
    assert not await Peer(client, SERVER, look_up).is_ours()


async def test_a_connection_is_looked_up_once_and_off_the_loop_where_it_is_slow() -> None:
    asked: list[Address] = []
    loop_thread = asyncio.get_running_loop()

    def slow(client: Address, server: Address) -> int:
        asked.append(client)
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        assert loop_thread.is_running()
        return os.getuid()

    async with console(look_up=LookUp(at_once=refuses, slowly=slow)) as visit:
        for _ in range(3):
            assert (await visit.get("/needs")).status_code == 200
        assert len(asked) == 1


@linux
async def test_a_header_makes_nobody_the_operator_and_nobody_a_stranger() -> None:
    def another(client: Address, server: Address) -> int:
        return os.getuid() + 4321

    async with console(look_up=LookUp(at_once=another)) as stranger, console() as own:
        for claim in CLAIMS:
            headers = {name: value.strip() for name, _, value in (line.partition(":") for line in _lines(claim))}
            assert (await stranger.get("/needs", **headers)).status_code == 403, claim
            assert (await own.get("/needs", **headers)).status_code == 200, claim


def _lines(claim: str) -> list[str]:
    return [line for line in claim.split("|") if line]


@linux
@needs_root
@pytest.mark.parametrize("owner", [0, OTHER], ids=["the bot is root", "the bot is not root"])
def test_a_process_of_another_user_is_refused_whatever_it_claims(owner: int) -> None:
    with start("-m", "tests.fakes.console_process", str(owner)) as server:
        assert server.stdout and server.stdin and server.stderr
        port = urlsplit(server.stdout.readline().strip()).port or 0
        assert port, server.stderr.read()
        assert ask(STRANGER, port, CLAIMS) == ["403"] * len(CLAIMS)
        assert ask(0, port, CLAIMS[:2]) == ["200"] * 2  # root may read everything anyway
        assert ask(owner, port, CLAIMS[:2]) == ["200"] * 2
        server.stdin.close()


# ── where nothing can be looked up ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("host", "proxies", "look_up", "asks"),
    [
        ("127.0.0.1", (), LookUp(), False),
        ("::1", (), LookUp(), False),
        ("localhost", (), LookUp(), False),
        ("127.0.0.1", (), None, True),
        ("127.0.0.1", ("127.0.0.1",), LookUp(), True),
        ("10.0.0.7", (), LookUp(), True),
        ("0.0.0.0", (), None, True),
    ],
)
def test_people_sign_in_unless_it_is_certain_who_connects(
    host: str, proxies: tuple[str, ...], look_up: LookUp | None, asks: bool
) -> None:
    assert needs_login(host, proxies, look_up) is asks
    if asks:
        with pytest.raises(SettingsProblem, match="open to everybody"):
            ConsoleOptions(host=host, proxies=proxies, look_up=look_up, secret=SECRET, now=lambda: START)


# ── addresses as they are written ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "read", "place"),
    [
        ("10.0.0.7", "10.0.0.7", "10.0.0.7"),
        ("10.0.0.7:4711", "10.0.0.7", "10.0.0.7"),
        ("[::1]:4711", "::1", "::/64"),
        ("2001:db8::5", "2001:db8::5", "2001:db8::/64"),
        ("::ffff:10.0.0.7", "10.0.0.7", "10.0.0.7"),
        ("localhost", None, ""),
        ("unknown", None, ""),
        ("", None, ""),
        ("[", None, ""),
        ("127.0.0.1\x00", None, ""),
        ("1" * 5000, None, ""),
    ],
)
def test_an_address_is_read_or_it_is_none(written: str, read: str | None, place: str) -> None:
    assert (str(read_address(written)) if read else read_address(written)) == read
    assert neighbourhood(written) == place
