"""Receives what Slack sends: stores it as a delivery before it is acknowledged."""

import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from agents.domain.ids import Thread
from bot.messages import Delivery, Edited, Pressed, Said
from bot.platforms.slack.directory import Directory, UserGroups
from bot.platforms.slack.incoming.deliveries import STOP_SIGNS, PayloadMapper, is_direct
from bot.platforms.slack.incoming.follow_ups import IN_PRIVATE, FollowUps
from bot.platforms.slack.options import Accept, GatewayStore
from bot.platforms.slack.outgoing import mrkdwn
from bot.platforms.slack.outgoing.buttons import form_of, read
from bot.platforms.slack.outgoing.platform import Echoes
from bot.platforms.slack.payloads import (
    Echo,
    EventBody,
    HomeOpened,
    Me,
    Message,
    Pressing,
    Reaction,
    SlashCommand,
    Submission,
)

log = logging.getLogger("overlord.slack")

Body = Mapping[str, Any]
Answer = str | dict[str, Any]
After = Callable[[Coroutine[Any, Any, None]], None]  # what is done once Slack has its answer
NOTHING: Answer = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    me: Me
    accept: Accept
    directory: Directory
    user_groups: UserGroups
    follow_ups: FollowUps
    echoes: Echoes
    store: GatewayStore | None = None
    seen: Callable[[str], None] = lambda ts: None
    now: Callable[[], datetime]
    after: After

    async def take(self, body: Body) -> Answer:
        """Handles a payload; returns what to acknowledge it with. If it raises, Slack sends it again."""
        try:
            match body.get("type"):
                case "event_callback":
                    await self._event(EventBody.model_validate(body))
                case "block_actions":
                    await self._press(Pressing.model_validate(body))
                case "view_submission":
                    await self._submit(Submission.model_validate(body))
                case None if "command" in body:
                    return await self._command(SlashCommand.model_validate(body))
        except ValidationError as odd:  # sending it again would not make it better
            log.warning("an odd payload was not read", extra={"problem": str(odd.errors(include_input=False)[:3])})
        return NOTHING

    def mapper(self) -> PayloadMapper:
        real_now = datetime.fromtimestamp(time.time(), UTC)
        return PayloadMapper(
            me=self.me, name=self.directory.name, team=self.directory.team, now=self.now(), real_now=real_now
        )

    # ── events ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _event(self, body: EventBody) -> None:
        teams = {given.team_id for given in body.authorizations or ()}
        if teams and self.me.team_id not in teams:
            return  # meant for another installation
        match body.kind:
            case "message" | "app_mention":
                await self._message(body)
            case "reaction_added":
                await self._reaction(body)
            case "app_home_opened":
                self._home_opened(body)
            case "message_metadata_posted":
                self._echo(body)

    async def _message(self, body: EventBody) -> None:
        message = Message.model_validate(body.event)
        if await self._concerns_us(message):
            await self._take_in(message, body.event_id)
        self.seen(message.ts)

    async def _concerns_us(self, message: Message) -> bool:
        """Mentions, direct messages and threads in which the bot was spoken to; anything else is not stored."""
        if message.subtype == "message_changed" and message.message:
            message = message.message.model_copy(update={"channel": message.channel})
        elif mrkdwn.mentions(message.text, self.me.user_id):
            return True
        return is_direct(message) or await self._is_ours(self.mapper().thread_of(message), message.ts)

    async def _is_ours(self, thread: Thread, ts: str) -> bool:
        return self.store is not None and await self.store.is_ours(thread, ts)

    async def _take_in(self, message: Message, event_id: str) -> None:
        inner = message.message if message.subtype == "message_changed" else message
        if inner is None or inner.bot_id or not inner.user or inner.user == self.me.user_id:
            return
        known = await self.directory.person(inner.user)
        mapper = self.mapper()
        heard = (
            mapper.to_edited(message, known, event_id)
            if message.subtype == "message_changed"
            else mapper.to_said(message, known, event_id)
        )
        if heard:
            await self._hear(heard, inner.user)

    async def read(self, message: Message) -> Said | None:
        """A message from the history, stored if it concerns us and was not heard before."""
        if message.bot_id or not message.user or not await self._concerns_us(message):
            return None
        said = self.mapper().to_said(message, await self.directory.person(message.user))
        return said if said and await self._hear(said, message.user) else None

    async def reread(self, message: Message) -> Edited | None:
        """A message from the history that its author has edited, stored unless the edit was heard before."""
        if message.bot_id or not message.user or not await self._is_ours(self.mapper().thread_of(message), message.ts):
            return None
        edited = self.mapper().read_edited(message, await self.directory.person(message.user))
        return edited if edited and await self._hear(edited, message.user) else None

    async def _hear(self, delivery: Delivery, user: str) -> bool:
        """Stores it with the user groups that the person is in now."""
        if isinstance(delivery, Said | Pressed):
            memberships = await self.user_groups.of(user, now=isinstance(delivery, Pressed))
            delivery = replace(delivery, memberships=memberships)
        return await self.accept(delivery)

    async def _reaction(self, body: EventBody) -> None:
        reaction = Reaction.model_validate(body.event)
        if reaction.reaction not in STOP_SIGNS or reaction.item.type != "message":
            return
        known = await self.directory.person(reaction.user)
        root = await self.follow_ups.root_of(reaction.item.channel, reaction.item.ts)
        said = self.mapper().stop_from_reaction(reaction, known, root, body.event_id)
        if said and (said.direct or said.mentions_bot or await self._is_ours(said.thread, reaction.item.ts)):
            await self._hear(said, reaction.user)

    def _home_opened(self, body: EventBody) -> None:
        opened = HomeOpened.model_validate(body.event)
        if opened.tab == "home":
            self.after(self.follow_ups.show_home(opened.user))

    def _echo(self, body: EventBody) -> None:
        echo = Echo.model_validate(body.event)
        if echo.bot_id == self.me.bot_id:
            self.echoes.record(echo.metadata.mark, echo.message_ts)

    # ── presses and commands ────────────────────────────────────────────────────────────────────────────────────

    async def _press(self, pressing: Pressing) -> None:
        press = read(pressing.actions[0].button_value) if pressing.actions else None
        if press is None:
            return
        mapper = self.mapper()
        if press.opens_form:
            self.after(self.follow_ups.open_form(pressing, press, mapper.surface_of(pressing)))
            return
        if not await self._is_gone(pressing.user.id):
            await self._hear(mapper.to_pressed(pressing, press), pressing.user.id)
        if pressing.container.type != "message":
            self.after(self.follow_ups.refresh_home(pressing.user.id))

    async def _is_gone(self, user: str) -> bool:
        """Whether the account was deactivated: what was pressed in its name does not count."""
        return (await self.directory.person(user, now=True)).gone

    async def _submit(self, submission: Submission) -> None:
        form = form_of(submission.view.private_metadata)
        if form is None:
            return
        if not await self._is_gone(submission.user.id):
            await self._hear(self.mapper().pressed_from_form(submission, form), submission.user.id)
        if not form.message:
            self.after(self.follow_ups.refresh_home(submission.user.id))

    async def _command(self, command: SlashCommand) -> Answer:
        """A command has no message to talk below, so one is written first; a replay takes it back."""
        await self.directory.person(command.user_id)
        anchor = await self.follow_ups.anchor(command)
        if isinstance(anchor, str):
            return {"response_type": "ephemeral", "text": anchor}
        if not await self._hear(self.mapper().said_from_command(command, anchor), command.user_id):
            self.after(self.follow_ups.remove(anchor))
        moved = anchor.channel != command.channel_id
        return {"response_type": "ephemeral", "text": IN_PRIVATE} if moved else NOTHING
