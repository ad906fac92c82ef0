"""How Slack writes ids and text, and how the program does: "slack:T1:U2", "slack:T1:C3:17.5"; mrkdwn and plain text."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import Account, Thread
from bot.messages import when

SLACK = "slack"
REACTION = "~"  # after a ts: not the message itself, but a reaction to it
_MARKUP = re.compile(r"<([^<>\n]*)>")
_FORMATS = re.compile(r"[*_~`]|:[\w+-]+:|^>", re.MULTILINE)
_SPAN = re.compile(r"(?<![^\s(“])`[^`\n]+`(?![\w`])")  # what Slack shows in a code face
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_USER = re.compile(r"<@([UW]\w+)(?:\|[^<>]*)?>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    channel: str
    ts: str


def account(team: str, user: str) -> Account:
    return Account(f"{SLACK}:{team}:{user}")


def channel(team: str, id: str) -> str:
    return f"{SLACK}:{team}:{id}"


def thread(team: str, channel_id: str, ts: str) -> Thread:
    return Thread(f"{SLACK}:{team}:{channel_id}:{ts}")


def place(address: str) -> Place:
    """Where a thread or a channel is; a channel has no ts."""
    parts = address.split(":")
    return Place(channel=parts[2], ts=parts[3] if len(parts) > 3 else "")


def user(account: Account) -> str:
    return account.rpartition(":")[2]


def seconds(ts: str) -> float | None:
    """What a message's id says of when it was written; None: it is no such id."""
    return float(ts) if re.fullmatch(r"[0-9]{1,11}\.[0-9]{1,6}", ts) else None


def rank(message: str) -> int | None:
    """The place of a message in its channel, in microseconds: Slack's ids are times, and no two are the same."""
    found = re.fullmatch(r"([0-9]{1,11})\.([0-9]{6})", message)
    return int(found[1] + found[2]) if found else None


def team(account: Account) -> str:
    return account.split(":")[1]


def message_ts(message: str) -> str:
    return message.partition(REACTION)[0]


# ── text that we write ──────────────────────────────────────────────────────────────────────────────────────────


def escape(text: str) -> str:
    """Escapes the three characters that begin mentions and links."""
    return html.escape(text, quote=False)


def would_format(text: str) -> bool:
    """Whether mrkdwn would eat characters of it: src/**/*.py is a path, not bold print. In a code face it eats none."""
    return _FORMATS.search(_SPAN.sub("", text)) is not None


def has_code(text: str) -> bool:
    return _SPAN.search(text) is not None


def mention(account: Account) -> str:
    return f"<@{user(account)}>"


def date(at: datetime) -> str:
    """Shown in the reader's own time zone, or in UTC where the client cannot."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{when(at)}>"


# ── what people write ───────────────────────────────────────────────────────────────────────────────────────────


def mentions(text: str, user: str) -> bool:
    return user in mentioned_users(text)


def mentioned_users(text: str) -> frozenset[str]:
    """Users mentioned outside of code."""
    return frozenset(_USER.findall(_CODE.sub("", text)))


def plain(text: str, bot: str, name: Callable[[str], str]) -> str:
    """A message as plain text: without our own mention, with links and names as words."""

    def words(match: re.Match[str]) -> str:
        inner, _, label = match[1].partition("|")
        if inner.startswith("@"):
            return f"@{label or name(inner[1:])}"
        if inner.startswith("#"):
            return f"#{label or inner[1:]}"
        if inner.startswith("!"):
            return label or f"@{inner[1:].partition('^')[0]}"
        address = inner.removeprefix("mailto:")
        return f"{label} ({address})" if label and label not in (address, inner) else address

    without = re.sub(rf"<@{re.escape(bot)}(?:\|[^<>]*)?>[:,]?[ \t]?", "", text)
    return html.unescape(_MARKUP.sub(words, without)).strip()
