"""Slack's markup: written so that nothing of ours turns into markup by accident, and read back into plain text."""

import html
import re
from collections.abc import Callable
from datetime import datetime

from agents.domain.ids import Account
from bot.messages import when

_MARKUP = re.compile(r"<([^<>\n]*)>")
_FORMATS = re.compile(r"[*_~`]")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_USER = re.compile(r"<@([UW]\w+)(?:\|[^<>]*)?>")

NameOf = Callable[[str], str]


def escape(text: str) -> str:
    """Escapes the three characters that begin mentions and links."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def would_format(text: str) -> bool:
    """Whether mrkdwn would eat characters of it: src/**/*.py is a path, not bold print."""
    return _FORMATS.search(text) is not None


def mention(account: Account) -> str:
    return f"<@{account.rpartition(':')[2]}>"


def date(at: datetime) -> str:
    """Shown in the reader's own time zone, or in UTC where the client cannot."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{when(at)}>"


# ── what people write ───────────────────────────────────────────────────────────────────────────────────────────


def mentions(text: str, user: str) -> bool:
    return user in mentioned_users(text)


def mentioned_users(text: str) -> frozenset[str]:
    """Users mentioned outside of code."""
    return frozenset(_USER.findall(_CODE.sub("", text)))


def plain(text: str, bot: str, name: NameOf) -> str:
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
