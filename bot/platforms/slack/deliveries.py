"""Slack's payloads become deliveries, or nothing: bots, our own messages and what no person did are not heard."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.domain.ids import Account, Thread
from bot.messages import Edited, Pressed, Said
from bot.platforms.slack import notation
from bot.platforms.slack.blocks import Press
from bot.platforms.slack.forms import Form
from bot.platforms.slack.payloads import Me, Message, Person, Pressing, Reaction, SlashCommand
from bot.platforms.slack.web_client import Directory

SPOKEN = frozenset({"", "thread_broadcast", "file_share", "me_message"})
STOP_SIGNS = frozenset({"octagonal_sign", "stop_sign"})
SLACKBOT = "USLACKBOT"
LATE = timedelta(seconds=10)  # what comes later than this is dated by when it was said


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadMapper:
    """Maps payloads to deliveries for one installation, at one moment. Asks nobody who people are."""

    me: Me
    people: Directory
    now: datetime  # on the program's clock
    real_now: datetime

    # ── words ───────────────────────────────────────────────────────────────────────────────────────────────────

    def is_from_person(self, message: Message) -> bool:
        """Judged by ids, since a webhook may use any name."""
        ours = message.user in ("", SLACKBOT, self.me.user_id)
        return message.subtype in SPOKEN and not (
            message.bot_id or ours or self.people.cached_person(message.user).is_bot
        )

    def to_said(self, message: Message, event_id: str = "") -> Said | None:
        """A message, as an event or read from the history; both have the message's own key too."""
        if not self.is_from_person(message):
            return None
        return Said(
            **self._common(message, f"{message.channel}:{message.ts}", event_id),
            began_by=notation.account(self.me.team_id, message.parent_user_id) if message.parent_user_id else "",
            mentions_bot=notation.mentions(message.text, self.me.user_id),
            addresses_other=bool(notation.mentioned_users(message.text) - {self.me.user_id}),
            direct=is_direct(message),
            at=self.at(message.ts),
        )

    def change_to_edited(self, change: Message, event_id: str) -> Edited | None:
        """A person's own edit; Slack also changes messages by itself, when it unfurls a link."""
        after, before = change.message, change.previous_message
        if after is None or (before is not None and before.text == after.text):
            return None
        return self.to_edited(after.model_copy(update={"channel": change.channel}), event_id)

    def to_edited(self, message: Message, event_id: str = "") -> Edited | None:
        """A message as it is after an edit, in an event or read from the history; both have the edit's own key too."""
        if message.edited is None or not self.is_from_person(message):
            return None
        own = f"{message.channel}:{message.ts}:{message.edited.ts}"
        return Edited(**self._common(message, own, event_id), at=self.at(message.edited.ts))

    def _common(self, message: Message, own: str, event_id: str) -> dict[str, Any]:
        """What Said and Edited both have; `own` is the key of what is read from the history."""
        own, by = f"slack:{self.me.team_id}:{own}", self._author(message)
        return {
            "key": f"slack:{self.me.team_id}:{event_id}" if event_id else own,
            "also": own if event_id else "",
            "thread": self.thread_of(message),
            "channel": notation.channel(self.me.team_id, message.channel),
            "message": message.ts,
            "by": by,
            "name": self.people.cached_person(message.user).name,
            "text": self._plain(message.text),
            "outsider": self._is_outsider(by),
        }

    def stop_from_reaction(self, reaction: Reaction, thread_ts: str, event_id: str) -> Said | None:
        """A stop sign on the bot's message, or on one's own, is the word stop."""
        known, on_ours = self.people.cached_person(reaction.user), reaction.item_user == self.me.user_id
        if known.is_bot or reaction.user == self.me.user_id or not (on_ours or reaction.item_user == reaction.user):
            return None
        channel = reaction.item.channel
        by = notation.account(known.team or self.me.team_id, reaction.user)
        return Said(
            key=f"slack:{self.me.team_id}:{event_id}",
            thread=self._thread(channel, thread_ts),
            channel=notation.channel(self.me.team_id, channel),
            message=f"{reaction.item.ts}{notation.REACTION}{reaction.reaction}",
            by=by,
            name=known.name,
            text="stop",
            mentions_bot=on_ours,
            direct=channel.startswith("D"),
            outsider=self._is_outsider(by),
            at=self.at(reaction.event_ts),
        )

    def said_from_command(self, command: SlashCommand, anchor: Message) -> Said:
        """A slash command is no message: the bot wrote one for it, and the talk goes on below that."""
        by = notation.account(command.team_id or self.me.team_id, command.user_id)
        return Said(
            key=f"slack:{self.me.team_id}:command:{command.trigger_id}",
            thread=self.thread_of(anchor),
            channel=notation.channel(self.me.team_id, anchor.channel),
            message=anchor.ts,
            by=by,
            name=self.people.name(command.user_id),
            text=self._plain(command.text) or "help",
            mentions_bot=True,
            direct=is_direct(anchor),
            outsider=self._is_outsider(by),
            at=self.now,
        )

    # ── presses ─────────────────────────────────────────────────────────────────────────────────────────────────

    def form_of(self, pressing: Pressing, press: Press) -> Form:
        """Which button was pressed, and where it stands; in the app's home there is no message."""
        container = pressing.container
        if container.type != "message":
            channel = notation.channel(self.me.team_id, "home")
            thread, message = Thread(f"{channel}:{pressing.user.id}"), ""
        else:
            channel = notation.channel(self.me.team_id, container.channel_id)
            message, inner = container.message_ts, pressing.message.thread_ts if pressing.message else ""
            thread = self._thread(container.channel_id, container.thread_ts or inner or message)
        return Form(token=press.token, thread=thread, channel=channel, message=message, shown=press.shown)

    def to_pressed(self, form: Form, user: Person, key: str, words: str = "") -> Pressed:
        by = notation.account(user.team_id or self.me.team_id, user.id)
        return Pressed(
            key=f"slack:{self.me.team_id}:{key}",
            thread=Thread(form.thread),
            channel=form.channel,
            message=form.message,
            by=by,
            name=self.people.cached_person(user.id).name or user.name or user.username,
            token=form.token,
            words=words,
            shown=form.shown,
            outsider=self._is_outsider(by),
            at=self.now,
        )

    # ── around ──────────────────────────────────────────────────────────────────────────────────────────────────

    def at(self, ts: str) -> datetime:
        spoken = datetime.fromtimestamp(float(ts or 0), UTC)
        return spoken if ts and self.real_now - spoken > LATE else self.now

    def thread_of(self, message: Message) -> Thread:
        return self._thread(message.channel, message.thread_ts or message.ts)

    def _thread(self, channel: str, ts: str) -> Thread:
        return notation.thread(self.me.team_id, channel, ts)

    def _plain(self, text: str) -> str:
        return notation.plain(text, self.me.user_id, self.people.name)

    def _author(self, message: Message) -> Account:
        """Someone from another workspace in a shared channel keeps their own team, and so has no right here."""
        team = message.user_team or message.source_team or message.team or self.me.team_id
        return notation.account(team, message.user)

    def _is_outsider(self, account: Account) -> bool:
        """Whether the event or the directory says that this person belongs to another workspace."""
        teams = {notation.team(account), self.people.cached_person(notation.user(account)).team}
        return bool(teams - {"", self.me.team_id})


def is_direct(message: Message) -> bool:
    return message.channel_type == "im" or message.channel.startswith("D")
