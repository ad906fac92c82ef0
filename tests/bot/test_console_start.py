"""A console that dies while it starts is told of, and is not waited for."""

import asyncio
import socket

import pytest

from agents.domain.errors import SettingsProblem
from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from tests.fakes.console import SECRET
from tests.fakes.desk import ScriptedDesk


async def test_a_console_that_dies_while_it_starts_is_not_waited_for() -> None:
    """Somebody begins to listen on its port after it took it, and before it listens there itself."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        desk = ScriptedDesk()
        console = running(desk, ConsoleOptions(port=port, secret=SECRET, now=lambda: desk.clock))
        starting = asyncio.ensure_future(console.__aenter__())
        await asyncio.sleep(0)
        other.listen()
        done, _ = await asyncio.wait([starting], timeout=10)
        assert done, "it is waited for without end"
        with pytest.raises(SettingsProblem, match=f"cannot listen on 127.0.0.1 port {port} .* OVERLORD_CONSOLE_PORT"):
            starting.result()
    with socket.create_server(("127.0.0.1", port)):
        """The port is free again: nothing of the console is left."""
