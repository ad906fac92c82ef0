"""What is said, pressed and shown, in no platform's terms."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from agents.domain.ids import Account, DecisionId, Thread
from agents.domain.task.facts import Mandate, Origin
from store.codec import shape

WORDS_MOST = 20_000  # characters of a form behind a button; forms of chats take fewer
TOKEN_LIMIT = 100  # of the platform that allows least
CODE = re.compile(r"`([^`\n]{1,500})`")  # shown in a code face where a surface has one; nothing in it is obeyed


# ── in ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """What every delivery says of itself."""

    key: str  # of the delivery: the same event delivered again has the same key
    thread: Thread  # a message's own thread; a message at the top of a channel starts one
    channel: str  # "console:general"
    message: str  # the platform's id of the message
    by: Account
    name: str = ""  # what to call them; never used to decide anything
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words(_Event):
    text: str
    hidden: int = 0  # characters nobody sees, which were taken out of the text when it came in


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(_Words):
    """Someone wrote something where the bot can hear it."""

    also: str = ""  # a second key, where a platform delivers one message as two events
    began_by: str = ""  # the account that wrote the thread's first message, where the platform says so
    mentions_bot: bool = False
    addresses_other: bool = False  # it is put to another person by name
    on: str = ""  # the message that it replies to, where a platform says so
    direct: bool = False  # said to the bot alone
    memberships: tuple[str, ...] = ()  # user groups or roles: what the provider says they are in
    outsider: bool = False  # the provider says that they belong to another workspace, or are a guest here
    plan: str = ""  # a feature file that comes with the words


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited(_Words):
    """The author changed a message of their own."""

    also: str = ""  # a second key, by which an edit that is read later is known
    outsider: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed(_Event):
    """Someone pressed a button or sent the form behind it. Nothing in `token` is trusted; the ledger knows.

    `message`, which the button was on, is empty where a surface shows the ledger itself (console views, CLI).
    """

    token: str
    words: str = ""  # what was written into the form
    shown: str = ""  # fingerprint of what was shown, where `message` is empty
    memberships: tuple[str, ...] = ()
    outsider: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled(_Words):
    """An issue was given the label that asks for work, by "github:ana". Its words are its author's."""

    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Mandated(_Words):
    """A proposal was approved: it asks for work in a thread of its own, in the name of whoever approved."""

    mandate: Mandate
    direct: bool = False  # what gave rise to it was said to the bot alone


Delivery = Said | Edited | Pressed | Labelled | Mandated


# ── out ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Tone(StrEnum):
    """Never the only carrier of a meaning: the words say it too."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    ASKING = "asking"


class Style(StrEnum):
    PLAIN = "plain"
    PRIMARY = "primary"
    DANGER = "danger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a button names: a decision and one of its options."""

    decision: DecisionId
    letter: str

    @property
    def token(self) -> str:
        return f"{self.decision}.{self.letter}"

    @classmethod
    def of(cls, token: str) -> "Choice | None":
        id, dot, letter = token.partition(".")
        known = len(token) <= TOKEN_LIMIT and len(id) == 22 and dot and len(letter) == 1
        return cls(decision=DecisionId(id), letter=letter) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormColumn:
    """One field of every row of a form that is a table."""

    name: str
    label: str
    hint: str = ""
    choices: tuple[str, ...] = ()  # empty: any words
    several: bool = False  # one a line


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One field of a form that has several; five are the most that every platform shows."""

    name: str
    label: str
    hint: str = ""
    long: bool = False  # several lines
    optional: bool = False
    value: str = ""  # what stands in it already


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    label: str  # a verb and its object
    choice: Choice
    style: Style = Style.PLAIN
    asks: str = ""  # pressing opens a form with this question; the answer comes back as Pressed.words
    fill: str = ""  # what stands in the form already, to be changed
    columns: tuple[FormColumn, ...] = ()  # of a table: `fill` has a line a row, which bot.table_forms reads
    fields: tuple[FormField, ...] = ()  # of a form with several; they come back as `bot.field_forms` writes them
    confirm: str = ""  # asked before the press counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A labelled value: text, or a time that is shown in the reader's own zone."""

    label: str
    value: str = ""
    at: datetime | None = None

    @property
    def text(self) -> str:
        return when(self.at) if self.at else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    id: str
    label: str
    column: int  # how many steps come before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    start: str
    end: str
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A picture of what waits for what; `text` says the same to those who do not see it."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An address that readers of the card can open; or the message of a decision, whose address its platform knows."""

    label: str
    url: str = ""
    decision: DecisionId | None = None
    message: str = ""  # of that decision; empty until it is posted


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A long text that goes with the message. Where it was kept as a file, only its name is stored."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One message of the bot. Text is plain: platforms escape it, and nothing in it is markup but `CODE`."""

    title: str
    text: str = ""
    rows: tuple[Row, ...] = ()
    lines: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    more: tuple[Button, ...] = ()  # in the overflow menu
    notify: tuple[Account, ...] = ()  # who should be pinged
    footer: str = ""
    until: datetime | None = None  # a running clock, and what it does
    until_what: str = ""
    tone: Tone = Tone.PLAIN
    decision: DecisionId | None = None
    takes_words: bool = False  # a reply in words can answer it
    fingerprint: str = ""
    graph: Graph | None = None
    links: tuple[Link, ...] = ()
    files: tuple[Attached, ...] = ()
    direct: bool = False  # a whisper that must not stand in its thread: nobody can see that

    @property
    def fallback(self) -> str:
        """The whole message as text, for notifications and readers that show no blocks."""
        rows = (f"{row.label}: {row.text}" for row in self.rows)
        clock = f"{self.until_what} {when(self.until)}" if self.until else ""
        choices = [b.label for b in (*self.buttons, *self.more)]
        offered = f"Choices: {' · '.join(choices)}" if choices else ""
        links = (f"{link.label}: {link.url}" for link in self.links)
        parts = (self.title, self.text, *rows, *self.lines, *links, clock, offered, self.footer)
        return "\n".join(part for part in parts if part)


def quote_code(text: str) -> str:
    """For places that know no code face."""
    return CODE.sub(r"“\1”", text)


def when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def dump_card(card: Card) -> str:
    return shape(Card).serializer.to_json(card, exclude_defaults=True).decode()


def load_card(body: str) -> Card:
    return shape(Card).validate_json(body)


def card_hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:32]


# ── the seam ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a platform can show in one message."""

    title: int
    text: int
    rows: int
    lines: int
    buttons: int
    label: int
    whole: int


class Unsure(Exception):
    """The platform may or may not have taken it (time-out, reset, 5xx): look before posting again."""


class Later(Exception):
    """The platform did not take it and says when to try again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds


class Refused(Exception):
    """The platform will never take this."""


class Gone(Refused):
    """The message or thread no longer exists."""


class Deleted(Gone):
    """Somebody deleted the message; its thread is still there."""


class Shut(Refused):
    """We may not write there now: an archived channel, a locked thread, a right that is missing. It may open again."""


class Platform(Protocol):
    """What the outbox needs of a chat platform. Every method either succeeds or raises one of those above."""

    @property
    def name(self) -> str: ...

    @property
    def bounds(self) -> Bounds: ...

    @property
    def settle(self) -> float | None:
        """Seconds after which an unsure post is visible or lost; None: the limit's default."""

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        """Post a new message and return its id. `key` is stored with the message so that `find` can see it."""

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        """Replace what a message shows. Doing it twice is doing it once."""

    async def find(self, thread: Thread, key: str) -> str | None:
        """The id of the message that was posted under this key, if the platform has it."""

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        """Begin a thread in a channel with a message of ours; the same key begins it once."""

    async def permalink(self, thread: Thread, message: str) -> str:
        """An address that leads to a message; empty where there is none."""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        """Tell one person something nobody else sees."""

    async def mark_seen(self, thread: Thread, message: str) -> None:
        """Mark a person's message as noticed (an eye, never a tick: people read that as approved)."""
