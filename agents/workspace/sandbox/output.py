"""What a command says: streamed, kept up to a limit with its middle cut and counted, and harmless to show."""

import asyncio
import codecs
import re
from collections.abc import Callable

from agents.domain.text import clean

Listener = Callable[[str], None]

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?)?\Z|\r\Z")
_HELD_MOST = 4_096  # an escape that does not end within this is none


def readable(text: str) -> str:
    """`clean`, and much faster than it for plain text."""
    if not text.isascii():
        return clean(text)
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


class Stream:
    """Cleans what comes in pieces, whose edges may fall inside a character or an escape."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, data: bytes, *, last: bool = False) -> None:
        text = self._held + self._decoder.decode(data, last)
        unfinished = None if last else _UNFINISHED.search(text, max(0, len(text) - _HELD_MOST))
        self._held = unfinished[0] if unfinished else ""
        shown = readable(text[: len(text) - len(self._held)])
        if shown:
            self._listener(shown)


class Output(asyncio.Protocol):
    """The reading end of a command's output."""

    def __init__(self, kept: int, most: int, listener: Listener | None) -> None:
        self._half, self._most = kept // 2, most
        self._untold = kept
        self._head, self._tail = bytearray(), bytearray()
        self._total = 0
        self._stream = Stream(listener) if listener else None
        loop = asyncio.get_running_loop()
        self.too_much: asyncio.Future[None] = loop.create_future()
        self.at_end: asyncio.Future[None] = loop.create_future()

    def data_received(self, data: bytes) -> None:
        """The beginning is kept; of the rest only the end."""
        self._total += len(data)
        self._tell(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-self._half :]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]
        if self._total > self._most and not self.too_much.done():
            self.too_much.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.at_end.done():
            self.at_end.set_result(None)

    @property
    def cut(self) -> int:
        return max(0, self._total - len(self._head) - self._half)

    def text(self) -> str:
        self._tell(b"", last=True)
        tail = bytes(self._tail[-self._half :])
        if not self.cut:
            return readable((self._head + tail).decode(errors="replace"))
        parts = (self._head.decode(errors="replace"), tail.decode(errors="replace"))
        return f"\n… {self.cut} bytes were cut here …\n".join(readable(part) for part in parts)

    def _tell(self, data: bytes, *, last: bool = False) -> None:
        if self._stream is None:
            return
        last = last or len(data) >= self._untold
        self._stream.feed(data[: self._untold], last=last)
        self._untold -= len(data)
        if last:
            self._stream = None
