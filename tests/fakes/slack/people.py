"""People on the fake: they write, edit, react, press, fill forms and open the app's home."""

import json
import random
import time
from collections.abc import Mapping
from typing import Any

from tests.fakes.slack.delivery import Deliveries, Sent
from tests.fakes.slack.shown import Control, Shown, controls
from tests.fakes.slack.world import APP, BOT_USER, TEAM, Message, User, View, World

MENTION = f"<@{BOT_USER}>"
_SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}


class People:
    """`user` and `channel` are ids; both are made as they are needed."""

    def __init__(self, world: World, deliveries: Deliveries, events: frozenset[str]) -> None:
        self._world = world
        self._deliveries = deliveries
        self._events = events
        self._chance = random.Random(1)

    # ── words ───────────────────────────────────────────────────────────────────────────────────────────────────

    def say(self, user: str, channel: str, text: str, thread: str = "", **more: Any) -> str:
        """Write a message, as `at` (epoch seconds) if given. Returns its ts."""
        at: float | None = more.pop("at", None)
        place = self._world.channels[channel]
        place.members.add(user)
        who = self._world.add_user(user)
        message = Message(
            channel=channel, ts=self._world.ts(at), user=user, text=text, parent=thread, **more
        )  # fmt: skip
        self._world.put(message)
        foreign = {"user_team": who.team, "source_team": who.team} if who.team != TEAM else {}
        self._announce(message, **foreign)
        return message.ts

    def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        message = self._world.get(channel, ts)
        assert message.user == user, "people edit their own messages"
        before = self._world.payload(message)
        message.text, message.edited = text, {"user": user, "ts": self._world.ts()}
        self.changed(message, before)

    def unfurl(self, channel: str, ts: str) -> None:
        """Slack changes a message by itself: nobody edited anything."""
        message = self._world.get(channel, ts)
        self.changed(message, self._world.payload(message))

    def delete(self, channel: str, ts: str) -> None:
        message = self._world.get(channel, ts)
        before = self._world.payload(message)
        self._world.messages.remove(message)
        fields = {"subtype": "message_deleted", "deleted_ts": ts, "previous_message": before, "hidden": True}
        self.emit("message", channel, ts=self._world.ts(), **fields)

    def react(self, user: str, channel: str, ts: str, name: str) -> None:
        message = self._world.get(channel, ts)
        message.reactions.setdefault(name, []).append(user)
        item = {"type": "message", "channel": channel, "ts": ts}
        self.emit("reaction_added", "", user=user, reaction=name, item=item, item_user=message.user)

    def open_home(self, user: str) -> Sent | None:
        self._world.add_user(user)
        return self.emit("app_home_opened", "", user=user, channel=f"D{user}", tab="home")

    # ── presses ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def press(self, user: str, channel: str, message: Shown | str, label: str, **forged: Any) -> Sent:
        """Press a button or a menu entry; `forged` replaces fields of the action."""
        ts = message.ts if isinstance(message, Shown) else message
        found = next(m for m in self._world.messages if m.channel == channel and m.ts == ts)
        assert found.only_for in ("", user), "nobody presses what they do not see"
        control = _labelled(controls(found.blocks), label)
        thread = {"thread_ts": found.parent} if found.parent else {}
        place = {"message_ts": ts, "channel_id": channel, "is_ephemeral": bool(found.only_for), **thread}
        payload = {
            **self._interaction(user, "block_actions"),
            "container": {"type": "message", **place},
            "channel": {"id": channel, "name": self._world.channels[channel].name},
            "message": self._world.payload(found),
            "actions": [{**self._action(control), **forged}],
        }
        return await self._deliveries.interaction("interactive", payload)

    async def press_home(self, user: str, label: str) -> Sent:
        view = self._world.homes[user]
        control = _labelled(controls(view.body["blocks"]), label)
        payload = {
            **self._interaction(user, "block_actions"),
            "container": {"type": "view", "view_id": view.id},
            "view": view.payload(),
            "actions": [self._action(control)],
        }
        return await self._deliveries.interaction("interactive", payload)

    async def submit(self, user: str, words: str = "", filled: Mapping[str, str] | None = None) -> Sent:
        """Fill the form on top and send it; it stays open if nobody acknowledges, or if something is wrong with it.

        `filled`: by block, where there is more than one field; those not named stay as they are.
        """
        view = self._world.modals[user][-1]
        values: dict[str, Any] = {}
        for block in (b for b in view.body["blocks"] if b["type"] == "input"):
            id = block["element"].get("action_id", "input")
            values[block["block_id"]] = {id: _filled_in(block, words, filled)}
        body = {**view.payload(), "state": {"values": values}}
        payload = {**self._interaction(user, "view_submission"), "view": body, "response_urls": []}
        sent = await self._deliveries.interaction("interactive", payload)
        if sent.ok and not errors_in(sent):
            self._world.modals[user].remove(view)
        return sent

    async def command(self, user: str, channel: str, text: str, command: str = "/overlord") -> Sent:
        who = self._world.add_user(user)
        payload = {
            "token": "verification-token",
            "team_id": who.team,
            "team_domain": "acme",
            "channel_id": channel,
            "channel_name": self._world.channels[channel].name if channel in self._world.channels else "",
            "user_id": user,
            "user_name": who.name.lower(),
            "command": command,
            "text": text,
            "api_app_id": APP,
            "is_enterprise_install": "false",
            "response_url": "https://hooks.slack.invalid/commands/1",
            "trigger_id": self._world.trigger(user),
        }
        return await self._deliveries.interaction("slash_commands", payload)

    def form(self, user: str) -> View | None:
        """The form that this person has open."""
        stack = self._world.modals.get(user)
        return stack[-1] if stack else None

    # ── events ──────────────────────────────────────────────────────────────────────────────────────────────────

    def changed(self, message: Message, before: dict[str, Any]) -> None:
        after = self._world.payload(message)
        fields = {"subtype": "message_changed", "message": after, "previous_message": before, "hidden": True}
        self.emit("message", message.channel, ts=self._world.ts(), **fields)

    def emit(self, kind: str, channel: str, /, **fields: Any) -> Sent | None:
        """Send an event, if the app's manifest asks for it and the bot is there to hear it."""
        place = self._world.channels.get(channel)
        wanted = _SUBSCRIPTION[place.kind] if place and kind == "message" else kind
        if wanted not in self._events or (place and BOT_USER not in place.members):
            return None
        where = {"channel": channel, "channel_type": place.kind} if place and kind == "message" else {}
        if place and kind != "message":
            where = {"channel": channel}
        event = {
            "type": kind,
            "event_ts": self._world.ts(),
            **where,
            **{k: v for k, v in fields.items() if k != "type"},
        }
        return self._deliveries.event(event)

    def _announce(self, message: Message, **more: Any) -> None:
        """A mention is two events, in either order."""
        payload = {**self._world.payload(message), **more}
        kinds = ["message"]
        if MENTION in message.text and self._world.channels[message.channel].kind != "im":
            kinds.append("app_mention")
            self._chance.shuffle(kinds)
        for kind in kinds:
            self.emit(kind, message.channel, **payload)

    def _interaction(self, user: str, kind: str) -> dict[str, Any]:
        who: User = self._world.add_user(user)
        return {
            "type": kind,
            "user": {"id": user, "username": who.name.lower(), "name": who.name.lower(), "team_id": who.team},
            "api_app_id": APP,
            "token": "verification-token",
            "trigger_id": self._world.trigger(user),
            "team": {"id": TEAM, "domain": "acme"},
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _action(self, control: Control) -> dict[str, Any]:
        common = {
            "action_id": control.element.get("action_id", ""),
            "block_id": control.block_id,
            "type": control.element["type"],
            "action_ts": f"{time.time():.6f}",
        }
        if control.option:
            return {**common, "selected_option": control.option}
        return {**common, "text": control.element["text"], "value": control.value}


def _labelled(found: list[Control], label: str) -> Control:
    for control in found:
        if control.label == label:
            return control
    raise AssertionError(f"no {label!r} among {[control.label for control in found]}")


def errors_in(sent: Sent) -> dict[str, str]:
    """What Slack shows beside the fields of a form that it leaves open."""
    answer = json.loads(sent.answer) if isinstance(sent.answer, str) and sent.answer.startswith("{") else sent.answer
    found: dict[str, str] = answer["errors"] if isinstance(answer, dict) and "errors" in answer else {}
    return found


def _filled_in(block: Mapping[str, Any], words: str, filled: Mapping[str, str] | None) -> dict[str, Any]:
    """What Slack sends of one field."""
    element = block["element"]
    if element["type"] == "static_select":
        first = element.get("initial_option")
        value = (filled or {}).get(block["block_id"], first and first["value"])
        chosen = next((option for option in element["options"] if option["value"] == value), None)
        assert value is None or chosen, f"{value} is no choice of {block['block_id']}"
        return {"type": "static_select", "selected_option": chosen}
    text = words if filled is None else filled.get(block["block_id"], element.get("initial_value", ""))
    return {"type": "plain_text_input", "value": text or None}
