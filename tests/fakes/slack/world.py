"""What a Slack workspace holds: people, channels, messages, views, triggers."""

import itertools
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack.shown import Shown, controls, pings_in, pings_of, readable, words_of

TRIGGER_LIVES = 3.0

TEAM, APP = "T0TEAM", "A0APP"
BOT_USER, BOT = "U0BOT", "B0BOT"


class ApiError(Exception):
    """An answer with ok: false."""

    def __init__(self, error: str, **extra: Any) -> None:
        super().__init__(error)
        self.error = error
        self.extra = extra


@dataclass
class User:
    id: str
    name: str
    team: str = TEAM
    is_bot: bool = False
    deleted: bool = False
    guest: bool = False

    def profile(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "team_id": self.team,
            "name": self.name.lower(),
            "deleted": self.deleted,
            "real_name": self.name,
            "tz": "Europe/Berlin",
            "profile": {"real_name": self.name, "display_name": self.name, "team": self.team},
            "is_bot": self.is_bot,
            "is_restricted": self.guest,
        }


@dataclass
class Channel:
    id: str
    name: str
    kind: str = "channel"  # channel, group, im, mpim
    members: set[str] = field(default_factory=set)
    archived: bool = False


@dataclass
class Message:
    channel: str
    ts: str
    user: str
    text: str
    parent: str = ""  # ts of the message it replies to
    blocks: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    bot_id: str = ""
    username: str = ""
    subtype: str = ""
    reactions: dict[str, list[str]] = field(default_factory=dict)
    edited: dict[str, str] | None = None
    only_for: str = ""  # an ephemeral message
    unfurls: tuple[Any, Any] = (None, None)
    files: list[str] = field(default_factory=list)
    file_names: list[str] = field(default_factory=list)
    file_words: list[str] = field(default_factory=list)  # what is said of each to those who do not see it

    def shown(self) -> Shown:
        words = words_of(self.blocks) or readable(self.text)
        return Shown(
            ts=self.ts,
            by=self.user,
            by_bot=bool(self.bot_id),
            title=words.partition("\n")[0],
            words=words,
            text=readable(self.text),
            labels=tuple(control.label for control in controls(self.blocks)),
            pings=frozenset(pings_of(self.blocks) | pings_in(self.text, verbatim=True)),
            ephemeral=bool(self.only_for),
            edited=self.edited is not None,
            reactions={name: tuple(by) for name, by in self.reactions.items()},
            files=tuple(self.files),
        )


@dataclass
class Trigger:
    user: str
    until: float
    used: bool = False


@dataclass
class View:
    id: str
    user: str
    body: dict[str, Any]
    hash: str

    def payload(self) -> dict[str, Any]:
        return {**self.body, "id": self.id, "hash": self.hash, "team_id": TEAM, "app_id": APP}


class World:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._last = 0
        self.users: dict[str, User] = {BOT_USER: User(BOT_USER, "Overlord", is_bot=True)}
        self.channels: dict[str, Channel] = {}
        self.groups: dict[str, set[str]] = {}
        self.messages: list[Message] = []
        self.triggers: dict[str, Trigger] = {}
        self.homes: dict[str, View] = {}
        self.modals: dict[str, list[View]] = {}
        self.files: dict[str, dict[str, Any]] = {}

    # ── numbers ─────────────────────────────────────────────────────────────────────────────────────────────────

    def number(self) -> int:
        return next(self._numbers)

    def ts(self, at: float | None = None) -> str:
        """Unique and, for what happens now, ever growing."""
        micro = int((time.time() if at is None else at) * 1_000_000)
        if at is None:
            micro = self._last = max(micro, self._last + 1)
        return f"{micro // 1_000_000}.{micro % 1_000_000:06}"

    # ── people and places ───────────────────────────────────────────────────────────────────────────────────────

    def add_user(self, id: str, name: str = "", **known: Any) -> User:
        return self.users.setdefault(id, User(id, name or id, **known))

    def add_channel(self, id: str, name: str, members: Iterable[str], kind: str = "channel") -> Channel:
        return self.channels.setdefault(id, Channel(id, name, kind, set(members)))

    def direct(self, user: str) -> Channel:
        return self.add_channel(f"D{user}", "", {user, BOT_USER}, "im")

    def channel(self, id: Any) -> Channel:
        if id in self.users:
            return self.direct(str(id))
        found = self.channels.get(str(id))
        if found is None or (found.kind != "channel" and BOT_USER not in found.members):
            raise ApiError("channel_not_found")
        return found

    # ── messages ────────────────────────────────────────────────────────────────────────────────────────────────

    def put(self, message: Message) -> Message:
        """A reply to what does not exist lands at the channel's root, in silence."""
        if message.parent:
            parent = self.find(message.channel, message.parent)
            message.parent = (parent.parent or parent.ts) if parent else ""
        self.messages.append(message)
        return message

    def find(self, channel: str, ts: Any) -> Message | None:
        return next((m for m in self.messages if m.channel == channel and m.ts == ts and not m.only_for), None)

    def get(self, channel: str, ts: Any) -> Message:
        found = self.find(channel, ts)
        if found is None:
            raise ApiError("message_not_found")
        return found

    def replies(self, channel: str, ts: str) -> list[Message]:
        return [m for m in self.messages if m.channel == channel and m.parent == ts and not m.only_for]

    def roots(self, channel: str) -> list[Message]:
        here = (m for m in self.messages if m.channel == channel and not m.only_for)
        return [m for m in here if not m.parent or m.subtype == "thread_broadcast"]

    def author(self, channel: str, ts: str) -> str:
        found = self.find(channel, ts) if ts else None
        return found.user if found else ""

    def payload(self, message: Message, *, metadata: bool = False) -> dict[str, Any]:
        """A message as the API and the events show it; what is empty is left out."""
        replies = self.replies(message.channel, message.ts)
        thread = message.parent or (message.ts if replies else "")
        replied = {"reply_count": len(replies), "latest_reply": replies[-1].ts} if replies else {}
        user = self.users.get(message.user)
        whole: Mapping[str, Any] = {
            "type": "message",
            "subtype": message.subtype,
            "user": message.user,
            "username": message.username,
            "text": message.text,
            "ts": message.ts,
            "thread_ts": thread,
            "parent_user_id": self.author(message.channel, message.parent),
            "team": user.team if user else TEAM,
            "blocks": message.blocks,
            "bot_id": message.bot_id,
            "app_id": APP if message.bot_id == BOT else "",
            "edited": message.edited,
            "files": [{"name": name} for name in message.file_names],
            "reactions": [
                {"name": n, "users": list(by), "count": len(by)} for n, by in sorted(message.reactions.items())
            ],
            "metadata": message.metadata if metadata else None,
            **replied,
        }
        return {key: value for key, value in whole.items() if value}

    # ── triggers and views ──────────────────────────────────────────────────────────────────────────────────────

    def trigger(self, user: str) -> str:
        id = f"{self.number()}.{TEAM}.{user}"
        self.triggers[id] = Trigger(user, time.monotonic() + TRIGGER_LIVES)
        return id

    def spend(self, id: Any) -> Trigger:
        trigger = self.triggers.get(str(id))
        if trigger is None:
            raise ApiError("invalid_trigger_id")
        if trigger.used:
            raise ApiError("exchanged_trigger_id")
        if time.monotonic() > trigger.until:
            raise ApiError("expired_trigger_id")
        trigger.used = True
        return trigger

    def make_view(self, user: str, body: dict[str, Any]) -> View:
        number = self.number()
        return View(f"V{number:06}", user, body, f"{time.time():.0f}.hash{number}")
