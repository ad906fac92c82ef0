"""What a command says is harmless to show, however its pieces fall."""

import asyncio

from hypothesis import given, strategies as st

from agents.domain.text.sanitize import clean
from agents.workspace.sandbox.processes.running import LAST, Output, latest, readable

NASTY = st.lists(
    st.sampled_from(
        [
            "\x1b[31m",
            "\x1b]0;t\x07",
            "\x1b]8;;u\x1b\\",
            "\x1b",
            "\x9b",
            "\0",
            "\r",
            "\r\n",
            "\n",
            "é",
            "漢",
            "\u202e",
            "a",
        ]
    ),
    max_size=30,
).map("".join)


@given(NASTY | st.text())
def test_the_fast_way_cleans_as_the_slow_one(text: str) -> None:
    assert readable(text) == clean(text)


@given(NASTY | st.text(), st.integers(0, 200), st.booleans())
def test_what_is_told_is_clean_wherever_it_begins_and_ends(text: str, end: int, whole: bool) -> None:
    told = latest(text.encode()[:end], whole=whole)
    assert told == clean(told) and "\r" not in told


def test_what_is_told_is_what_a_terminal_would_show() -> None:
    assert latest(b"\x1b[32mok\x1b[0m\r\n10 %\r20 %\r30 %", whole=True) == "ok\n30 %"
    assert latest(b"half a line\nwhole\n\x1b[3", whole=False) == "whole\n"
    assert latest("caf\N{LATIN SMALL LETTER E WITH ACUTE}".encode()[:-1], whole=True) == "caf"
    assert latest(b"one endless line", whole=False) == "one endless line"


@given(st.binary(max_size=400), st.lists(st.integers(1, 90), max_size=9), st.integers(2, 200))
def test_beginning_and_end_are_kept_and_the_rest_is_counted(data: bytes, sizes: list[int], kept: int) -> None:
    output = asyncio.run(_fed(data, sizes, kept))
    whole = len(data) <= kept // 2 * 2
    assert output.cut == (0 if whole else len(data) - kept // 2 * 2)
    if whole:
        assert output.text() == clean(data.decode(errors="replace"))
    else:
        assert f"… {output.cut} bytes were cut here …" in output.text()


async def _fed(data: bytes, sizes: list[int], kept: int) -> Output:
    output = Output(kept, 1_000_000, None)
    for size in sizes:
        output.data_received(data[:size])
        data = data[size:]
    output.data_received(data)
    return output


async def test_however_much_is_said_little_is_told_and_seldom() -> None:
    heard: list[str] = []
    output = Output(100_000, 1 << 30, heard.append)
    block = b"".join(b"%063d\n" % number for number in range(1_024))
    for _ in range(320):  # 20 MB, in one go
        output.data_received(block)
    assert heard == []
    output.finish()
    assert len(heard) == 1 and LAST - 64 <= len(heard[0]) <= LAST and heard[0].endswith("1023\n")
    output.finish()
    assert len(heard) == 1, "nothing is told twice"


async def test_what_is_said_is_told_while_it_goes_on() -> None:
    told = asyncio.Event()
    heard: list[str] = []

    def listener(last: str) -> None:
        heard.append(last)
        told.set()

    output = Output(100, 1_000, listener)
    output.data_received(b"one\n")
    output.data_received(b"two\n")
    await asyncio.wait_for(told.wait(), 60)
    assert heard == ["one\ntwo\n"]
    output.data_received(b"x" * 200 + b"\nlast\n")
    output.finish()
    assert heard[1] == "last\n", "of a small window only what fits"


async def test_an_escape_that_never_ends_is_not_shown() -> None:
    heard: list[str] = []
    output = Output(100_000, 1 << 30, heard.append)
    for _ in range(1_000):
        output.data_received(b"\x1b]0;" + b"x" * 1_000)
    output.finish()
    assert "\x1b" not in heard[0] and len(heard[0]) <= LAST
