"""Forms become deliveries: what was written, changed and pressed, or why it cannot be sent."""

import re
from collections.abc import Mapping
from datetime import datetime

from agents.domain.errors import OverlordError
from agents.domain.ids import Thread, derive_id
from bot.messages import WORDS_MOST, Choice, Edited, Pressed, Said
from bot.platforms.console.sign_in import Viewer

LIMIT = 8_000  # characters in one message
NONCE = re.compile(r"[A-Za-z0-9_-]{8,64}")
# an address (ana@overlord.dev) and a package (@overlord/ui) are no mention
MENTION = re.compile(r"(?<![\w@.])@overlord(?![\w/]|[-.]\w)[:,]?[ \t]?", re.IGNORECASE)
OTHER = re.compile(r"(?<![\w@.])@(?!overlord(?![\w/]|[-.]\w))(?![\w.-]*/)[a-z]", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`")

Form = Mapping[str, str]


class Unsendable(OverlordError):
    """A form that cannot become a delivery. Nothing is lost: the words go back to their author."""


def to_said(form: Form, viewer: Viewer, name: str, at: datetime) -> Said:
    """`form`: nonce, text, channel (bare, "general"), and thread if it is a reply."""
    key, words = key_of(form, viewer), clean_words(form.get("text", ""))
    text = without_mention(words)
    if not text:
        raise Unsendable("There is nothing to send yet", next_step="Write what you would like, then send it.")
    channel, message = form["channel"], derive_id("console", key)
    reply_to = form.get("thread", "")
    return Said(
        key=key,
        thread=Thread(reply_to or f"console:{channel}:{message}"),
        channel=f"console:{channel}",
        message=message,
        by=viewer.account,
        name=name,
        text=text,
        mentions_bot=bool(MENTION.search(words)),
        addresses_other=bool(OTHER.search(CODE.sub("", words))),
        direct=channel == viewer.direct,
        at=at,
    )


def to_edited(form: Form, viewer: Viewer, name: str, at: datetime) -> Edited:
    key, text = key_of(form, viewer), without_mention(clean_words(form.get("text", "")))
    if not text:
        raise Unsendable("A message cannot become empty", next_step="Write something, or leave it as it was.")
    thread = Thread(form["thread"])
    return Edited(
        key=key,
        thread=thread,
        channel=channel_of(thread),
        message=form["message"],
        by=viewer.account,
        name=name,
        text=text,
        at=at,
    )


def to_pressed(form: Form, viewer: Viewer, name: str, at: datetime) -> Pressed:
    key, words = key_of(form, viewer), clean_words(form.get("words", ""), WORDS_MOST)
    token, thread = form.get("token", ""), Thread(form.get("thread", ""))
    if Choice.of(token) is None or not thread or len(thread) > 400:
        raise Unsendable("That button is not one of ours", next_step="Reload the page and press it again.")
    return Pressed(
        key=key,
        thread=thread,
        channel=form.get("channel") or channel_of(thread),
        message=form.get("message", ""),
        by=viewer.account,
        name=name,
        token=token,
        words=words,
        shown=form.get("shown", ""),
        at=at,
    )


def key_of(form: Form, viewer: Viewer) -> str:
    """One per form that was filled in, so sending it twice is sending it once."""
    nonce = form.get("nonce", "")
    if not NONCE.fullmatch(nonce):
        raise Unsendable("This form has lost its number", next_step="Send it again from this page.")
    return f"console:{viewer.login}:{nonce}"


def clean_words(text: str, most: int = LIMIT) -> str:
    text = text.replace("\r\n", "\n").strip()
    if len(text) > most:
        raise Unsendable(
            f"This is {len(text):,} characters long; {'a message' if most == LIMIT else 'it'} can have {most:,}",
            next_step="Shorten it, or send it in parts.",
        )
    return text


def without_mention(text: str) -> str:
    return MENTION.sub("", text).strip()


def channel_of(thread: str) -> str:
    """ "console:general:41" is said in "console:general"."""
    return thread.rpartition(":")[0]
