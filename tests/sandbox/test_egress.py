"""The one way out: what is on the list answers, everything else is refused and says why."""

import json
from dataclasses import replace

import pytest

from agents.ports import EndedBy, Room
from agents.workspace.sandbox.walls import GATE, MINION
from tests.sandbox.loopback import connect, echo, only
from tests.sandbox.yard import Yard, python

ASK = r"""
    import json, os, socket, sys
    def ask(head, more=b""):
        with socket.create_connection(("127.0.0.1", 3128), 5) as s:
            s.sendall(head)
            said = b""
            while b"\r\n\r\n" not in said:
                piece = s.recv(4096)
                if not piece: return said.decode()
                said += piece
            if not more: return said.decode()
            s.sendall(more)
            s.shutdown(socket.SHUT_WR)
            rest = b""
            while piece := s.recv(65536): rest += piece
            return rest.decode()
    print(json.dumps([ask(head.encode(), more.encode()) for head, more in json.loads(sys.argv[1])]))
"""


async def asked(room: Room, *asks: tuple[str, str]) -> list[str]:
    ran = await room.run(python(ASK, json.dumps(asks)))
    assert ran.exit_code == 0, ran
    answers: list[str] = json.loads(ran.output)
    return answers


async def test_only_what_is_listed_is_reached(yard: Yard) -> None:
    async with (
        echo() as listed,
        echo() as unlisted,
        yard.sandbox.open(yard.workspace, only(f"127.0.0.1:{listed}")) as room,
    ):
        said = await asked(
            room,
            (connect(f"127.0.0.1:{listed}"), "hello " * 2_000),
            (connect(f"127.0.0.1:{unlisted}"), ""),
            (connect("169.254.169.254:80"), ""),
            (connect("evil.example:443"), ""),
        )
    assert said[0] == "hello " * 2_000
    assert all(answer.startswith("HTTP/1.1 403 ") for answer in said[1:])


@pytest.mark.parametrize(
    "head",
    [
        "GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port}@evil:443 HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port}\r\nX: y HTTP/1.1\r\n\r\n",
        "CONNECT  127.0.0.1:{port} HTTP/1.1\r\n\r\n",
        "CONNECT 127.1:{port} HTTP/1.1\r\n\r\n",
        "CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port}.evil:443 HTTP/1.1\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
@pytest.mark.long_in_containers
async def test_no_other_spelling_gets_through(yard: Yard, head: str) -> None:
    async with echo() as port, yard.sandbox.open(yard.workspace, only(f"127.0.0.1:{port}")) as room:
        (said,) = await asked(room, (head.format(port=port), ""))
    assert said.startswith(("HTTP/1.1 403 ", "HTTP/1.1 405 "))


@pytest.mark.long_in_containers
async def test_a_listed_host_that_does_not_answer_is_told(yard: Yard) -> None:
    async with echo() as port:
        pass
    async with yard.sandbox.open(yard.workspace, only(f"127.0.0.1:{port}")) as room:
        (said,) = await asked(room, (connect(f"127.0.0.1:{port}"), ""))
    assert said.startswith("HTTP/1.1 502 ")


@pytest.mark.long_in_containers
async def test_a_head_without_end_is_refused(yard: Yard) -> None:
    async with yard.sandbox.open(yard.workspace, only("a:1")) as room:
        (said,) = await asked(room, ("CONNECT a:1 HTTP/1.1\r\nX: " + "y" * 20_000, ""))
    assert said.startswith("HTTP/1.1 431 ") or said == ""  # it may close before all was written


async def test_the_proxy_is_there_again_in_the_next_sandbox_of_a_room(yard: Yard) -> None:
    async with yard.sandbox.open(yard.workspace, only("a:1")) as room:
        assert (await room.run(["sleep", "60"], timeout=0.3)).ended_by is EndedBy.TIMEOUT
        (said,) = await asked(room, (connect("b:2"), ""))
        assert said.startswith("HTTP/1.1 403 ")
        ran = await room.run(["sh", "-c", "echo $HTTPS_PROXY"])
    assert ran.output == "http://127.0.0.1:3128\n"


@pytest.mark.long_in_containers
async def test_two_rooms_have_each_their_own_door(yard: Yard) -> None:
    async with (
        echo() as port,
        yard.sandbox.open(yard.workspace, only(f"127.0.0.1:{port}")) as open_room,
        yard.sandbox.open(yard.workspace, only("a:1")) as shut_room,
    ):
        assert await asked(open_room, (connect(f"127.0.0.1:{port}"), "hi")) == ["hi"]
        (said,) = await asked(shut_room, (connect(f"127.0.0.1:{port}"), ""))
    assert said.startswith("HTTP/1.1 403 ")


def test_neither_profile_has_a_network() -> None:
    assert GATE.egress == frozenset()
    assert MINION.egress == frozenset(), "models are asked by the host"
    assert (GATE.memory, GATE.cpus, GATE.seconds) == (2 << 30, 1, 600)
    assert (MINION.memory, MINION.cpus, MINION.seconds) == (4 << 30, 2, 1800)


async def test_what_is_listed_is_read_in_the_open_only_where_the_profile_says_so(yard: Yard) -> None:
    async with (
        echo() as listed,
        echo() as unlisted,
        yard.sandbox.open(yard.workspace, replace(only(f"127.0.0.1:{listed}"), in_the_open=True)) as room,
    ):
        said = await asked(
            room,
            (f"GET http://127.0.0.1:{listed}/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: y\r\n\r\n", ""),
            (f"GET http://127.0.0.1:{unlisted}/ HTTP/1.1\r\n\r\n", ""),
            (f"POST http://127.0.0.1:{listed}/ HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", ""),
            (f"GET http://ana:x@127.0.0.1:{listed}/ HTTP/1.1\r\n\r\n", ""),
        )
    assert said[0] == "GET /a?b=c HTTP/1.1\r\nConnection: close\r\nHost: x\r\n\r\n"
    assert [answer[9:12] for answer in said[1:]] == ["403", "405", "405"]
