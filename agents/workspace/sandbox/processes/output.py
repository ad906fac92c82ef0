"""What a command says: told as it comes, kept up to a limit with its middle cut and counted, and harmless to show."""

import asyncio
import re

from agents.domain.text.sanitize import clean
from agents.ports import Listener

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?)?\Z")
LAST = 12_288  # bytes that are told of: more than anybody is shown, so that a secret is there as a whole
APART = 0.5  # seconds between two tellings, however much is said


def readable(text: str) -> str:
    """`clean`, and much faster than it for plain text."""
    if not text.isascii():
        return clean(text)
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def latest(data: bytes, *, whole: bool) -> str:
    """As a terminal would show it now. It may begin and end anywhere, unless it is the whole."""
    text = data.decode(errors="ignore")
    if not whole:
        text = text.partition("\n")[2] or text
    text = _UNFINISHED.sub("", text)
    lines = text.replace("\r\n", "\n").split("\n")
    # what follows a carriage return was written over what was before it
    return readable("\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


class Output(asyncio.Protocol):
    """The reading end of a command's output."""

    def __init__(self, kept: int, most: int, listener: Listener | None) -> None:
        self._half, self._most = kept // 2, most
        self._last = min(LAST, self._half)
        self._head, self._tail = bytearray(), bytearray()
        self._total = 0
        self._listener = listener
        self._soon: asyncio.TimerHandle | None = None
        self._loop = loop = asyncio.get_running_loop()
        self.too_much: asyncio.Future[None] = loop.create_future()
        self.at_end: asyncio.Future[None] = loop.create_future()

    def data_received(self, data: bytes) -> None:
        """The beginning is kept; of the rest only the end."""
        self._total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-self._half :]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]
        if self._total > self._most and not self.too_much.done():
            self.too_much.set_result(None)
        if self._listener and not self._soon:
            self._soon = self._loop.call_later(APART, self._tell, self._listener)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.at_end.done():
            self.at_end.set_result(None)

    @property
    def cut(self) -> int:
        return max(0, self._total - len(self._head) - self._half)

    def text(self) -> str:
        tail = bytes(self._tail[-self._half :])
        if not self.cut:
            return readable((self._head + tail).decode(errors="replace"))
        parts = (self._head.decode(errors="replace"), tail.decode(errors="replace"))
        return f"\n… {self.cut} bytes were cut here …\n".join(readable(part) for part in parts)

    def hush(self) -> None:
        """It is over: what nobody was told yet is told now."""
        if self._soon and self._listener:
            self._soon.cancel()
            self._tell(self._listener)

    def _tell(self, listener: Listener) -> None:
        self._soon = None
        tail = self._tail[-self._last :]
        short = self._last - len(tail)
        said = self._head[-short:] + tail if short else tail
        listener(latest(bytes(said), whole=len(said) == self._total))
