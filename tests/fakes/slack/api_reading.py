"""The Web API's other half: reading conversations and people, views, files."""

from collections.abc import Sequence
from typing import Any

from tests.fakes.slack import kit
from tests.fakes.slack.api import HISTORY, READ, Answer, Api, Arguments, Caller, _parsed
from tests.fakes.slack.world import BOT, BOT_USER, ApiError, Channel, Message

PAGE = 100
ALT_MOST = 1_000  # characters that describe a file


class WholeApi(Api):
    """Adds what does not write messages."""

    upload_base = ""

    # ── conversations ───────────────────────────────────────────────────────────────────────────────────────────

    def conversations_replies(self, given: Arguments, caller: Caller) -> Answer:
        channel = self._readable(given, caller)
        root = self._world.find(channel.id, given.get("ts"))
        if root is None:
            raise ApiError("thread_not_found")
        # the ts of a reply gives that reply alone
        found = [root] if root.parent else [root, *_between(self._world.replies(channel.id, root.ts), given)]
        return self._page(found, given, caller)

    def conversations_history(self, given: Arguments, caller: Caller) -> Answer:
        channel = self._readable(given, caller)
        found = sorted(_between(self._world.roots(channel.id), given), key=lambda m: m.ts, reverse=True)
        return self._page(found, given, caller)

    def conversations_info(self, given: Arguments, caller: Caller) -> Answer:
        channel = self._world.channel(given.get("channel"))
        caller.needs(READ[channel.kind])
        return {"channel": _described(channel)}

    def conversations_members(self, given: Arguments, caller: Caller) -> Answer:
        channel = self._world.channel(given.get("channel"))
        caller.needs(READ[channel.kind])
        return {"members": sorted(channel.members), "response_metadata": {"next_cursor": ""}}

    def conversations_open(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("im:write")
        user = str(given.get("users") or "")
        if user not in self._world.users:
            raise ApiError("user_not_found")
        return {"channel": {"id": self._world.direct(user).id}}

    def users_conversations(self, given: Arguments, caller: Caller) -> Answer:
        names = {"public_channel": "channel", "private_channel": "group", "mpim": "mpim", "im": "im"}
        kinds = [names[kind] for kind in str(given.get("types") or "public_channel").split(",")]
        for kind in kinds:
            caller.needs(READ[kind])
        mine = [c for c in self._world.channels.values() if BOT_USER in c.members and c.kind in kinds]
        return {"channels": [_described(c) for c in mine], "response_metadata": {"next_cursor": ""}}

    # ── people ──────────────────────────────────────────────────────────────────────────────────────────────────

    def users_info(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("users:read")
        user = self._world.users.get(str(given.get("user")))
        if user is None:
            raise ApiError("user_not_found")
        return {"user": user.profile()}

    def usergroups_users_list(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("usergroups:read")
        members = self._world.groups.get(str(given.get("usergroup")))
        if members is None:
            raise ApiError("no_such_subteam")
        return {"users": list(members)}

    # ── views ───────────────────────────────────────────────────────────────────────────────────────────────────

    def views_open(self, given: Arguments, caller: Caller) -> Answer:
        body = self._view(given, "modal")
        trigger = self._world.spend(given.get("trigger_id"))
        view = self._world.make_view(trigger.user, body)
        self._world.modals.setdefault(trigger.user, []).append(view)
        return {"view": view.payload()}

    def views_update(self, given: Arguments, caller: Caller) -> Answer:
        body = self._view(given, "modal")
        for view in (v for stack in self._world.modals.values() for v in stack):
            if view.id == given.get("view_id"):
                if given.get("hash") not in (None, view.hash):
                    raise ApiError("hash_conflict")
                view.body, view.hash = body, f"{view.hash}+"
                return {"view": view.payload()}
        raise ApiError("not_found")

    def views_publish(self, given: Arguments, caller: Caller) -> Answer:
        body, user = self._view(given, "home"), str(given.get("user_id") or "")
        if user not in self._world.users:
            raise ApiError("user_not_found")
        self._world.homes[user] = self._world.make_view(user, body)
        return {"view": self._world.homes[user].payload()}

    def _view(self, given: Arguments, kind: str) -> dict[str, Any]:
        body = _parsed(given.get("view"), "invalid_arguments")
        problems = kit.check_view(body)
        if not problems and body["type"] != kind:
            problems = [f"[ERROR] only a {kind} belongs here"]
        if problems:
            raise ApiError("invalid_arguments", response_metadata={"messages": problems})
        whole = [{**block, "block_id": block.get("block_id") or self._block_id()} for block in body["blocks"]]
        return {**body, "blocks": whole}

    # ── files ───────────────────────────────────────────────────────────────────────────────────────────────────

    def files_getUploadURLExternal(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("files:write")
        length = int(given.get("length") or 0)
        if not given.get("filename") or length <= 0:
            raise ApiError("invalid_arguments")
        id = f"F{self._world.number():06}"
        alt = str(given.get("alt_txt") or "")
        if len(alt) > ALT_MOST:
            raise ApiError("alt_txt_too_large")
        self._world.files[id] = {"name": given["filename"], "length": length, "data": None, "alt": alt}
        return {"upload_url": f"{self.upload_base}/{id}", "file_id": id}

    def files_completeUploadExternal(self, given: Arguments, caller: Caller) -> Answer:
        caller.needs("files:write")
        files = _parsed(given.get("files"), "invalid_arguments")
        known = [self._world.files.get(f.get("id")) for f in files]
        if not files or any(f is None or f["data"] is None for f in known):
            raise ApiError("file_not_found")
        if given.get("channel_id"):
            channel = self._writable({"channel": given["channel_id"]})
            message = Message(
                channel=channel.id,
                ts=self._world.ts(),
                user=BOT_USER,
                text=str(given.get("initial_comment") or ""),
                parent=str(given.get("thread_ts") or ""),
                bot_id=BOT,
                subtype="file_share",
                files=[f["data"].decode(errors="replace") for f in known if f],
                file_names=[f["name"] for f in known if f],
                file_words=[f["alt"] for f in known if f],
            )
            self._said(self._world.put(message))
        return {"files": [{"id": f["id"], "title": f.get("title", "")} for f in files]}

    # ── around ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _readable(self, given: Arguments, caller: Caller) -> Channel:
        channel = self._world.channel(given.get("channel"))
        caller.needs(HISTORY[channel.kind])
        if BOT_USER not in channel.members:
            raise ApiError("not_in_channel")
        return channel

    def _page(self, found: Sequence[Message], given: Arguments, caller: Caller) -> Answer:
        with_metadata = _true(given.get("include_all_metadata"))
        if with_metadata:
            caller.needs("metadata.message:read")
        limit, start = min(int(given.get("limit") or PAGE), 1000), int(given.get("cursor") or 0)
        end = start + limit
        more = end < len(found)
        return {
            "messages": [self._world.payload(m, metadata=with_metadata) for m in found[start:end]],
            "has_more": more,
            "response_metadata": {"next_cursor": str(end) if more else ""},
        }


def _between(messages: Sequence[Message], given: Arguments) -> list[Message]:
    """`oldest` and `latest` leave out the message at the very border, unless `inclusive`."""
    inclusive = _true(given.get("inclusive"))
    oldest, latest = float(given.get("oldest") or 0), float(given.get("latest") or 1e12)

    def inside(message: Message) -> bool:
        ts = float(message.ts)
        return oldest <= ts <= latest if inclusive else oldest < ts < latest

    return [message for message in messages if inside(message)]


def _true(value: Any) -> bool:
    return value in (True, 1, "1", "true", "True")


def _described(channel: Channel) -> dict[str, Any]:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_im": channel.kind == "im",
        "is_member": BOT_USER in channel.members,
        "is_archived": channel.archived,
    }
