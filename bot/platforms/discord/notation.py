"""How Discord's places and people are named outside this folder, and what a button's custom id says."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agents.domain.ids import Account, Thread
from agents.domain.text.sanitize import clean, cut, one_line
from bot.messages import CODE

NAME = "discord"
DIRECT = "@me"  # stands where a guild would
_CUSTOM_ID = re.compile(r"ov:(?P<act>[a-z]+):(?P<message>\d*):(?P<token>[\w.-]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A thread. Discord gives a thread the id of the message it was started from, so `root` is both."""

    guild: str
    channel: str
    root: str  # in a direct channel, which has no threads, the channel itself

    @classmethod
    def of(cls, thread: Thread) -> "Place":
        _, guild, channel, root = thread.split(":")
        return cls(guild=guild, channel=channel, root=root)

    @classmethod
    def direct(cls, channel: int) -> "Place":
        return cls(guild=DIRECT, channel=str(channel), root=str(channel))

    @property
    def thread(self) -> Thread:
        return Thread(f"{NAME}:{self.guild}:{self.channel}:{self.root}")

    @property
    def channel_name(self) -> str:
        return f"{NAME}:{self.guild}:{self.channel}"

    @property
    def is_direct(self) -> bool:
        return self.guild == DIRECT

    def holds(self, message: str) -> str:
        """The channel in which a message of this thread stands: the one that started it is outside."""
        return self.channel if message == self.root else self.root


def account_of(user: int | str) -> Account:
    return Account(f"{NAME}:{user}")


def user_of(account: Account) -> str | None:
    """The user's id, or None for an account of another platform."""
    name, _, user = account.partition(":")
    return user if name == NAME and user.isdecimal() else None


def rank(message: str) -> int | None:
    """The place of a message: later ids are larger. An interaction has one too."""
    return int(message) if message.isdecimal() else None


class Act(StrEnum):
    """What pressing a component, or sending a form, asks for."""

    PRESS = "press"
    ASK = "ask"  # a button with a form behind it
    CHECK = "check"  # a button that asks to confirm
    MORE = "more"  # a menu; the chosen value is the custom id of a button
    FORM = "form"  # the form behind a button
    SURE = "sure"  # the second step of a button that asks to confirm
    SAY = "say"  # opens the Answer form
    SAID = "said"  # the Answer form


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomId:
    """Names a button, nothing more. It comes back from strangers, so nothing in it is trusted."""

    act: Act
    message: str = ""  # where the button stood, if the component that carries this id is elsewhere
    token: str = ""

    @property
    def text(self) -> str:
        return f"ov:{self.act}:{self.message}:{self.token}"

    @classmethod
    def of(cls, text: str) -> "CustomId | None":
        found = _CUSTOM_ID.fullmatch(text)
        if found is None or found["act"] not in set(Act):
            return None
        return cls(act=Act(found["act"]), message=found["message"], token=found["token"])


LINK_HOSTS = frozenset({"github.com"})  # links elsewhere are shown, and cannot be clicked
_URL = re.compile(r"https?://[^\s<>`\"'|()\[\]]+", re.IGNORECASE)
_SPECIAL = re.compile(r"[\\*_~`|\[\]<>@#]")
_REF = re.compile(r"[?&]ref=([0-9a-f]{10})\b")


def escape(text: str) -> str:
    """Text as Discord must get it in order to show it unchanged; what stands between backticks has a code face."""
    made, at = [], 0
    for found in CODE.finditer(text):
        made += [_outside_code(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join((*made, _outside_code(text[at:])))


def _outside_code(text: str) -> str:
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
