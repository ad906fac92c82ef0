"""What an answer took, read as it passes: whole, in pieces of any size, cut off, and wrong on purpose."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from agents.llm.relay.usage import GeminiUsage, MessagesUsage, Reading, ResponsesUsage, Usage
from tests.fakes.wires import WIRES, Host
from tests.fakes.wires.shape import Heard, Made

KINDS: dict[str, tuple[str, Callable[[], Usage]]] = {
    "anthropic": ("messages", MessagesUsage),
    "responses": ("responses", ResponsesUsage),
    "chat": ("chat", ResponsesUsage),
    "gemini": ("gemini", GeminiUsage),
}
MADE = Made(number=1, model="m", text="A short answer.", tokens=1_200, written=40, cached=256)


def answer(wire: str, *, stream: bool) -> bytes:
    spoken = WIRES[wire](Host(models=("m",), key="k"))
    heard = Heard(model="m", talk=(), body={}, stream=stream, marks=("x" * 8_000,))
    if stream:
        return b"".join(spoken.pieces(heard, MADE))
    return json.dumps(spoken.whole(heard, MADE)).encode()


def read(kind: Callable[[], Usage], body: bytes, *, stream: bool, size: int = 7) -> Usage:
    reading = Reading(kind(), stream)
    for at in range(0, len(body), size):
        reading.feed(body[at : at + size])
    return reading.end()


@pytest.mark.parametrize("wire", KINDS)
@pytest.mark.parametrize("stream", [False, True])
def test_tokens_are_counted_whole_or_in_a_stream(wire: str, stream: bool) -> None:
    usage = read(KINDS[wire][1], answer(wire, stream=stream), stream=stream)
    assert usage.whole and not usage.problem
    assert usage.cached == 256
    assert usage.tokens_in >= 1_200 and usage.tokens_out == 40


@pytest.mark.parametrize("wire", KINDS)
def test_a_stream_that_is_cut_off_is_not_whole(wire: str) -> None:
    body = answer(wire, stream=True)
    assert not read(KINDS[wire][1], body[: len(body) // 2], stream=True).whole


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        (MessagesUsage, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        (ResponsesUsage, {"type": "response.failed", "response": {"status": "failed", "error": {"message": "no"}}}),
        (ResponsesUsage, {"object": "chat.completion.chunk", "error": {"message": "no"}}),
        (GeminiUsage, {"error": {"code": 503, "message": "no"}}),
    ],
)
def test_an_error_on_the_way_is_kept_in_the_providers_words(kind: Callable[[], Usage], event: object) -> None:
    usage = read(kind, f"data: {json.dumps(event)}\n\n".encode(), stream=True)
    assert usage.problem and not usage.whole


@given(st.binary(max_size=2_000), st.sampled_from(sorted(KINDS)), st.booleans())
def test_no_answer_whatever_is_in_it_can_stop_the_reading(body: bytes, wire: str, stream: bool) -> None:
    usage = read(KINDS[wire][1], body, stream=stream, size=64)
    assert usage.tokens_in >= 0 and usage.tokens_out >= 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["usage", "message", "type", "response", "candidates", "choices"]), inner)
        ),
        max_leaves=12,
    ),
    st.sampled_from(sorted(KINDS)),
)
def test_json_of_any_shape_counts_nothing_that_is_no_number(value: object, wire: str) -> None:
    usage = read(KINDS[wire][1], json.dumps(value).encode(), stream=False, size=4_096)
    assert usage.tokens_in >= 0 and usage.tokens_out >= 0 and usage.cached >= 0
