"""Text from outside, made harmless to show: no control, bidi or escape characters, no endless lines."""

import re
import unicodedata

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")  # most text by far, and a hundred times as fast to look at as to go through
_KEEP = frozenset("\n\t")
_JOINER = "\u200d"  # holds emoji families together; harmless inside them


def clean(text: str) -> str:
    """Strip terminal escapes, control and format characters; line ends become newlines."""
    if _PLAIN.fullmatch(text):
        return text
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in _KEEP or c == _JOINER or unicodedata.category(c) not in _UNSEEN)


def hidden_in(text: str) -> int:
    """How many characters a reader would not have seen."""
    return len(text.replace("\r\n", "\n")) - len(clean(text))


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def cut(text: str, most: int) -> str:
    """At most so many characters, saying how many were left out."""
    if len(text) <= most:
        return text
    room = max(0, most - len(f"… ({len(text)} more characters)"))
    return f"{text[:room].rstrip()}… ({len(text) - room} more characters)"[:most]


def one_line(text: str, most: int = 120) -> str:
    """The first sentence or line, for a title."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
