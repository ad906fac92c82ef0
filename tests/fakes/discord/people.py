"""People on the fake Discord: they write, press, fill in forms and react, and see what a person would see."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.interactions import COMMAND, COMPONENT, MODAL, Interaction, Interactions
from tests.fakes.discord.limits import ROW, SELECT, inputs_of
from tests.fakes.discord.world import Channel, Json, Message, User, World, stamp

_USER, _ROLE = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>")
_TIME = re.compile(r"<t:(\d+):?\w?>")
_ESCAPED = re.compile(r"\\([\\*_~`|>\[\]()#@<:\-.+!])")
_MARKS = re.compile(r"(?<!\\)(\*\*|__|~~|`+)|^-# ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A message as one person sees it."""

    id: str
    text: str
    buttons: tuple[str, ...]  # labels, the menu's entries too
    ids: tuple[str, ...]  # what pressing each sends
    by: str
    private: bool
    files: tuple[str, ...]


class Parts(Protocol):
    world: World
    gateway: Gateway
    interactions: Interactions


class People:
    """Mixed into the fake: needs its world, gateway and interactions."""

    def say(
        self: Parts,
        user: User,
        channel: Channel,
        text: str,
        reply_to: Message | None = None,
        *,
        ping: bool = True,
        webhook: str = "",
    ) -> Message:
        message = Message(self.world.id(), channel.id, user, text, reply_to=reply_to, webhook=webhook)
        message.type = 19 if reply_to else 0
        found = [self.world.users.get(id) for id in _USER.findall(text)]
        if reply_to and ping:
            found.append(reply_to.author)
        message.mentions = list({u.id: u for u in found if u}.values())
        message.mention_roles = _ROLE.findall(text)
        if channel.archived:
            channel.archived = False
            self.gateway.tell("THREAD_UPDATE", channel.json, channel)
        channel.messages.append(message)
        self.gateway.tell("MESSAGE_CREATE", message.json(), channel)
        return message

    def rewrite(self: Parts, message: Message, text: str) -> None:
        message.content, message.edited = text, stamp(self.world.now() * 1000)
        self.gateway.tell("MESSAGE_UPDATE", message.json(), self.world.channels[message.channel])

    def react(self: Parts, user: User, message: Message, emoji: str) -> None:
        message.reactions.setdefault(emoji, []).append(user.id)
        channel = self.world.channels[message.channel]
        data: Json = {
            "user_id": user.id,
            "channel_id": channel.id,
            "message_id": message.id,
            "message_author_id": message.author.id,
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        if channel.guild:
            data["member"] = self.world.guilds[channel.guild].member(user)
        self.gateway.tell("MESSAGE_REACTION_ADD", data, channel)

    def press(self: Parts, user: User, message: Message, label: str) -> Interaction:
        """Press the button or pick the menu entry of this label."""
        assert message.only_for in ("", user.id), "nobody presses what they cannot see"
        data = next((data for name, data in _pressable(message) if name == label), None)
        assert data, f"no button {label!r} on {[name for name, _ in _pressable(message)]}"
        return _begin(self, COMPONENT, user, self.world.channels[message.channel], data, message)

    def press_id(self: Parts, user: User, message: Message, custom_id: str) -> Interaction:
        """A press that no honest client would send."""
        data = {"custom_id": custom_id, "component_type": 2, "id": 1}
        return _begin(self, COMPONENT, user, self.world.channels[message.channel], data, message)

    def submit(self: Parts, opened: Interaction, *words: str) -> Interaction:
        """Send the form that an interaction opened."""
        assert opened.form, "no form is open"
        rows = []
        for at, part in enumerate(inputs_of(opened.form["components"])):
            value = {"type": 4, "custom_id": part["custom_id"], "value": words[at] if at < len(words) else ""}
            rows.append({"type": 18, "id": at + 1, "component": {**value, "id": 100 + at}})
        data = {"custom_id": opened.form["custom_id"], "components": rows}
        return _begin(self, MODAL, opened.user, opened.channel, data, opened.message)

    def command(self: Parts, user: User, channel: Channel, name: str, **options: str) -> Interaction:
        known = next((c for c in self.interactions.commands if c["name"] == name), None)
        assert known, f"no command /{name} is registered"
        given = [{"name": option, "type": 3, "value": value} for option, value in options.items()]
        data = {"id": known["id"], "name": name, "type": 1, "options": given}
        return _begin(self, COMMAND, user, channel, data, None)

    def seen(self: Parts, message: Message) -> Seen:
        pressable = list(_pressable(message))
        return Seen(
            id=message.id,
            text=readable(message),
            buttons=tuple(name for name, _ in pressable),
            ids=tuple((data.get("values") or [data["custom_id"]])[0] for _, data in pressable),
            by=message.author.name,
            private=bool(message.only_for),
            files=tuple(attachment["filename"] for attachment in message.attachments),
        )

    def thread(self: Parts, id: str, to: User | None = None) -> list[Seen]:
        """What a person reads in a thread, oldest first, the message it began with included."""
        found = self.world.channels.get(id)
        parent = self.world.channels.get(found.parent) if found else None
        first = [m for m in self.world.messages() if m.id == id] if found is None or parent else []
        inside = found.messages if found else []
        reader = to.id if to else ""
        return [People.seen(self, m) for m in (*first, *inside) if m.only_for in ("", reader)]


def _begin(fake: Parts, kind: int, user: User, channel: Channel, data: Json, message: Message | None) -> Interaction:
    made = fake.interactions.open(kind, user, channel, data, message)
    fake.gateway.tell("INTERACTION_CREATE", fake.interactions.json(made), channel)
    return made


def _pressable(message: Message) -> list[tuple[str, Json]]:
    found: list[tuple[str, Json]] = []
    for row in message.components:
        assert row["type"] == ROW
        for part in row["components"]:
            if part.get("disabled"):
                continue
            base = {"custom_id": part["custom_id"], "component_type": part["type"], "id": part["id"]}
            if part["type"] == SELECT:
                found += [(option["label"], {**base, "values": [option["value"]]}) for option in part["options"]]
            else:
                found.append((part["label"], base))
    return found


def readable(message: Message) -> str:
    """The text without its markup, as an eye or a screen reader meets it."""
    parts = [plain(message.content)]
    for embed in message.embeds:
        parts += [plain(embed.get("title", "")), plain(embed.get("description", ""))]
        parts += [f"{plain(f['name'])}: {plain(f['value'])}" for f in embed.get("fields") or []]
        parts.append((embed.get("footer") or {}).get("text", ""))
    return "\n".join(part for part in parts if part)


def plain(text: str) -> str:
    text = _TIME.sub(lambda found: f"{datetime.fromtimestamp(int(found[1]), UTC):%Y-%m-%d %H:%M} UTC", text)
    return _ESCAPED.sub(r"\1", _MARKS.sub("", text))
