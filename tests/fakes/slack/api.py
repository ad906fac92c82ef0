"""The Web API: what each method wants, checks and answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.slack import kit
from tests.fakes.slack.world import APP, BOT, BOT_USER, TEAM, ApiError, Channel, Message, World

TEXT_MOST, MESSAGE_MOST = 40_000, 13_200
EDIT_TEXT_MOST = 4_000  # of chat.update; it was not found out whether bytes or characters, so both count
HISTORY = {"channel": "channels:history", "group": "groups:history", "im": "im:history", "mpim": "mpim:history"}
READ = {"channel": "channels:read", "group": "groups:read", "im": "im:read", "mpim": "mpim:read"}

Arguments = Mapping[str, Any]
Answer = dict[str, Any]
Emit = Callable[..., None]  # type of event, channel, **fields


@dataclass
class Caller:
    """Whose token it is and what it may do."""

    scopes: frozenset[str]

    def needs(self, scope: str) -> None:
        if scope not in self.scopes:
            raise ApiError("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))


class Api:
    """Each public method named like `chat_postMessage` answers `chat.postMessage`."""

    def __init__(self, world: World, emit: Emit) -> None:
        self._world = world
        self._emit = emit
        self.missing_text: list[Message] = []  # people's phones would show an empty notification for these

    def call(self, method: str, given: Arguments, caller: Caller) -> Answer:
        found = getattr(self, method.replace(".", "_"), None)
        if found is None or "." not in method:
            raise ApiError("unknown_method", req_method=method)
        answer: Answer = found(given, caller)
        return {"ok": True, **answer}

    # ── the app ─────────────────────────────────────────────────────────────────────────────────────────────────

    def auth_test(self, given: Arguments, caller: Caller) -> Answer:
        me = {"user": "overlord", "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": False}
        return {"url": "https://acme.slack.com/", "team": "Acme", "team_id": TEAM, **me}

    def bots_info(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("users:read")
        return {"bot": {"id": BOT, "app_id": APP, "user_id": BOT_USER, "name": "Overlord", "deleted": False}}

    # ── chat ────────────────────────────────────────────────────────────────────────────────────────────────────

    def chat_postMessage(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("chat:write")
        channel = self._writable(given)
        message = self._world.put(self._composed(channel, given))
        self._said(message)
        whole = self._world.payload(message, metadata=True)
        return {"channel": channel.id, "ts": message.ts, "message": whole}

    def chat_postEphemeral(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("chat:write")
        channel = self._writable(given)
        user = given.get("user")
        if user not in channel.members:
            raise ApiError("user_not_in_channel")
        message = self._composed(channel, given)
        message.only_for = str(user)
        self._world.put(message)
        return {"message_ts": message.ts}

    def chat_update(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("chat:write")
        channel = self._world.channel(given.get("channel"))
        message = self._world.get(channel.id, given.get("ts"))
        if message.bot_id != BOT:
            raise ApiError("cant_update_message")
        before = self._world.payload(message)
        if max(len(said := given.get("text") or ""), len(said.encode())) > EDIT_TEXT_MOST:
            raise ApiError("msg_too_long")
        after = self._composed(channel, {"blocks": message.blocks, **given})
        message.text, message.blocks = after.text, after.blocks
        message.metadata = after.metadata or message.metadata
        message.edited = {"user": BOT, "ts": self._world.ts()}
        self._changed(message, before)
        return {"channel": channel.id, "ts": message.ts, "text": message.text}

    def chat_delete(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("chat:write")
        channel = self._world.channel(given.get("channel"))
        message = self._world.get(channel.id, given.get("ts"))
        if message.bot_id != BOT:
            raise ApiError("cant_delete_message")
        self._world.messages.remove(message)
        self._emit("message", channel, subtype="message_deleted", deleted_ts=message.ts, ts=self._world.ts())
        return {"channel": channel.id, "ts": message.ts}

    def chat_getPermalink(self, given: Arguments, caller: Caller) -> Answer:
        channel = self._world.channel(given.get("channel"))
        message = self._world.get(channel.id, given.get("message_ts"))
        thread = f"?thread_ts={message.parent}&cid={channel.id}" if message.parent else ""
        link = f"https://acme.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}{thread}"
        return {"channel": channel.id, "permalink": link}

    def reactions_add(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("reactions:write")
        channel, name = self._world.channel(given.get("channel")), str(given.get("name") or "")
        if not name.replace("_", "").isalnum():
            raise ApiError("invalid_name")
        message = self._world.get(channel.id, given.get("timestamp"))
        by = message.reactions.setdefault(name, [])
        if BOT_USER in by:
            raise ApiError("already_reacted")
        by.append(BOT_USER)
        return {}

    # ── around ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _writable(self, given: Arguments) -> Channel:
        channel = self._world.channel(given.get("channel"))
        if channel.archived:
            raise ApiError("is_archived")
        if BOT_USER not in channel.members:
            raise ApiError("not_in_channel")
        return channel

    def _composed(self, channel: Channel, given: Arguments) -> Message:
        text, blocks = given.get("text") or "", _parsed(given.get("blocks"), "invalid_blocks_format") or []
        if not text and not blocks:
            raise ApiError("no_text")
        if len(text) > TEXT_MOST:
            raise ApiError("msg_too_long")
        if problems := kit.check_blocks(blocks):
            raise ApiError("invalid_blocks", errors=problems, response_metadata={"messages": problems})
        if len(json.dumps({"text": text, "blocks": blocks}, ensure_ascii=False)) > MESSAGE_MOST:
            raise ApiError("msg_blocks_too_long")
        message = Message(
            channel=channel.id,
            ts=self._world.ts(),
            user=BOT_USER,
            text=text,
            parent=str(given.get("thread_ts") or ""),
            blocks=[{**block, "block_id": block.get("block_id") or self._block_id()} for block in blocks],
            metadata=_metadata(given.get("metadata")),
            bot_id=BOT,
            unfurls=(given.get("unfurl_links"), given.get("unfurl_media")),
        )
        if not text:
            self.missing_text.append(message)
        return message

    def _block_id(self) -> str:
        return f"b{self._world.number()}"

    def _said(self, message: Message) -> None:
        channel = self._world.channels[message.channel]
        self._emit("message", channel, **self._world.payload(message))
        if message.metadata:
            self._emit(
                "message_metadata_posted",
                None,
                app_id=APP,
                bot_id=BOT,
                user_id=BOT_USER,
                team_id=TEAM,
                channel_id=message.channel,
                metadata=message.metadata,
                message_ts=message.ts,
            )

    def _changed(self, message: Message, before: Answer) -> None:
        channel = self._world.channels[message.channel]
        after = self._world.payload(message)
        now = self._world.ts()
        self._emit("message", channel, subtype="message_changed", message=after, previous_message=before, ts=now)


def _parsed(value: Any, error: str) -> Any:
    """Forms carry structures as JSON in a string."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ApiError(error) from None


def _metadata(value: Any) -> dict[str, Any] | None:
    metadata = _parsed(value, "invalid_metadata_format")
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        raise ApiError("invalid_metadata_format")
    kind, payload = metadata["event_type"], metadata["event_payload"]
    if not isinstance(kind, str) or not kind.replace("_", "").isalnum() or not isinstance(payload, dict):
        raise ApiError("invalid_metadata_schema")
    if len(json.dumps(payload)) > 16_000:
        raise ApiError("metadata_too_large")
    return metadata
