"""Setting Discord up: `overlord manifest discord`, and what `overlord doctor` asks of Discord itself."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from bot.config.settings import Settings
from bot.doctor_check import Check, Now, fail, ok, warn
from bot.platforms.discord import DiscordSettings
from bot.platforms.provider_setup import (
    Answer,
    Command,
    Json,
    Name,
    ProviderChecks,
    join_names,
    packaged_manifest,
    reveal,
    show,
)

Client = Annotated[str, typer.Option(help="The application id, for the invite link.")]
CONTENT = (1 << 18) | (1 << 19)  # flags of an application that may read messages
AGENT = "DiscordBot (https://github.com/overlord, 1) doctor"


def manifest(
    name: Name = "Overlord", command: Command = "/overlord", client_id: Client = "", json: Json = False
) -> None:
    """Print what to set in Discord's portal, and the invite link."""
    import discord  # slow, and of no use to the other commands

    data = packaged_manifest("discord")
    bot = data["bot"]
    data["application"]["name"] = name
    data["commands"][0]["name"] = command.lstrip("/").lower()
    intents = discord.Intents(guilds=True, messages=True, reactions=True, message_content=True)
    allowed = discord.Permissions(**dict.fromkeys(bot["permissions"], True))
    bot["permissions_integer"], bot["intents_integer"] = allowed.value, intents.value
    who = client_id or "YOUR_APPLICATION_ID"
    data["invite"] = discord.utils.oauth_url(who, permissions=allowed, scopes=bot["scopes"])
    show(data, json)


class DiscordChecks(ProviderChecks):
    name = "discord"

    def __init__(self, settings: Settings, now: Now) -> None:
        super().__init__(settings, now)
        self._discord = settings.section(DiscordSettings)

    def __iter__(self) -> Iterator[Check]:
        me = self._get("/users/@me")
        yield self._token(me)
        if not me.status or me.data is None:
            return
        yield self.check_clock(me)
        if me.status != 200:
            return
        yield self._intents(self._get("/applications/@me"))
        yield from self._guilds(str(me.data.get("id", "")))
        yield self._gateway()
        yield from self._channels()

    def _get(self, path: str) -> Answer:
        headers = {"Authorization": f"Bot {reveal(self._discord.token)}", "User-Agent": AGENT}
        return self.ask(f"{self._discord.api_url.rstrip('/')}{path}", headers)

    def _token(self, me: Answer) -> Check:
        if not me.status or not isinstance(me.data, dict):
            return self.no_answer(me)
        if me.status != 200:
            step = "Developer Portal, Bot, Reset Token: copy it to DISCORD_TOKEN."
            return fail("discord token", f"Discord refuses DISCORD_TOKEN: {me.data.get('message')}", step)
        return ok("discord token", str(me.data.get("username")))

    def _intents(self, application: Answer) -> Check:
        flags = application.data.get("flags") if isinstance(application.data, dict) else None
        if not isinstance(flags, int):
            step = "Look at Developer Portal, Bot, Privileged Gateway Intents."
            return warn("discord intents", "cannot be read", step)
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
        import discord

        wanted = packaged_manifest("discord")["bot"]["permissions"]
        for guild in guilds:
            have = discord.Permissions(int(guild.get("permissions") or 0))
            missing = [name for name in wanted if not (have.administrator or getattr(have, name))]
            if missing:
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
        for channel in self.channels_named():
            answer = self._get(f"/channels/{channel}")
            if answer.status != 200:
                seen = f"{channel}, which the settings name, cannot be seen (status {answer.status})"
                yield fail("discord channels", seen, "Give the bot's role View Channel there, or fix the id.")
