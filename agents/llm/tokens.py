"""Counts tokens without a network: with the word list cl100k that comes with litellm, or by a careful estimate."""

import os
import threading
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

# How tiktoken names the list cl100k_base in its cache. It is half the size of o200k_base, and litellm loads it too.
_LIST = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_PIECE = 4_000  # characters: a word without end would cost the square of its length
_BYTES_A_TOKEN = 3  # code has nearly four; an estimate that is too high wastes room, one that is too low fails


class Tokens:
    """Loaded when it is first needed: half a second, in whichever thread asks. Models differ by some percent."""

    def __init__(self) -> None:
        self._once = threading.Lock()

    def __call__(self, text: str) -> int:
        if len(text) <= _PIECE:
            return self._ready(text)
        return sum(self._ready(piece) for piece in _pieces(text))

    @property
    def _ready(self) -> Callable[[str], int]:
        with self._once:
            return self._count

    @cached_property
    def _count(self) -> Callable[[str], int]:
        folder = _folder()
        if folder is None:
            return estimate
        # litellm sets it too, to the same
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
        import tiktoken

        encoding = tiktoken.get_encoding("cl100k_base")
        return lambda text: len(encoding.encode_ordinary(text))


def estimate(text: str) -> int:
    return -(-len(text.encode(errors="replace")) // _BYTES_A_TOKEN)


def _folder() -> Path | None:
    """Found, not imported: litellm takes seconds to import. Without the list tiktoken would go and fetch it."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None or find_spec("tiktoken") is None:
        return None
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    return folder if (folder / _LIST).is_file() else None


def _pieces(text: str) -> list[str]:
    """Whole lines where they are short enough."""
    pieces, at = list[str](), 0
    while at < len(text):
        end = min(at + _PIECE, len(text))
        if end < len(text):
            line = text.rfind("\n", at, end)
            end = line if line > at else end
        pieces.append(text[at:end])
        at = end
    return pieces
