"""Presses, forms and commands: three seconds to answer, fifteen minutes to follow up, one answer each."""

import asyncio
from dataclasses import dataclass, field

from tests.fakes.discord.http import Answer, Call, Http
from tests.fakes.discord.limits import ApiError, check_message, check_modal
from tests.fakes.discord.messages import Draft, Messages
from tests.fakes.discord.world import DM, EPHEMERAL, Channel, Json, Message, User, World

ANSWER_WITHIN, TOKEN_LIVES = 3.0, 900.0
COMMAND, COMPONENT, MODAL = 2, 3, 5
MESSAGE, DEFER, DEFER_UPDATE, UPDATE, FORM = 4, 5, 6, 7, 9
LOADING = 1 << 7


class Failed(AssertionError):
    """What the person sees: this interaction failed."""


@dataclass
class Interaction:
    id: str
    token: str
    kind: int
    user: User
    channel: Channel
    data: Json
    at: float
    message: Message | None = None
    answer: int | None = None  # the type of the callback
    answered_after: float = 0.0
    form: Json | None = None
    original: Message | None = None
    follow_ups: list[Message] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def answered(self, within: float = ANSWER_WITHIN) -> int:
        """Wait for the answer as the person's client does."""
        try:
            async with asyncio.timeout(within):
                await self.done.wait()
        except TimeoutError:
            raise Failed("This interaction failed") from None
        assert self.answer is not None
        return self.answer


class Interactions:
    def __init__(self, world: World, messages: Messages) -> None:
        self._world, self._messages = world, messages
        self.all: dict[str, Interaction] = {}  # by token
        self.commands: list[Json] = []
        self.application = world.bot.id

    def add_routes(self, http: Http) -> None:
        http.route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", self._callback)
        hook = "/webhooks/{webhook_id}/{webhook_token}"
        http.route("POST", hook, self._follow_up)
        http.route("GET", f"{hook}/messages/@original", lambda call: self._original(call).json())
        http.route("PATCH", f"{hook}/messages/@original", self._edit_original)
        http.route("DELETE", f"{hook}/messages/@original", self._delete_original, 204)
        http.route("GET", "/applications/{application_id}/commands", lambda call: self.commands)
        http.route("PUT", "/applications/{application_id}/commands", self._set_commands)

    def open(self, kind: int, user: User, channel: Channel, data: Json, message: Message | None = None) -> Interaction:
        made = Interaction(
            id=self._world.id(),
            token=f"tok-{self._world.id()}",
            kind=kind,
            user=user,
            channel=channel,
            data=data,
            at=self._world.now(),
            message=message,
        )
        self.all[made.token] = made
        return made

    def json(self, made: Interaction) -> Json:
        body: Json = {
            "id": made.id,
            "application_id": self.application,
            "type": made.kind,
            "data": made.data,
            "channel": made.channel.json | {"permissions": "0"},
            "channel_id": made.channel.id,
            "token": made.token,
            "version": 1,
            "locale": "en-US",
            "app_permissions": "0",
            "entitlements": [],
            "authorizing_integration_owners": {"0": made.channel.guild or "0"},
            "context": 0 if made.channel.guild else 1,
            "attachment_size_limit": 10_485_760,
        }
        if made.message:
            body["message"] = made.message.json()
        if made.channel.type == DM:
            return {**body, "user": made.user.json}
        guild = self._world.guilds[made.channel.guild]
        member = guild.member(made.user) | {"permissions": "0"}
        return {**body, "guild_id": guild.id, "guild_locale": "en-US", "member": member}

    # ── what the bot answers ────────────────────────────────────────────────────────────────────────────────────

    def _callback(self, call: Call) -> Answer:
        made = self.all.get(call.path["interaction_token"])
        passed = self._world.now() - made.at if made else 0.0
        if made is None or made.id != call.path["interaction_id"] or (passed > ANSWER_WITHIN and made.answer is None):
            raise ApiError(404, 10062, "Unknown interaction")
        if made.answer is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        type, data = call.body["type"], call.body.get("data") or {}
        self._apply(made, type, Draft(data, call.files))
        made.answer, made.answered_after = type, passed
        made.done.set()
        if call.query.get("with_response") != "true":
            return None
        return self._response(made)

    def _apply(self, made: Interaction, type: int, draft: Draft) -> None:
        allowed = {COMMAND: (MESSAGE, DEFER, FORM), COMPONENT: (MESSAGE, DEFER, DEFER_UPDATE, UPDATE, FORM)}
        usual = (MESSAGE, DEFER, DEFER_UPDATE, UPDATE) if made.message else (MESSAGE, DEFER)
        if type not in allowed.get(made.kind, usual):
            raise ApiError(400, 50035, "Invalid Form Body", {"type": {"_errors": [{"code": "BASE_TYPE_CHOICES"}]}})
        if type == FORM:
            check_modal(draft.data)
            made.form = draft.data
        elif type == MESSAGE:
            check_message(draft.data, files=len(draft.files))
            made.original = self._messages.make(made.channel, draft, self._reader(made, draft))
        elif type == DEFER:
            made.original = self._messages.make(made.channel, Draft({}, {}), self._reader(made, draft))
            made.original.flags |= LOADING
        elif type == UPDATE:
            assert made.message
            check_message(draft.data, files=len(draft.files), editing=True)
            self._messages.change(made.message, draft)

    def _follow_up(self, call: Call) -> Answer:
        made = self._living(call)
        check_message(call.body, files=len(call.files))
        message = self._messages.make(
            made.channel, Draft(call.body, call.files), self._reader(made, Draft(call.body, {}))
        )
        made.follow_ups.append(message)
        return message.json()

    def _original(self, call: Call) -> Message:
        made = self._living(call)
        found = made.original or made.message
        if found is None:
            raise ApiError(404, 10008, "Unknown Message")
        return found

    def _edit_original(self, call: Call) -> Answer:
        message = self._original(call)
        check_message(call.body, files=len(call.files), editing=True)
        message.flags &= ~LOADING
        self._messages.change(message, Draft(call.body, call.files))
        return message.json()

    def _delete_original(self, call: Call) -> Answer:
        message = self._original(call)
        self._world.channels[message.channel].messages.remove(message)
        return None

    def _living(self, call: Call) -> Interaction:
        made = self.all.get(call.path["webhook_token"])
        if made is None or call.path["webhook_id"] != self._world.bot.id or made.answer is None:
            raise ApiError(404, 10015, "Unknown Webhook")
        if self._world.now() - made.at > TOKEN_LIVES:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        return made

    def _set_commands(self, call: Call) -> Answer:
        blank = {"version": self._world.id(), "default_member_permissions": None, "nsfw": False, "description": ""}
        wanted = call.body[""]
        own = {"application_id": self._world.bot.id}
        self.commands = [blank | own | {"id": self._world.id()} | command for command in wanted]
        return self.commands

    def _response(self, made: Interaction) -> Json:
        body: Json = {"interaction": {"id": made.id, "type": made.kind}}
        if made.original:
            body["interaction"]["response_message_id"] = made.original.id
            body["resource"] = {"type": made.answer, "message": made.original.json()}
        return body

    @staticmethod
    def _reader(made: Interaction, draft: Draft) -> str:
        return made.user.id if (draft.data.get("flags") or 0) & EPHEMERAL else ""
