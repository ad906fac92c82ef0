"""The REST side of channels: messages, threads and reactions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from tests.fakes.discord.http import Answer, Call, Http
from tests.fakes.discord.limits import ApiError, check_message, check_thread_name
from tests.fakes.discord.world import DM, EPHEMERAL, HAS_THREAD, Channel, Json, Message, World, stamp, without_content

NONCE_KEPT = 300.0  # seconds
Tell = Callable[[str, Json, Channel], None]
_MENTION = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")


@dataclass
class Draft:
    """What someone sends, as the API takes it."""

    data: Json
    files: dict[str, bytes]


class Messages:
    """`tell` sends an event to whoever listens at the gateway."""

    def __init__(self, world: World, tell: Tell) -> None:
        self._world, self._tell = world, tell
        self._nonces: dict[tuple[str, str], tuple[float, Message]] = {}
        self.reads_content: Callable[[], bool] = lambda: True  # what the portal allows holds for histories too
        self.closed_dms: set[str] = set()  # people who take no direct messages
        self.no_embeds: set[str] = set()  # channels where the bot may not embed
        self.no_threads: set[str] = set()  # channels where the bot may not open threads
        self.barred: set[str] = set()  # channels in which the bot may do nothing
        self.no_files: set[str] = set()  # channels where the bot may attach nothing
        self.no_history: set[str] = set()  # channels where the bot may not read back
        self.doubled_nonces = 0

    def add_routes(self, http: Http) -> None:
        one, many = "/channels/{channel_id}/messages/{message_id}", "/channels/{channel_id}/messages"
        http.route("GET", "/channels/{channel_id}", lambda call: self._channel(call).json)
        http.route("PATCH", "/channels/{channel_id}", self._change_channel)
        http.route("GET", many, self._list)
        http.route("POST", many, self._create)
        http.route("GET", one, self._get)
        http.route("PATCH", one, self._edit)
        http.route("DELETE", one, self._delete, 204)
        http.route("POST", f"{one}/threads", self._open_thread, 201)
        http.route("GET", "/guilds/{guild_id}/threads/active", self._active)
        http.route("PUT", f"{one}/reactions/{{emoji_name}}/@me", self._react, 204)
        http.route("DELETE", f"{one}/reactions/{{emoji_name}}/@me", self._unreact, 204)
        http.route("POST", "/users/@me/channels", self._direct)

    # ── what the bot asks ───────────────────────────────────────────────────────────────────────────────────────

    def _channel(self, call: Call) -> Channel:
        found = self._world.channels.get(call.path["channel_id"])
        if found is None:
            raise ApiError(404, 10003, "Unknown Channel")
        return found

    def _message(self, call: Call) -> Message:
        found = self._channel(call).find(call.path["message_id"])
        if found is None or found.only_for:
            raise ApiError(404, 10008, "Unknown Message")
        return found

    def _list(self, call: Call) -> Answer:
        """Newest first; `after` picks the oldest that follow, as Discord does."""
        limit, known = int(call.query.get("limit", 50)), self._readable(call)
        if not 1 <= limit <= 100:
            raise ApiError(400, 50035, "Invalid Form Body", {"limit": {"_errors": []}})
        if after := call.query.get("after"):
            picked = [m for m in known if int(m.id) > int(after)][:limit]
        elif before := call.query.get("before"):
            picked = [m for m in known if int(m.id) < int(before)][-limit:]
        elif around := call.query.get("around"):
            half = limit // 2
            older = [m for m in known if int(m.id) <= int(around)][-half:]
            picked = older + [m for m in known if int(m.id) > int(around)][:half]
        else:
            picked = known[-limit:]
        return [self._read(call, m) for m in reversed(picked)]

    def _readable(self, call: Call) -> list[Message]:
        """Without the right to read back Discord lists nothing, and says nothing."""
        channel = self._channel(call)
        return [] if {channel.id, channel.parent} & self.no_history else channel.public

    def _get(self, call: Call) -> Answer:
        channel = self._channel(call)
        if {channel.id, channel.parent} & self.no_history:
            raise ApiError(403, 50013, "Missing Permissions")
        return self._read(call, self._message(call))

    def _read(self, call: Call, message: Message) -> Json:
        data = message.json()
        return data if self.reads_content() else without_content(data, self._channel(call), self._world.bot)

    def _create(self, call: Call) -> Answer:
        channel = self._channel(call)
        self._refuse_barred(channel, call)
        if channel.recipient and channel.recipient.id in self.closed_dms:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        check_message(call.body, files=len(call.files))
        nonce = (self._world.bot.id, str(call.body.get("nonce")))
        if call.body.get("nonce") is not None and call.body.get("enforce_nonce"):
            at, known = self._nonces.get(nonce, (0.0, None))
            if known and self._world.now() - at < NONCE_KEPT:
                self.doubled_nonces += 1
                return known.json() | {"nonce": known.nonce}
        message = self.make(channel, Draft(call.body, call.files))
        if reply := call.body.get("message_reference"):
            message.type, message.reply_to = 19, channel.find(reply["message_id"])
        message.nonce = call.body.get("nonce")
        if message.nonce is not None:
            self._nonces[nonce] = (self._world.now(), message)
        self._tell("MESSAGE_CREATE", message.json() | {"nonce": message.nonce}, channel)
        return message.json() | ({"nonce": message.nonce} if message.nonce is not None else {})

    def _edit(self, call: Call) -> Answer:
        channel, message = self._channel(call), self._message(call)
        self._refuse_barred(channel, call)
        if message.author is not self._world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        check_message(call.body, files=len(call.files), editing=True)
        self.change(message, Draft(call.body, call.files))
        self._tell("MESSAGE_UPDATE", message.json(), channel)
        return message.json()

    def _delete(self, call: Call) -> Answer:
        channel, message = self._channel(call), self._message(call)
        channel.messages.remove(message)
        self._tell("MESSAGE_DELETE", {"id": message.id, "channel_id": channel.id}, channel)
        return None

    def _open_thread(self, call: Call) -> Answer:
        channel, message = self._channel(call), self._message(call)
        check_thread_name(call.body)
        if channel.parent or channel.type == DM:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        if channel.id in self.no_threads:
            raise ApiError(403, 50013, "Missing Permissions")
        if message.id in self._world.channels:
            raise ApiError(400, 160004, "A thread has already been created for this message")
        message.flags |= HAS_THREAD
        thread = self._world.open_thread(channel, message.id, call.body["name"])
        self._tell("THREAD_CREATE", thread.json | {"newly_created": True}, thread)
        return thread.json

    def _active(self, call: Call) -> Answer:
        channels = self._world.guilds[call.path["guild_id"]].channels
        return {"threads": [c.json for c in channels if c.parent and not c.archived], "members": [], "has_more": False}

    def _change_channel(self, call: Call) -> Answer:
        channel = self._channel(call)
        if channel.locked:
            raise ApiError(403, 50013, "Missing Permissions")
        channel.archived = bool(call.body.get("archived", channel.archived))
        self._tell("THREAD_UPDATE", channel.json, channel)
        return channel.json

    def _react(self, call: Call) -> Answer:
        message = self._message(call)
        self._refuse_archived(self._channel(call))
        who = message.reactions.setdefault(call.path["emoji_name"], [])
        if self._world.bot.id not in who:
            who.append(self._world.bot.id)
        return None

    def _unreact(self, call: Call) -> Answer:
        who = self._message(call).reactions.get(call.path["emoji_name"], [])
        if self._world.bot.id not in who:
            raise ApiError(404, 10014, "Unknown Emoji")
        who.remove(self._world.bot.id)
        return None

    def _direct(self, call: Call) -> Answer:
        user = self._world.users.get(call.body["recipient_id"])
        if user is None:
            raise ApiError(404, 10013, "Unknown User")
        return self._world.direct(user).json

    def _refuse_barred(self, channel: Channel, call: Call) -> None:
        """Rights are those of the channel a thread is in."""
        self._refuse_archived(channel)
        here = {channel.id, channel.parent}
        if here & self.barred:
            raise ApiError(403, 50001, "Missing Access")
        if call.files and here & self.no_files:
            raise ApiError(403, 50013, "Missing Permissions")

    @staticmethod
    def _refuse_archived(channel: Channel) -> None:
        if channel.archived:
            raise ApiError(400, 50083, "Thread is archived")

    # ── shared with interactions ────────────────────────────────────────────────────────────────────────────────

    def make(self, channel: Channel, draft: Draft, only_for: str = "") -> Message:
        """A message of the bot."""
        message = Message(self._world.id(), channel.id, self._world.bot, only_for=only_for)
        message.flags = EPHEMERAL if only_for else 0
        channel.messages.append(message)
        self._fill(message, draft)
        message.pinged = self._pings(draft.data, message.content)
        return message

    def change(self, message: Message, draft: Draft) -> None:
        """Only what is named changes; an edit pings nobody."""
        self._fill(message, draft)
        message.edited = stamp(self._world.now() * 1000)
        message.edits += 1

    def _fill(self, message: Message, draft: Draft) -> None:
        data = draft.data
        message.content = data.get("content", message.content) or ""
        if message.channel not in self.no_embeds:
            message.embeds = data.get("embeds", message.embeds) or []
        if "components" in data:
            message.components = numbered(data["components"] or [])
        if "attachments" in data or draft.files:
            kept = {str(a["id"]) for a in data.get("attachments") or []}
            words = {a.get("filename"): a.get("description") or "" for a in data.get("attachments") or []}
            new = self._attached(draft.files, words)
            message.attachments = [a for a in message.attachments if a["id"] in kept] + new
            message.files |= draft.files
        found = (self._world.users.get(id) for id in _MENTION.findall(message.content))
        message.mentions = [user for user in found if user]

    def _attached(self, files: dict[str, bytes], words: Json) -> list[Json]:
        return [
            {
                "id": self._world.id(),
                "filename": name,
                "description": words.get(name, ""),
                "size": len(data),
                "url": f"https://cdn.invalid/{name}",
                "proxy_url": f"https://cdn.invalid/{name}",
            }
            for name, data in files.items()
        ]

    @staticmethod
    def _pings(data: Json, content: str) -> set[str]:
        """Who is notified: what the text names and allowed_mentions lets through; without it, everything named."""
        named, roles = set(_MENTION.findall(content)), set(_ROLE.findall(content))
        everybody = bool(re.search(r"@(everyone|here)", content))
        allowed = data.get("allowed_mentions")
        if allowed is None:
            return named | ({"everybody"} if everybody or roles else set())
        parse = allowed.get("parse") or []
        pinged = named if "users" in parse else named & set(allowed.get("users") or [])
        loud = (everybody and "everyone" in parse) or (
            roles and ("roles" in parse or roles & set(allowed.get("roles") or []))
        )
        return pinged | ({"everybody"} if loud else set())


def numbered(components: list[Json]) -> list[Json]:
    """Discord gives every component a number of its own."""
    numbers = count(1)

    def give(part: Json) -> Json:
        made = {**part, "id": next(numbers)}
        if "components" in part:
            made["components"] = [give(inner) for inner in part["components"]]
        if part.get("type") == 3:
            made = {"min_values": 1, "max_values": 1, **made}
        return made

    return [give(part) for part in components]
