"""`overlord doctor` on Discord: token, clock, intents, servers, gateway and channels, asked of Discord itself."""

import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime

from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn
from bot.platforms.discord.manifest import PERMISSIONS
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.provider_checks import (
    Answer,
    Now,
    ask,
    channels_named,
    check_clock,
    join_names,
    no_answer,
    reveal,
)

CONTENT = (1 << 18) | (1 << 19)  # flags of an application that may read messages
ADMINISTRATOR = 1 << 3
AGENT = "DiscordBot (https://github.com/overlord, 1) doctor"


def checks(settings: Settings, now: Now) -> Iterator[Check]:
    return _Discord(settings, now).checks()


class _Discord:
    def __init__(self, settings: Settings, now: Now) -> None:
        self._settings, self._now = settings, now
        self._discord = settings.section(DiscordSettings)

    def checks(self) -> Iterator[Check]:
        me = self._get("/users/@me")
        yield self._token(me)
        if not me.status or me.data is None:
            return
        yield check_clock("discord clock", me, self._now())
        if me.status != 200:
            return
        application = self._get("/applications/@me")
        yield self._intents(application)
        yield from self._guilds(str(me.data.get("id", "")))
        yield self._gateway()
        yield from self._channels()

    def _get(self, path: str) -> Answer:
        token = reveal(self._discord.token)
        headers = {"Authorization": f"Bot {token}", "User-Agent": AGENT}
        return ask(urllib.request.Request(f"{self._discord.api_url.rstrip('/')}{path}", headers=headers))

    def _token(self, me: Answer) -> Check:
        if not me.status or not isinstance(me.data, dict):
            return no_answer("discord token", me, "DISCORD_API_URL")
        if me.status != 200:
            step = "Developer Portal, Bot, Reset Token: copy it to DISCORD_TOKEN."
            return fail("discord token", f"Discord refuses DISCORD_TOKEN: {me.data.get('message')}", step)
        return ok("discord token", str(me.data.get("username")))

    def _intents(self, application: Answer) -> Check:
        flags = application.data.get("flags") if isinstance(application.data, dict) else None
        if not isinstance(flags, int):
            return warn(
                "discord intents", "cannot be read", "Look at Developer Portal, Bot, Privileged Gateway Intents."
            )
        if flags & CONTENT:
            return ok("discord intents", "message content is on")
        step = "Developer Portal, Bot, Privileged Gateway Intents: switch on Message Content."
        return warn("discord intents", "message content is off: replies that do not mention me arrive empty", step)

    def _guilds(self, me: str) -> Iterator[Check]:
        answer = self._get("/users/@me/guilds")
        guilds = answer.data if isinstance(answer.data, list) else []
        if not guilds:
            step = f"Open the invite link that `overlord manifest discord --client-id {me}` prints."
            yield warn("discord servers", "in no server yet", step)
            return
        yield ok("discord servers", join_names([str(guild.get("name")) for guild in guilds]))
        for guild in guilds:
            if missing := _missing(int(guild.get("permissions") or 0)):
                step = "Open the invite link of `overlord manifest discord` again, or grant them to its role."
                yield warn("discord permissions", f"in {guild.get('name')}: no {join_names(missing, 8)}", step)

    def _gateway(self) -> Check:
        answer = self._get("/gateway/bot")
        limit = answer.data.get("session_start_limit") if isinstance(answer.data, dict) else None
        if not isinstance(limit, dict):
            return warn("discord gateway", f"status {answer.status}", "Try again; Discord may have an outage.")
        if not limit.get("remaining"):
            at = datetime.fromtimestamp(self._now() + int(limit.get("reset_after", 0)) / 1000, UTC)
            step = "Something restarts too often: see the log, stop it, and start it again then."
            return fail("discord gateway", f"no start of a session is left before {at:%H:%M} UTC", step)
        return ok("discord gateway", f"{limit['remaining']} of {limit.get('total')} starts are left today")

    def _channels(self) -> Iterator[Check]:
        for channel in channels_named(self._settings, "discord"):
            answer = self._get(f"/channels/{channel}")
            if answer.status != 200:
                seen = f"{channel}, which the settings name, cannot be seen (status {answer.status})"
                yield fail("discord channels", seen, "Give the bot's role View Channel there, or fix the id.")


def _missing(have: int) -> list[str]:
    if have & ADMINISTRATOR:
        return []
    return [name for name, bit in PERMISSIONS.items() if not have & bit]
