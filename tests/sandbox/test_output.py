"""What a command says is harmless to show, however its pieces fall."""

import asyncio
from itertools import pairwise

from hypothesis import given, strategies as st

from agents.domain.text import clean
from agents.workspace.sandbox.output import Output, Stream, readable

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


@given(NASTY, st.lists(st.integers(0, 120), max_size=8))
def test_pieces_are_cleaned_as_the_whole(text: str, cuts: list[int]) -> None:
    data, heard = text.encode(), list[str]()
    stream = Stream(heard.append)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for first, last in pairwise(edges):
        stream.feed(data[first:last])
    stream.feed(b"", last=True)
    assert "".join(heard) == clean(text)


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


def test_an_escape_that_never_ends_is_let_go() -> None:
    heard: list[str] = []
    stream = Stream(heard.append)
    for _ in range(1_000):
        stream.feed(b"\x1b]0;" + b"x" * 1_000)
    assert len(stream._held) < 10_000
