"""Plain text made safe to show in Discord: nothing in it is markup, a mention or a link."""

import hashlib
import re
from datetime import datetime

from agents.domain.text.sanitize import clean, cut, one_line
from bot.platforms.discord.addresses import Place

LINK_HOSTS = frozenset({"github.com"})  # links elsewhere are shown, and cannot be clicked
_URL = re.compile(r"https?://[^\s<>`\"'|()\[\]]+", re.IGNORECASE)
_SPECIAL = re.compile(r"[\\*_~`|\[\]<>@#]")
_REF = re.compile(r"[?&]ref=([0-9a-f]{10})\b")


def escape(text: str) -> str:
    """Text as Discord must get it in order to show it unchanged."""
    made, at = [], 0
    for found in _URL.finditer(text):
        made += [_special(text[at : found.start()]), _link(found[0])]
        at = found.end()
    return "".join((*made, _special(text[at:])))


def _special(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _link(url: str) -> str:
    host = url.partition("://")[2].partition("/")[0].lower()
    return f"<{url}>" if host in LINK_HOSTS else f"`{url}`"


def width(text: str) -> int:
    """How long Discord takes a text to be: in UTF-16 units, where an emoji is two."""
    return len(text.encode("utf-16-le")) // 2


def fit(text: str, most: int) -> str:
    """Escaped, and at most so long; what is left out is counted."""
    text, keep = clean(text), most
    while width(escaped := escape(cut(text, keep))) > most:
        keep = keep * 3 // 4
    return escaped


def name_of(text: str, most: int) -> str:
    """One line of plain text that is at most so long: a label, a form's title, a thread's name."""
    line, keep = one_line(clean(text), most), most
    while width(line) > most:
        keep -= 1
        line = one_line(line, keep)
    return line


def moment(at: datetime) -> str:
    """Shown by each reader's client in the reader's own zone."""
    return f"<t:{int(at.timestamp())}:f>"


def countdown(at: datetime) -> str:
    return f"{moment(at)} (<t:{int(at.timestamp())}:R>)"


def reference(place: Place, key: str) -> str:
    """What a message carries so that it is found again: derived, so that a replay derives the same.

    A link to where it stands, so that it does no harm where somebody follows it.
    """
    mark = hashlib.sha256(f"{place.thread}\x1f{key}".encode()).hexdigest()[:10]
    return f"https://discord.com/channels/{place.guild}/{place.root}?ref={mark}"


def mark_of(reference: str) -> str:
    """What tells one reference from another, however Discord writes the link around it."""
    found = _REF.search(reference)
    return found[1] if found else ""
