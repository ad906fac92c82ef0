"""Turns Discord's messages and reactions into deliveries."""

import re
from datetime import datetime
from typing import Any

import discord

from bot.messages import Edited, Said
from bot.platforms.discord.notation import NAME, Place, account_of

STOP = "🛑"
_MENTION = re.compile(r"<@!?(\d+)>")
_KINDS = (discord.MessageType.default, discord.MessageType.reply)


def is_from_person(message: discord.Message) -> bool:
    """False for bots, webhooks and system messages, whatever name they use."""
    return not message.author.bot and message.webhook_id is None and message.type in _KINDS


def is_guest(person: object, channel: object = None) -> bool:
    """Whether Discord let them into one voice channel of a guild, and not into the guild.

    A history does not say who is: whoever spoke in such a channel may be one.
    """
    if isinstance(person, discord.Member):
        return person.flags.guest
    return isinstance(channel, discord.VoiceChannel | discord.StageChannel)


def to_said(message: discord.Message, me: int) -> Said | None:
    """None if there is no text: a picture, or a reply whose content Discord does not show us."""
    replied_to, mentioned = _replied_to(message), _mentions(message, me)
    to_me = mentioned or replied_to == me
    common = _common(message, me)
    if not common["text"] and not to_me:
        return None
    place = place_of(message, me)
    others = [user for user in message.mentions if user.id not in (me, message.author.id)]
    return Said(
        key=f"{NAME}:{message.id}",
        **common,
        mentions_bot=to_me,
        addresses_other=bool(others) or replied_to not in (None, me, message.author.id),
        on=str(message.reference.message_id) if replied_to == me and message.reference else "",
        direct=place.is_direct,
        at=message.created_at,
    )


def to_edited(message: discord.Message, me: int) -> Edited | None:
    """None if Discord changed the message, not its author."""
    common = _common(message, me)
    if message.edited_at is None or not common["text"]:
        return None
    key = f"{NAME}:{message.id}:{int(message.edited_at.timestamp() * 1000)}"
    return Edited(key=key, **common, at=message.edited_at)


def _common(message: discord.Message, me: int) -> dict[str, Any]:
    """What Said and Edited both have."""
    place = place_of(message, me)
    return {
        "thread": place.thread,
        "channel": place.channel_name,
        "message": str(message.id),
        "by": account_of(message.author.id),
        "name": message.author.display_name,
        "text": text_of(message, me),
        "outsider": is_guest(message.author, message.channel),
    }


def stop_from_reaction(reaction: discord.RawReactionActionEvent, place: Place, me: int, at: datetime) -> Said:
    """🛑 means stop. On our message it is addressed to us; elsewhere it counts only from people in the conversation."""
    message = f"{reaction.message_id}.{reaction.user_id}"
    # Reactions have no ids: one that comes again within the minute is the same one, delivered twice.
    return Said(
        key=f"{NAME}:{message}:stop:{int(at.timestamp() // 60)}",
        thread=place.thread,
        channel=place.channel_name,
        message=message,
        by=account_of(reaction.user_id),
        name=reaction.member.display_name if reaction.member else "",
        text=STOP,
        mentions_bot=reaction.message_author_id == me,
        direct=False,
        outsider=is_guest(reaction.member),
        at=at,
    )


def place_of(message: discord.Message, me: int) -> Place:
    """The thread a message is in, or starts."""
    replied = message.reference.resolved if message.reference else None
    if isinstance(replied, discord.Message) and replied.author.id == me:
        return place_in(message.channel, root_of(replied))
    return place_in(message.channel, str(message.id))


def root_of(ours: discord.Message) -> str:
    """The message ours replies to: where no thread can be opened, we reply to the one that began the conversation."""
    asked = ours.reference.message_id if ours.reference else None
    return str(asked or ours.id)


def place_in(channel: object, root: str) -> Place:
    """`root`: the message that starts a thread, where the channel is none itself."""
    if isinstance(channel, discord.Thread):
        return Place(guild=str(channel.guild.id), channel=str(channel.parent_id), root=str(channel.id))
    if isinstance(channel, discord.abc.GuildChannel):
        return Place(guild=str(channel.guild.id), channel=str(channel.id), root=root)
    assert isinstance(channel, discord.DMChannel | discord.PartialMessageable)
    return Place.direct(channel.id)


def text_of(message: discord.Message, me: int) -> str:
    """Without the mention of the bot; other people's mentions by name."""
    names = {str(user.id): f"@{user.display_name}" for user in message.mentions if user.id != me}
    mine = {str(me): ""}
    text = _MENTION.sub(lambda found: (names | mine).get(found[1], found[0]), message.content)
    for role in _my_roles(message):
        text = text.replace(f"<@&{role}>", "")
    return text.strip()


def _mentions(message: discord.Message, me: int) -> bool:
    """By name, by the role that Discord made for the bot, or by replying to it."""
    roles = set(_my_roles(message))
    return any(user.id == me for user in message.mentions) or any(role.id in roles for role in message.role_mentions)


def _my_roles(message: discord.Message) -> list[int]:
    role = message.guild.self_role if message.guild else None
    return [role.id] if role else []


def _replied_to(message: discord.Message) -> int | None:
    """Whose message this one replies to."""
    replied = message.reference.resolved if message.reference else None
    return replied.author.id if isinstance(replied, discord.Message) else None
