"""Whose connection it is, read from the kernel's own table."""

import asyncio
import os
import socket
import sys
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.platforms.console.hosting import Connection
from bot.platforms.console.identity import is_own_user
from bot.platforms.console.peer import is_stranger, owner_of

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
CLIENT, SERVER = ("127.0.0.1", 50000), ("127.0.0.1", 8765)
ROW = "   0: {} {} 01 00000000:00000000 00:00000000 00000000 {:5} 0 1 1 0 20 4 30 10 -1\n"
V4, V4_SERVER = "0100007F:C350", "0100007F:223D"
MAPPED, MAPPED_SERVER = "0000000000000000FFFF00000100007F:C350", "0000000000000000FFFF00000100007F:223D"
V6, V6_SERVER = "00000000000000000000000001000000:C350", "00000000000000000000000001000000:223D"

little_endian = pytest.mark.skipif(sys.byteorder != "little", reason="the rows below are as a little-endian machine")


def table(folder: Path, *rows: tuple[str, str, int]) -> tuple[Path, ...]:
    path = folder / "tcp"
    path.write_text(HEAD + "".join(ROW.format(*row) for row in rows))
    return (path,)


@little_endian
def test_the_clients_end_counts_and_not_ours(tmp_path: Path) -> None:
    rows = table(tmp_path, (V4_SERVER, V4, 7), (V4, V4_SERVER, 1234))
    assert owner_of(CLIENT, SERVER, rows) == 1234


@little_endian
def test_an_ipv4_client_is_found_on_a_socket_of_both_kinds(tmp_path: Path) -> None:
    rows = table(tmp_path, (MAPPED, MAPPED_SERVER, 1234))
    assert owner_of(CLIENT, SERVER, rows) == 1234


@little_endian
def test_an_ipv6_client_is_found(tmp_path: Path) -> None:
    rows = table(tmp_path, (V6, V6_SERVER, 1234))
    assert owner_of(("::1", 50000), ("::1", 8765), rows) == 1234


@little_endian
@pytest.mark.parametrize(("owner", "stranger"), [(os.getuid(), False), (0, False), (os.getuid() + 4321, True)])
def test_only_another_users_connection_is_refused(tmp_path: Path, owner: int, stranger: bool) -> None:
    assert is_stranger(CLIENT, SERVER, table(tmp_path, (V4, V4_SERVER, owner))) is stranger


def test_what_is_not_in_the_table_is_let_in(tmp_path: Path) -> None:
    assert not is_stranger(CLIENT, SERVER, table(tmp_path))


def test_where_there_is_no_table_nobody_is_refused(tmp_path: Path) -> None:
    assert not is_stranger(CLIENT, SERVER, (tmp_path / "missing",))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc/net/tcp")
def test_our_own_connection_is_recognised() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert owner_of(client.getsockname(), server.getsockname()) == os.getuid()


def test_what_was_found_out_about_a_connection_is_not_looked_up_again() -> None:
    known: dict[str, bool] = {}
    scope = {"client": CLIENT, "server": SERVER, "state": {"connection": known}}
    assert is_own_user(scope)
    assert known == {"stranger": False}
    known["stranger"] = True
    assert not is_own_user(scope)


async def test_requests_of_one_connection_share_a_note_and_nobody_elses_do() -> None:
    async def counting(scope: Scope, receive: Receive, send: Send) -> None:
        note = scope["state"]["connection"]
        note["seen"] = note.get("seen", 0) + 1
        await PlainTextResponse(str(note["seen"]))(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = uvicorn.Server(uvicorn.Config(counting, http=Connection, log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        async with httpx.AsyncClient() as one, httpx.AsyncClient() as other:
            said = [(await client.get(address)).text for client in (one, one, other, one)]
        server.should_exit = True
        await serving
    assert said == ["1", "2", "1", "3"]
