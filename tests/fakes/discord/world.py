"""What the fake Discord knows: people, channels, threads and messages, and how each looks as JSON."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

EPOCH = 1_420_070_400_000
TEXT, DM, PUBLIC_THREAD = 0, 1, 11
EPHEMERAL = 1 << 6
HAS_THREAD = 1 << 5


@dataclass
class User:
    id: str
    name: str
    bot: bool = False
    guest: bool = False  # let into one channel of a guild

    @property
    def json(self) -> Json:
        return {
            "id": self.id,
            "username": self.name,
            "global_name": self.name.capitalize(),
            "avatar": None,
            "discriminator": "0000" if self.bot else "0",
            "public_flags": 0,
            "flags": 0,
            "bot": self.bot,
            "primary_guild": None,
        }


@dataclass
class Message:
    id: str
    channel: str
    author: User
    content: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    mentions: list[User] = field(default_factory=list)
    mention_roles: list[str] = field(default_factory=list)
    pinged: set[str] = field(default_factory=set)  # who got a notification: user ids, or "everybody"
    reply_to: "Message | None" = None
    type: int = 0
    flags: int = 0
    only_for: str = ""  # an ephemeral message's one reader
    webhook: str = ""
    nonce: str | int | None = None
    edited: str | None = None
    edits: int = 0

    def json(self, *, deep: bool = True) -> Json:
        """`deep`: with the message that it replies to."""
        made: Json = {
            "id": self.id,
            "channel_id": self.channel,
            "author": self.author.json,
            "type": self.type,
            "content": self.content,
            "mentions": [user.json for user in self.mentions],
            "mention_roles": self.mention_roles,
            "mention_everyone": False,
            "attachments": self.attachments,
            "embeds": [{"type": "rich", **embed} for embed in self.embeds],
            "components": self.components,
            "timestamp": stamp(created(self.id)),
            "edited_timestamp": self.edited,
            "flags": self.flags,
            "pinned": False,
            "tts": False,
        }
        if self.webhook:
            made["webhook_id"] = self.webhook
        if self.reactions:
            made["reactions"] = [self._reaction(emoji) for emoji in self.reactions]
        if self.reply_to:
            made["message_reference"] = {"type": 0, "message_id": self.reply_to.id, "channel_id": self.reply_to.channel}
            if deep:
                made["referenced_message"] = self.reply_to.json(deep=False)
        return made

    def _reaction(self, emoji: str) -> Json:
        count = len(self.reactions[emoji])
        return {
            "emoji": {"id": None, "name": emoji},
            "count": count,
            "count_details": {"burst": 0, "normal": count},
            "burst_colors": [],
            "me_burst": False,
            "me": False,
        }


@dataclass
class Channel:
    id: str
    name: str
    type: int = TEXT
    guild: str = ""
    parent: str = ""
    recipient: User | None = None
    archived: bool = False
    locked: bool = False
    messages: list[Message] = field(default_factory=list)

    def find(self, id: str) -> Message | None:
        return next((message for message in self.messages if message.id == id), None)

    @property
    def public(self) -> list[Message]:
        return [message for message in self.messages if not message.only_for]

    @property
    def json(self) -> Json:
        made: Json = {"id": self.id, "type": self.type, "flags": 0, "last_message_id": self._last}
        if self.type == DM:
            assert self.recipient
            return {**made, "recipients": [self.recipient.json]}
        made |= {"guild_id": self.guild, "name": self.name, "parent_id": self.parent or None}
        if self.type == TEXT:
            return {**made, "position": 0, "permission_overwrites": [], "nsfw": False, "topic": None}
        return {
            **made,
            "owner_id": "1",
            "message_count": len(self.messages),
            "member_count": 1,
            "total_message_sent": len(self.messages),
            "rate_limit_per_user": 0,
            "thread_metadata": {
                "archived": self.archived,
                "archive_timestamp": stamp(created(self.id)),
                "auto_archive_duration": 10_080,
                "locked": self.locked,
                "create_timestamp": stamp(created(self.id)),
            },
        }

    @property
    def _last(self) -> str | None:
        return self.public[-1].id if self.public else None


@dataclass
class Guild:
    id: str
    name: str
    bot: User
    bot_role: str  # the role Discord makes for the bot
    channels: list[Channel] = field(default_factory=list)
    members: dict[str, User] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)  # roles people made, and the users who have them

    @property
    def roles(self) -> list[Json]:
        blank = {
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": 0,
            "permissions": "0",
            "managed": False,
            "mentionable": True,
            "flags": 0,
            "icon": None,
            "unicode_emoji": None,
            "description": None,
        }
        mine = {"id": self.bot_role, "name": "Overlord", "managed": True, "tags": {"bot_id": self.bot.id}}
        named = [{**blank, "id": role, "name": f"role {role}"} for role in self.named]
        return [{**blank, "id": self.id, "name": "@everyone"}, {**blank, **mine}, *named]

    def member(self, user: User) -> Json:
        return {
            "user": user.json,
            "roles": [self.bot_role] if user.bot else [role for role, users in self.named.items() if user.id in users],
            "joined_at": stamp(EPOCH),
            "deaf": False,
            "mute": False,
            "flags": 1 << 4 if user.guest else 0,
            "nick": None,
            "avatar": None,
            "banner": None,
            "pending": False,
            "premium_since": None,
            "communication_disabled_until": None,
        }


class World:
    """Everything there is, and the numbers that name it."""

    def __init__(self, application: str) -> None:
        self.bot = User(application, "overlord", bot=True)
        self.users: dict[str, User] = {application: self.bot}
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self.shift = 0.0  # seconds that were skipped
        self._last_id = 0

    def now(self) -> float:
        return time.time() + self.shift

    def id(self) -> str:
        """A snowflake; later ones are larger."""
        wanted = (int(self.now() * 1000) - EPOCH) << 22
        self._last_id = max(wanted, self._last_id + 1)
        return str(self._last_id)

    def user(self, name: str, *, bot: bool = False) -> User:
        known = next((user for user in self.users.values() if user.name == name), None)
        if known is None:
            known = User(self.id(), name, bot=bot)
            self.users[known.id] = known
            for guild in self.guilds.values():
                guild.members[known.id] = known
        return known

    def guild(self, name: str) -> Guild:
        guild = Guild(self.id(), name, self.bot, bot_role=self.id(), members=dict(self.users))
        self.guilds[guild.id] = guild
        return guild

    def text_channel(self, guild: Guild, name: str) -> Channel:
        channel = Channel(self.id(), name, guild=guild.id)
        guild.channels.append(channel)
        self.channels[channel.id] = channel
        return channel

    def direct(self, user: User) -> Channel:
        """The one channel between the bot and this person."""
        known = next((c for c in self.channels.values() if c.recipient is user), None)
        if known is None:
            known = Channel(self.id(), "", type=DM, recipient=user)
            self.channels[known.id] = known
        return known

    def open_thread(self, parent: Channel, id: str, name: str) -> Channel:
        thread = Channel(id, name, type=PUBLIC_THREAD, guild=parent.guild, parent=parent.id)
        self.guilds[parent.guild].channels.append(thread)
        self.channels[id] = thread
        return thread

    def message(self, id: str) -> Message:
        return next(message for message in self.messages() if message.id == id)

    def messages(self) -> Iterator[Message]:
        for channel in self.channels.values():
            yield from channel.messages


def without_content(data: Json, channel: Channel, bot: User) -> Json:
    """A message as an application without the message-content intent gets it: complete only if it concerns the bot."""
    named = any(user["id"] == bot.id for user in data["mentions"])
    if named or channel.type == DM or data["author"]["id"] == bot.id:
        return data
    return {**data, "content": "", "embeds": [], "attachments": [], "components": []}


def created(id: str) -> int:
    return (int(id) >> 22) + EPOCH


def stamp(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()
