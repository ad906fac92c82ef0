"""Listening to a runner: who spoke first is heard, and nothing that is no word of ours counts."""

import asyncio
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.workspace.gates.planted.belief import Heard
from agents.workspace.gates.planted.witness import listening

END = b'["end"]\n'


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="witness-") as made:
        yield Path(made)


def speaks(folder: Path, *words: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(folder / "told"))
        for each in words:
            line.sendall(each)


async def after(folder: Path, *speakers: tuple[bytes, ...]) -> Heard:
    async with listening(folder, "told") as listener:
        for words in speakers:
            await asyncio.to_thread(speaks, folder, *words)
    return listener.words()


async def test_what_was_said_is_heard_to_the_end(folder: Path) -> None:
    heard = await after(folder, (b'["plan", 1, ["a"]]\n["real", "a", "pas', b'sed", false]\n', END))
    assert heard.ended and heard.planned == ("a",) and [each.outcome for each in heard.told] == ["passed"]


async def test_only_the_first_is_heard(folder: Path) -> None:
    heard = await after(folder, (b'["plan", 0, []]\n',), (END,))
    assert heard.planned == () and not heard.ended


async def test_nobody_said_a_word(folder: Path) -> None:
    assert await after(folder) == Heard()


@pytest.mark.parametrize("said", [b"hello\n", b'["plan"]\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
async def test_what_cannot_be_read_is_garbled(folder: Path, said: bytes) -> None:
    assert (await after(folder, (said, END))).garbled


async def test_a_word_that_was_not_finished_is_no_lie(folder: Path) -> None:
    heard = await after(folder, (b'["plan", 1, ["a"]]\n["real", "a", "pas',))
    assert heard.planned == ("a",) and not heard.garbled and not heard.ended and not heard.cut


@pytest.mark.parametrize("end", [b"", END])
async def test_whoever_was_not_heard_to_the_end_in_time_is_known_as_that(folder: Path, end: bytes) -> None:
    line = socket.socket(socket.AF_UNIX)
    async with listening(folder, "told", last_words=0.05) as listener:
        line.connect(str(folder / "told"))
        line.sendall(b'["plan", 0, []]\n' + end)
    line.close()
    assert listener.words() == Heard(spoke=True, planned=(), ended=bool(end), cut=True)


async def test_whoever_knocked_is_heard_however_late_we_come_to_it(folder: Path) -> None:
    async with listening(folder, "told") as listener:
        speaks(folder, END)  # the loop does not run meanwhile, and everything that spoke is gone
    assert listener.words().ended


async def test_a_flood_is_not_kept(folder: Path) -> None:
    async with listening(folder, "told") as listener:
        listener.most = 1_000
        await asyncio.to_thread(speaks, folder, b'["end"]\n' * 5_000)
    assert listener.words().garbled


async def test_as_much_as_fits_is_kept(folder: Path) -> None:
    async with listening(folder, "told") as listener:
        listener.most = len(END)
        await asyncio.to_thread(speaks, folder, END)
    assert listener.words().ended


def test_a_long_path_is_no_obstacle(folder: Path) -> None:
    deep = folder / ("deep" * 40) / ("deeper" * 30)
    deep.mkdir(parents=True)

    async def opened() -> bool:
        async with listening(deep, "told"):
            return (deep / "told").is_socket()

    assert asyncio.run(opened())
