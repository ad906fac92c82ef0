"""Receives what Slack sends: stores it as a delivery before it is acknowledged, and makes the small calls around it."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.ids import Thread
from bot.cards import replies
from bot.intake.conversation import is_private
from bot.messages import Button, Delivery, Later, Pressed, Refused, Said, Unsure
from bot.platforms.provider import Accept, Recent
from bot.platforms.slack import notation, payloads
from bot.platforms.slack.blocks import Press, home_view, read_press
from bot.platforms.slack.deliveries import STOP_SIGNS, PayloadMapper, is_direct
from bot.platforms.slack.forms import Form, errors_of, fields_sent, form_view, table_lines
from bot.platforms.slack.options import SlackOptions, SlackStore
from bot.platforms.slack.payloads import (
    EventBody,
    Me,
    Message,
    Page,
    Posted,
    Pressing,
    Reaction,
    SlashCommand,
    Submission,
)
from bot.platforms.slack.platform import SlackPlatform
from bot.platforms.slack.web_client import Directory, UserGroups, direct_channel, translate_errors

log = logging.getLogger("overlord.slack")

Body = dict[str, Any]
Answer = str | Body
NOTHING: Answer = ""
SETTLING = 1.0  # seconds until a press in the home has become a decision
QUICKLY = 2.0  # seconds for a call that Slack's three-second answer waits for
REMEMBERED = 500
NOT_HERE = "I am not in this channel. Invite me with `/invite`, or mention me where I am."
IN_PRIVATE = "Only you see the answer: it is in our direct messages."
TOO_SLOW = "Slack took too long. Please mention me instead."
NO_FORM = replies.said_card("The form did not open", "Press the button again, or reply in words.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    me: Me
    client: AsyncWebClient
    platform: SlackPlatform
    options: SlackOptions
    accept: Accept
    store: SlackStore
    directory: Directory
    user_groups: UserGroups
    seen: Callable[[str], None]
    after: Callable[[Coroutine[Any, Any, None]], None]  # does something once Slack has its answer
    triggers: Recent[str, None] = field(default_factory=lambda: Recent(REMEMBERED))

    async def take(self, body: Body) -> Answer:
        """Handles a payload; returns what to acknowledge it with. If it raises, Slack sends it again."""
        try:
            match body.get("type"):
                case "event_callback":
                    await self._event(EventBody.model_validate(body))
                case "block_actions":
                    await self._press(Pressing.model_validate(body))
                case "view_submission":
                    return await self._submit(Submission.model_validate(body))
                case None if "command" in body:
                    return await self._command(SlashCommand.model_validate(body))
        except ValidationError as odd:  # sending it again would not make it better
            log.warning("an odd payload was not read", extra={"problem": str(odd.errors(include_input=False)[:3])})
        return NOTHING

    def mapper(self) -> PayloadMapper:
        real_now = datetime.fromtimestamp(time.time(), UTC)
        return PayloadMapper(me=self.me, people=self.directory, now=self.options.now(), real_now=real_now)

    # ── events ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _event(self, body: EventBody) -> None:
        teams = {given.team_id for given in body.authorizations or ()}
        if teams and self.me.team_id not in teams:
            return  # meant for another installation
        match body.event.get("type"):
            case "message" | "app_mention":
                await self._message(Message.model_validate(body.event), body.event_id)
            case "reaction_added":
                await self._reaction(Reaction.model_validate(body.event), body.event_id)
            case "app_home_opened":
                opened = payloads.HomeOpened.model_validate(body.event)
                if opened.tab == "home":
                    self.after(self._show_home(opened.user))
            case "message_metadata_posted":
                echo = payloads.Echo.model_validate(body.event)
                if echo.bot_id == self.me.bot_id:
                    mark = echo.metadata.mark
                    self.platform.echoes[mark.thread, mark.id] = echo.message_ts

    async def _message(self, message: Message, event_id: str) -> None:
        if await self._concerns_us(message):
            changed = message.subtype == "message_changed"
            inner = message.message if changed else message
            if inner and not self._is_from_bot(inner):
                await self.directory.person(inner.user)
                mapper = self.mapper()
                heard = mapper.change_to_edited(message, event_id) if changed else mapper.to_said(message, event_id)
                await self._hear(heard, inner.user)
        self.seen(message.ts)

    async def _concerns_us(self, message: Message) -> bool:
        """Mentions, direct messages and threads in which the bot was spoken to; anything else is not stored."""
        if message.subtype == "message_changed" and message.message:
            message = message.message.model_copy(update={"channel": message.channel})
        elif notation.mentions(message.text, self.me.user_id):
            return True
        return is_direct(message) or await self._is_ours(message)

    async def _is_ours(self, message: Message) -> bool:
        return await self.store.is_ours(self.mapper().thread_of(message), message.ts)

    def _is_from_bot(self, message: Message) -> bool:
        """As far as it says itself; who its user is was not asked yet."""
        return bool(message.bot_id) or message.user in ("", self.me.user_id)

    async def read(self, message: Message) -> bool:
        """A message from the history, stored if it concerns us and was not heard before."""
        if self._is_from_bot(message) or not await self._concerns_us(message):
            return False
        await self.directory.person(message.user)
        return await self._hear(self.mapper().to_said(message), message.user)

    async def reread(self, message: Message) -> bool:
        """A message from the history that its author has edited, stored unless the edit was heard before."""
        if self._is_from_bot(message) or not await self._is_ours(message):
            return False
        await self.directory.person(message.user)
        return await self._hear(self.mapper().to_edited(message), message.user)

    async def _hear(self, delivery: Delivery | None, user: str) -> bool:
        """Stores it with the user groups that the person is in now. True: it is new."""
        if isinstance(delivery, Said | Pressed):
            memberships = await self.user_groups.of(user, now=isinstance(delivery, Pressed))
            delivery = replace(delivery, memberships=memberships)
        return delivery is not None and await self.accept(delivery)

    async def _reaction(self, reaction: Reaction, event_id: str) -> None:
        item = reaction.item
        if reaction.reaction not in STOP_SIGNS or item.type != "message":
            return
        await self.directory.person(reaction.user)
        root = await self._root_of(item.channel, item.ts)
        said = self.mapper().stop_from_reaction(reaction, root, event_id)
        if said and (said.direct or said.mentions_bot or await self.store.is_ours(said.thread, item.ts)):
            await self._hear(said, reaction.user)

    async def _root_of(self, channel: str, ts: str) -> str:
        """The message at the top of the thread in which this one stands."""
        try:
            with translate_errors():
                answer = await self.client.conversations_replies(channel=channel, ts=ts, limit=1)
                messages = Page.model_validate(answer.data).messages
        except Refused:
            return ts
        return (messages[0].thread_ts or ts) if messages else ts

    # ── presses ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _press(self, pressing: Pressing) -> None:
        action = pressing.actions[0] if pressing.actions else None
        press = read_press(action.chosen or action.value) if action else None
        if action is None or press is None:
            return
        mapper = self.mapper()
        form = mapper.form_of(pressing, press)
        if press.opens_form:
            self.after(self._open_form(pressing, press, form, action.label or "Overlord asks"))
            return
        key = f"{pressing.user.id}:{form.message}:{press.token}:{action.action_ts}"
        await self._hear_press(mapper.to_pressed(form, pressing.user, key), pressing.user.id)

    async def _submit(self, submission: Submission) -> Answer:
        """Takes a form. A table with faults stays open, with each beside its field; nothing of it is taken yet."""
        view, user = submission.view, submission.user
        form = Form.read(view.private_metadata)
        if form is None:
            return NOTHING
        sent = {block: each.chosen or each.value for block, named in view.inputs.items() for each in named.values()}
        words = _words_of(form, sent)
        checks = self.options.check if form.rows or form.fields else None
        if checks and (faults := await checks(form.token, words)):
            return errors_of(form, faults)
        pressed = self.mapper().to_pressed(form, user, f"view:{view.id}:{view.hash}", words)
        await self._hear_press(pressed, user.id)
        return NOTHING

    async def _hear_press(self, pressed: Pressed, user: str) -> None:
        """What is pressed in the name of a deactivated account does not count."""
        if not (await self.directory.person(user, now=True)).gone:
            await self._hear(pressed, user)
        if not pressed.message:
            self.after(self._show_home(user, SETTLING))

    async def _open_form(self, pressing: Pressing, press: Press, form: Form, label: str) -> None:
        """Opens the form at once: a trigger is valid for three seconds. A replayed payload opens nothing."""
        if pressing.trigger_id in self.triggers:
            return
        self.triggers[pressing.trigger_id] = None
        try:
            with translate_errors():
                view = form_view(form, press, label, await self._stored_button(pressing, press, form))
                await self.client.views_open(trigger_id=pressing.trigger_id, view=view)
        except (Refused, Later, Unsure):
            if form.message:
                to = notation.account(self.me.team_id, pressing.user.id)
                await self.platform.whisper(Thread(form.thread), to, pressing.trigger_id, NO_FORM)

    async def _stored_button(self, pressing: Pressing, press: Press, form: Form) -> Button | None:
        """A button in whose form something stands already: as the message shows it, or the person's own list."""
        if not press.filled:
            return None
        if form.message:
            return await self.store.button(Thread(form.thread), form.message, press.token)
        if self.options.needs is None:
            return None
        cards, _ = await self.options.needs(notation.account(self.me.team_id, pressing.user.id))
        shown = (button for card in cards for button in (*card.buttons, *card.more))
        return next((button for button in shown if button.choice.token == press.token), None)

    async def _show_home(self, user: str, wait: float = 0.0) -> None:
        await asyncio.sleep(wait)
        if self.options.needs:
            cards, count = await self.options.needs(notation.account(self.me.team_id, user))
            view = home_view(cards or [replies.NOTHING_NEEDS_YOU], count)
            with translate_errors():
                await self.client.views_publish(user_id=user, view=view)

    # ── slash commands ──────────────────────────────────────────────────────────────────────────────────────────

    async def _command(self, command: SlashCommand) -> Answer:
        """A command has no message to talk below, so one is written first; a replay takes it back."""
        await self.directory.person(command.user_id)
        anchor = await self._anchor(command)
        if isinstance(anchor, str):
            return {"response_type": "ephemeral", "text": anchor}
        if not await self._hear(self.mapper().said_from_command(command, anchor), command.user_id):
            self.after(self._remove(anchor))
        moved = anchor.channel != command.channel_id
        return {"response_type": "ephemeral", "text": IN_PRIVATE} if moved else NOTHING

    async def _anchor(self, command: SlashCommand) -> Message | str:
        """Posts the message that quotes the command, or says why not; privately if asked so or not in the channel."""
        try:
            async with asyncio.timeout(QUICKLY):
                try:
                    if not is_private(command.text):
                        return await self._quote(command, command.channel_id)
                except Refused:
                    pass
                return await self._quote(command, await direct_channel(self.client, command.user_id))
        except Refused:
            return NOT_HERE
        except (Later, Unsure, TimeoutError):
            return TOO_SLOW

    async def _quote(self, command: SlashCommand, channel: str) -> Message:
        asker = notation.mention(notation.account(command.team_id, command.user_id))
        words = self.options.redact(notation.plain(command.text, self.me.user_id, lambda user: user))
        with translate_errors():
            answer = await self.client.chat_postMessage(
                channel=channel,
                text=f"{asker} asked: {notation.escape(words) or 'help'}",
                unfurl_links=False,
                unfurl_media=False,
            )
            posted = Posted.model_validate(answer.data)
        return Message(channel=posted.channel or channel, ts=posted.ts)

    async def _remove(self, anchor: Message) -> None:
        with translate_errors():
            await self.client.chat_delete(channel=anchor.channel, ts=anchor.ts)


def _words_of(form: Form, sent: dict[str, str]) -> str:
    if form.fields:
        return fields_sent(form, sent)
    return table_lines(form, sent) if form.rows else "\n".join(value for value in sent.values() if value)
