"""Small calls around a delivery: forms, the home, the message a slash command talks below."""

import asyncio
import time
from collections import OrderedDict

from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.text.redact import Redact
from bot.cards import replies
from bot.intake.conversation import is_private
from bot.messages import Card, Later, Refused, Unsure
from bot.platforms.slack import addresses
from bot.platforms.slack.incoming.deliveries import Surface
from bot.platforms.slack.options import Needs
from bot.platforms.slack.outgoing.blocks import home_view, render
from bot.platforms.slack.outgoing.buttons import Form, Press, view_of
from bot.platforms.slack.outgoing.mrkdwn import escape, mention, plain
from bot.platforms.slack.payloads import Me, Message, Page, Posted, Pressing, SlashCommand
from bot.platforms.slack.web_client import translate_errors

SETTLING = 1.0  # seconds until a press in the home has become a decision
QUICKLY = 2.0  # seconds for a call that Slack's three-second answer waits for
REMEMBERED = 500
NOT_HERE = "I am not in this channel. Invite me with `/invite`, or mention me where I am."
IN_PRIVATE = "Only you see the answer: it is in our direct messages."
TOO_SLOW = "Slack took too long. Please mention me instead."
NO_FORM = replies.said_card("The form did not open", "Press the button again, or reply in words.")


class FollowUps:
    def __init__(self, client: AsyncWebClient, me: Me, needs: Needs | None, redact: Redact) -> None:
        self._client = client
        self._me = me
        self._needs = needs
        self._redact = redact
        self._triggers: OrderedDict[str, float] = OrderedDict()

    # ── forms ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def open_form(self, pressing: Pressing, press: Press, where: Surface) -> None:
        """Opens the form at once: a trigger is valid for three seconds, and only once."""
        if not self._first_time(pressing.trigger_id):
            return
        action = pressing.actions[0]
        form = Form(
            token=press.token, thread=where.thread, channel=where.channel, message=where.message, shown=press.shown
        )
        label = action.text.text if action.text else ""
        try:
            with translate_errors():
                view = view_of(form, press, label or "Overlord asks")
                await self._client.views_open(trigger_id=pressing.trigger_id, view=view)
        except (Refused, Later, Unsure):
            if where.message:
                await self._whisper(where, pressing.user.id, NO_FORM)

    async def _whisper(self, where: Surface, user: str, card: Card) -> None:
        place, rendered = addresses.place(where.thread), render(card)
        with translate_errors():
            await self._client.chat_postEphemeral(
                channel=place.channel, user=user, thread_ts=place.ts, text=rendered.text, blocks=rendered.blocks
            )

    def _first_time(self, trigger: str) -> bool:
        """A replayed payload opens nothing."""
        if trigger in self._triggers:
            return False
        self._triggers[trigger] = time.monotonic()
        while len(self._triggers) > REMEMBERED:
            self._triggers.popitem(last=False)
        return True

    # ── home ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def show_home(self, user: str) -> None:
        if self._needs is None:
            return
        cards, count = await self._needs(addresses.account(self._me.team_id, user))
        with translate_errors():
            await self._client.views_publish(user_id=user, view=home_view(cards or [replies.NOTHING_NEEDS_YOU], count))

    async def refresh_home(self, user: str) -> None:
        await asyncio.sleep(SETTLING)
        await self.show_home(user)

    # ── slash commands ──────────────────────────────────────────────────────────────────────────────────────────

    async def anchor(self, command: SlashCommand) -> Message | str:
        """Posts the message that quotes the command, or says why not; privately if asked so or not in the channel."""
        try:
            async with asyncio.timeout(QUICKLY):
                try:
                    if not is_private(command.text):
                        return await self._anchor(command, command.channel_id)
                except Refused:
                    pass
                return await self._anchor(command, await self._direct(command.user_id))
        except Refused:
            return NOT_HERE
        except (Later, Unsure, TimeoutError):
            return TOO_SLOW

    async def remove(self, anchor: Message) -> None:
        with translate_errors():
            await self._client.chat_delete(channel=anchor.channel, ts=anchor.ts)

    async def _anchor(self, command: SlashCommand, channel: str) -> Message:
        asker = mention(addresses.account(command.team_id, command.user_id))
        words = self._redact(plain(command.text, self._me.user_id, lambda user: user))
        with translate_errors():
            answer = await self._client.chat_postMessage(
                channel=channel,
                text=f"{asker} asked: {escape(words) or 'help'}",
                unfurl_links=False,
                unfurl_media=False,
            )
            posted = Posted.model_validate(answer.data)
        return Message(channel=str(answer.get("channel", channel)), ts=posted.ts)

    async def _direct(self, user: str) -> str:
        with translate_errors():
            answer = await self._client.conversations_open(users=user)
            return str(answer["channel"]["id"])

    # ── reactions ───────────────────────────────────────────────────────────────────────────────────────────────

    async def root_of(self, channel: str, ts: str) -> str:
        """The message at the top of the thread in which this one stands."""
        try:
            with translate_errors():
                answer = await self._client.conversations_replies(channel=channel, ts=ts, limit=1)
                messages = Page.model_validate(answer.data).messages
        except Refused:
            return ts
        return (messages[0].thread_ts or ts) if messages else ts
