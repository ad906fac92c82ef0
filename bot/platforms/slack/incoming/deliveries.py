"""Slack's payloads become deliveries, or nothing: bots, our own messages and what no person did are not heard."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agents.domain.ids import Account, Thread
from bot.messages import Edited, Pressed, Said
from bot.platforms.slack import addresses
from bot.platforms.slack.directory import Known
from bot.platforms.slack.outgoing import mrkdwn
from bot.platforms.slack.outgoing.buttons import Form, Press
from bot.platforms.slack.payloads import Me, Message, Person, Pressing, Reaction, SlashCommand, Submission

SPOKEN = frozenset({"", "thread_broadcast", "file_share", "me_message"})
STOP_SIGNS = frozenset({"octagonal_sign", "stop_sign"})
SLACKBOT = "USLACKBOT"
LATE = timedelta(seconds=10)  # what comes later than this is dated by when it was said


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadMapper:
    """Maps payloads to deliveries for one installation, at one moment."""

    me: Me
    name: mrkdwn.NameOf
    team: Callable[[str], str]  # of a user, as far as we know
    now: datetime  # on the program's clock
    real_now: datetime

    # ── words ───────────────────────────────────────────────────────────────────────────────────────────────────

    def is_from_person(self, message: Message, known: Known) -> bool:
        """Judged by ids, since a webhook may use any name."""
        ours = message.user in ("", SLACKBOT, self.me.user_id)
        return message.subtype in SPOKEN and not message.bot_id and not ours and not known.is_bot

    def to_said(self, message: Message, known: Known, event_id: str = "") -> Said | None:
        """A message, as an event or read from the history; both have the message's own key too."""
        if not self.is_from_person(message, known):
            return None
        own = f"slack:{self.me.team_id}:{message.channel}:{message.ts}"
        others = mrkdwn.mentioned_users(message.text) - {self.me.user_id}
        return Said(
            key=f"slack:{self.me.team_id}:{event_id}" if event_id else own,
            also=own if event_id else "",
            thread=self.thread_of(message),
            channel=addresses.channel(self.me.team_id, message.channel),
            message=message.ts,
            by=self._author(message),
            began_by=addresses.account(self.me.team_id, message.parent_user_id) if message.parent_user_id else "",
            name=known.name,
            text=mrkdwn.plain(message.text, self.me.user_id, self.name),
            mentions_bot=mrkdwn.mentions(message.text, self.me.user_id),
            addresses_other=bool(others),
            direct=is_direct(message),
            starts_thread=message.thread_ts in ("", message.ts),
            outsider=self._is_outsider(self._author(message)),
            at=self.at(message.ts),
        )

    def to_edited(self, change: Message, known: Known, event_id: str) -> Edited | None:
        """A person's own edit; Slack also changes messages by itself, when it unfurls a link."""
        after, before = change.message, change.previous_message
        if after is None or after.edited is None or not self.is_from_person(after, known):
            return None
        if before is not None and before.text == after.text:
            return None
        return self.read_edited(after.model_copy(update={"channel": change.channel}), known, event_id)

    def read_edited(self, message: Message, known: Known, event_id: str = "") -> Edited | None:
        """A message as it is after an edit, in an event or read from the history; both have the edit's own key too."""
        if message.edited is None or not self.is_from_person(message, known):
            return None
        own = f"slack:{self.me.team_id}:{message.channel}:{message.ts}:{message.edited.ts}"
        return Edited(
            key=f"slack:{self.me.team_id}:{event_id}" if event_id else own,
            also=own if event_id else "",
            thread=self.thread_of(message),
            channel=addresses.channel(self.me.team_id, message.channel),
            message=message.ts,
            by=self._author(message),
            name=known.name,
            text=mrkdwn.plain(message.text, self.me.user_id, self.name),
            outsider=self._is_outsider(self._author(message)),
            at=self.at(message.edited.ts),
        )

    def stop_from_reaction(self, reaction: Reaction, known: Known, thread_ts: str, event_id: str) -> Said | None:
        """A stop sign on the bot's message, or on one's own, is the word stop."""
        on_ours = reaction.item_user == self.me.user_id
        if known.is_bot or reaction.user == self.me.user_id or not (on_ours or reaction.item_user == reaction.user):
            return None
        channel = reaction.item.channel
        by = addresses.account(known.team or self.me.team_id, reaction.user)
        return Said(
            key=f"slack:{self.me.team_id}:{event_id}",
            thread=self._thread(channel, thread_ts),
            channel=addresses.channel(self.me.team_id, channel),
            message=f"{reaction.item.ts}{addresses.REACTION}{reaction.reaction}",
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
        by = addresses.account(command.team_id or self.me.team_id, command.user_id)
        return Said(
            key=command_key(self.me, command),
            thread=self._thread(anchor.channel, anchor.ts),
            channel=addresses.channel(self.me.team_id, anchor.channel),
            message=anchor.ts,
            by=by,
            name=self.name(command.user_id),
            text=mrkdwn.plain(command.text, self.me.user_id, self.name) or "help",
            mentions_bot=True,
            direct=anchor.channel.startswith("D"),
            starts_thread=True,
            outsider=self._is_outsider(by),
            at=self.now,
        )

    # ── presses ─────────────────────────────────────────────────────────────────────────────────────────────────

    def to_pressed(self, pressing: Pressing, press: Press) -> Pressed:
        action, where = pressing.actions[0], self.surface_of(pressing)
        user = pressing.user
        return Pressed(
            key=f"slack:{self.me.team_id}:{user.id}:{where.message}:{press.token}:{action.action_ts}",
            thread=where.thread,
            channel=where.channel,
            message=where.message,
            by=self._presser(user),
            name=self._name_of(user),
            token=press.token,
            shown=press.shown,
            outsider=self._is_outsider(self._presser(user)),
            at=self.now,
        )

    def pressed_from_form(self, submission: Submission, form: Form) -> Pressed:
        view, user = submission.view, submission.user
        fields = view.state.values.values() if view.state else ()
        words = "\n".join(field.value for named in fields for field in named.values() if field.value)
        return Pressed(
            key=f"slack:{self.me.team_id}:view:{view.id}:{view.hash}",
            thread=Thread(form.thread),
            channel=form.channel,
            message=form.message,
            by=self._presser(user),
            name=self._name_of(user),
            token=form.token,
            words=words,
            shown=form.shown,
            outsider=self._is_outsider(self._presser(user)),
            at=self.now,
        )

    def surface_of(self, pressing: Pressing) -> "Surface":
        """Where the button stands; in the app's home there is no message."""
        container = pressing.container
        if container.type != "message":
            home = addresses.channel(self.me.team_id, "home")
            return Surface(thread=Thread(f"{home}:{pressing.user.id}"), channel=home, message="")
        inner = pressing.message.thread_ts if pressing.message else ""
        root = container.thread_ts or inner or container.message_ts
        return Surface(
            thread=self._thread(container.channel_id, root),
            channel=addresses.channel(self.me.team_id, container.channel_id),
            message=container.message_ts,
        )

    # ── around ──────────────────────────────────────────────────────────────────────────────────────────────────

    def at(self, ts: str) -> datetime:
        spoken = datetime.fromtimestamp(float(ts or 0), UTC)
        return spoken if ts and self.real_now - spoken > LATE else self.now

    def thread_of(self, message: Message) -> Thread:
        return self._thread(message.channel, message.thread_ts or message.ts)

    def _thread(self, channel: str, ts: str) -> Thread:
        return addresses.thread(self.me.team_id, channel, ts)

    def _author(self, message: Message) -> Account:
        """Someone from another workspace in a shared channel keeps their own team, and so has no right here."""
        team = message.user_team or message.source_team or message.team or self.me.team_id
        return addresses.account(team, message.user)

    def _presser(self, user: Person) -> Account:
        return addresses.account(user.team_id or self.me.team_id, user.id)

    def _is_outsider(self, account: Account) -> bool:
        """Whether the event or the directory says that this person belongs to another workspace."""
        teams = {addresses.team(account), self.team(addresses.user(account))}
        return bool(teams - {"", self.me.team_id})

    def _name_of(self, user: Person) -> str:
        """The name they chose, if we know it; else their login."""
        known = self.name(user.id)
        return known if known != user.id else user.name or user.username


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    thread: Thread
    channel: str
    message: str


def is_direct(message: Message) -> bool:
    return message.channel_type == "im" or message.channel.startswith("D")


def command_key(me: Me, command: SlashCommand) -> str:
    return f"slack:{me.team_id}:command:{command.trigger_id}"
