"""Buttons, forms and the slash command. Each is stored, and only then acknowledged."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from typing import Any

import discord

from agents.domain.ids import DecisionId, Thread
from bot.field_forms import write_fields
from bot.intake.conversation import is_private
from bot.messages import Button, Choice, Gone, Later, Pressed, Refused, Said, Unsure
from bot.platforms.discord import views
from bot.platforms.discord.deliveries import is_guest, place_in, root_of
from bot.platforms.discord.notation import NAME, Act, CustomId, Place, account_of, fit
from bot.platforms.discord.options import DiscordOptions, DiscordStore
from bot.platforms.discord.platform import DiscordPlatform
from bot.platforms.discord.rest import Code, Declined, Rest
from bot.platforms.provider import Accept
from store.database import StoreUnavailable

log = logging.getLogger(__name__)

STORED_WITHIN = 2.4  # seconds; after three Discord tells the person that it failed, and they press again
WORDS_WITHIN, ROLES_WITHIN = 0.8, 1.0
MESSAGE, THINKING, NOTED, CHANGED, FORM = 4, 5, 6, 7, 9
PRIVATE = 1 << 6
_NOT_STORED = (StoreUnavailable, TimeoutError)
_NOT_TAKEN = "I could not take that just now. Please mention me instead."
_NAMELESS = Button(
    label="Go on",
    choice=Choice(decision=DecisionId(""), letter=""),
    asks="In your own words",
    confirm="This asks to be confirmed. Go on?",
)


class Roles:
    """Only roles that are named in a group count: "discord-role:<server>:<role>"."""

    def __init__(self, rest: Rest, roles: frozenset[str]) -> None:
        self._rest = rest
        self._roles = [(name, *name.split(":")[1:]) for name in sorted(roles)]

    async def of(self, user: int, met: object = None) -> tuple[str, ...]:
        """The named roles of this user. `met`: as Discord showed them with what they did; a server that was not shown
        is asked, and one that cannot be asked lets nobody in.
        """
        servers = {server for _, server, _ in self._roles}
        held = {server: await self._held(server, user, met) for server in servers}
        return tuple(name for name, server, role in self._roles if role in held[server])

    async def _held(self, server: str, user: int, met: object) -> frozenset[str]:
        if isinstance(met, discord.Member) and str(met.guild.id) == server:
            return frozenset(str(role.id) for role in met.roles)
        try:
            async with asyncio.timeout(ROLES_WITHIN):
                member = await self._rest.call("GET", f"/guilds/{server}/members/{user}")
        except (Later, Unsure, Refused, TimeoutError) as problem:
            log.info("roles could not be asked for", extra={"server": server, "problem": str(problem)})
            return frozenset()
        roles = member.get("roles") if isinstance(member, dict) else None
        return frozenset(map(str, roles)) if isinstance(roles, list) else frozenset()


class Interactions:
    def __init__(
        self, options: DiscordOptions, platform: DiscordPlatform, rest: Rest, accept: Accept, store: DiscordStore
    ) -> None:
        self._platform, self._rest, self._accept, self._store = platform, rest, accept, store
        self._redact, self.roles = options.redact, Roles(rest, options.roles)

    async def meet(self, met: discord.Interaction) -> None:
        """Handles an interaction. What cannot be stored is not acknowledged, so the person sees that it failed."""
        place = _place(met)
        self._platform.remember_webhook(place.thread, account_of(met.user.id), _hook(met))
        data: Any = met.data or {}
        try:
            if met.type is discord.InteractionType.application_command:
                await self._command(met, place, _option(data))
            elif met.type is discord.InteractionType.component:
                await self._act_on_press(met, place, data)
            elif met.type is discord.InteractionType.modal_submit:
                await self._submit(met, place, data)
        except _NOT_STORED as problem:
            log.warning("an interaction could not be stored in time", extra={"problem": str(problem)})

    # ── buttons and forms ────────────────────────────────────────────────────────────────────────────────────────

    async def _act_on_press(self, met: discord.Interaction, place: Place, data: Any) -> None:
        id, message = _id_of(data), str(met.message.id) if met.message else ""
        match id:
            case CustomId(act=Act.PRESS):
                await self._deliver(_press(met, place, message, id.token), met)
                await self._answer(met, NOTED)
            case CustomId(act=Act.SURE):
                await self._deliver(_press(met, place, id.message, id.token), met)
                done = {"content": "Noted.", "components": [], "allowed_mentions": {"parse": []}}
                await self._answer(met, CHANGED, done)
            case CustomId(act=Act.ASK):
                button = await self._button(place.thread, message, id.token)
                form = CustomId(act=Act.FORM, message=message, token=id.token)
                shown = (
                    views.fields_form(button.label, button.fields, form)
                    if button.fields
                    else views.form(button.label, button.asks, form, button.fill)
                )
                await self._answer(met, FORM, shown)
            case CustomId(act=Act.CHECK):
                button = await self._button(place.thread, message, id.token)
                sure = CustomId(act=Act.SURE, message=message, token=id.token)
                await self._answer(met, MESSAGE, views.confirmation(button.label, button.confirm, sure))
            case CustomId(act=Act.SAY):
                answer = views.form("Answer", "Your answer", CustomId(act=Act.SAID, message=message))
                await self._answer(met, FORM, answer)
            case _:
                await self._answer(met, MESSAGE, views.private("I do not know this button. Say `status` to me."))

    async def _button(self, thread: Thread, message: str, token: str) -> Button:
        """The button as stored. Retries: a quick press may come before our own post is recorded."""
        with suppress(*_NOT_STORED):
            async with asyncio.timeout(WORDS_WITHIN):
                while True:
                    if found := await self._store.button(thread, message, token):
                        return found
                    await asyncio.sleep(0.1)
        return _NAMELESS

    async def _submit(self, met: discord.Interaction, place: Place, data: Any) -> None:
        id, words = CustomId.of(str(data.get("custom_id"))), _form_words(data.get("components") or [])
        match id:
            case CustomId(act=Act.FORM):
                await self._deliver(_press(met, place, id.message, id.token, words), met)
            case CustomId(act=Act.SAID):
                await self._deliver(replace(_said(met, place, str(met.id), words), on=id.message), met)
            case _:
                log.warning("a form that is not ours was sent", extra={"interaction": met.id})
                return
        await self._answer(met, NOTED if met.message else THINKING, None if met.message else {"flags": PRIVATE})

    # ── the slash command ────────────────────────────────────────────────────────────────────────────────────────

    async def _command(self, met: discord.Interaction, place: Place, words: str) -> None:
        """A command leaves no message, so we write one for all to read; what follows happens in its thread.

        The first answer says only that we are thinking. That it was taken is said once it is stored.
        """
        await self._answer(met, THINKING, {"flags": PRIVATE})
        if is_private(words):
            await self._command_in_private(met, place, words)
            return
        key = f"{NAME}:{met.id}"
        quote = f"**{fit(met.user.display_name, 100)}** asks with a command:\n{fit(self._redact(words), 1500)}"
        told = _NOT_TAKEN
        try:
            message = await self._platform.root(str(met.channel_id), quote, key)
            here = place if place.root else Place(guild=place.guild, channel=place.channel, root=message)
            await self._deliver(_said(met, here, message, words), met)
            told = f"Taken: https://discord.com/channels/{here.guild}/{here.channel}/{message}"
        except (Unsure, Later, Refused, *_NOT_STORED) as problem:
            log.warning("a command could not be taken", extra={"problem": str(problem)})
        await self._tell(met, told)

    async def _command_in_private(self, met: discord.Interaction, place: Place, words: str) -> None:
        """Nothing is written for others: the answer is a follow-up that only the asker sees."""
        await self._tell(met, "Only you see the answer.")
        try:
            here = place if place.root else await self._platform.line_with(str(met.user.id))
            self._platform.remember_webhook(here.thread, account_of(met.user.id), _hook(met))
            await self._deliver(replace(_said(met, here, f"command-{met.id}", words), direct=place.is_direct), met)
        except (Unsure, Later, Refused, *_NOT_STORED) as problem:
            log.warning("a command could not be taken", extra={"problem": str(problem)})
            await self._tell(met, _NOT_TAKEN)

    async def _tell(self, met: discord.Interaction, words: str) -> None:
        path = f"{_hook(met)}/messages/@original"
        await self._try("PATCH", path, {"content": words, "allowed_mentions": {"parse": []}})

    # ── how it is done ───────────────────────────────────────────────────────────────────────────────────────────

    async def _deliver(self, delivery: Said | Pressed, met: discord.Interaction) -> None:
        """Stores it with the roles that the person has now."""
        async with asyncio.timeout(STORED_WITHIN):
            memberships = await self.roles.of(met.user.id, met.user)
            await self._accept(replace(delivery, memberships=memberships))

    async def _answer(self, met: discord.Interaction, type: int, data: Any = None) -> None:
        body = {"type": type} | ({"data": data} if data is not None else {})
        await self._try("POST", f"/interactions/{met.id}/{met.token}/callback", body)

    async def _try(self, method: str, path: str, body: Any) -> None:
        """Sends an answer, twice if the first may be lost. Failures are logged only: the delivery is stored."""
        for _ in range(2):
            try:
                await self._rest.answer(method, path, body)
                return
            except Unsure:
                continue
            except (Later, Gone) as problem:
                log.warning("an interaction was answered too late", extra={"problem": str(problem)})
                return
            except Declined as problem:
                if problem.code != Code.ALREADY_ANSWERED:  # the first try had gone through
                    log.warning("an answer was refused", extra={"problem": str(problem)})
                return


def _hook(met: discord.Interaction) -> str:
    return f"/webhooks/{met.application_id}/{met.token}"


def _place(met: discord.Interaction) -> Place:
    """Where it happened; `root` is empty for a command at the top of a channel."""
    if met.guild_id is None:
        return Place.direct(met.channel_id or 0)
    return place_in(met.channel, root_of(met.message) if met.message else "")


def _press(met: discord.Interaction, place: Place, message: str, token: str, words: str = "") -> Pressed:
    return Pressed(**_common(met, place), message=message, token=token, words=words)


def _said(met: discord.Interaction, place: Place, message: str, words: str) -> Said:
    said = Said(**_common(met, place), message=message, text=words, mentions_bot=True)
    return replace(said, direct=place.is_direct)


def _common(met: discord.Interaction, place: Place) -> dict[str, Any]:
    """What a press and words have in common."""
    return {
        "key": f"{NAME}:{met.id}",
        "thread": place.thread,
        "channel": place.channel_name,
        "by": account_of(met.user.id),
        "name": met.user.display_name,
        "outsider": is_guest(met.user),
        "at": met.created_at,
    }


def _id_of(data: Any) -> CustomId | None:
    """Of the button that was pressed, or of the entry that was chosen in a menu."""
    id = CustomId.of(str(data.get("custom_id")))
    return CustomId.of(str((data.get("values") or [""])[0])) if id and id.act is Act.MORE else id


def _option(data: Any) -> str:
    return next((str(option.get("value")) for option in data.get("options") or []), "")


def _form_words(components: list[Any]) -> str:
    """The words of a form: its one text input, however it is wrapped; or what stands in each of several."""
    found = dict[str, str]()
    for part in components:
        inside = [part["component"]] if "component" in part else part.get("components") or []
        found |= {str(field.get("custom_id")): str(field["value"]).strip() for field in inside if "value" in field}
    if found.keys() - {"words"}:
        return write_fields(found)
    return found.get("words", "")
