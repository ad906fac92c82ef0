"""`overlord manifest discord`: what to set in Discord's portal, and the invite link."""

from typing import Annotated, Any

import typer

from bot.platforms.app_manifest import Command, Json, Name, packaged_manifest, show

Client = Annotated[str, typer.Option(help="The application id, for the invite link.")]
# Bits of those that this bot has a use for.
PERMISSIONS = {
    "add_reactions": 1 << 6,
    "view_channel": 1 << 10,
    "send_messages": 1 << 11,
    "embed_links": 1 << 14,
    "attach_files": 1 << 15,
    "read_message_history": 1 << 16,
    "create_public_threads": 1 << 35,
    "send_messages_in_threads": 1 << 38,
}
INTENTS = {
    "guilds": 1 << 0,
    "guild_messages": 1 << 9,
    "guild_message_reactions": 1 << 10,
    "direct_messages": 1 << 12,
    "direct_message_reactions": 1 << 13,
    "message_content": 1 << 15,
}


def discord(
    name: Name = "Overlord", command: Command = "/overlord", client_id: Client = "", json: Json = False
) -> None:
    """Print what to set in Discord's portal, and the invite link."""
    data = packaged_manifest("discord")
    fill(data, name, command.lstrip("/"), client_id)
    show(data, json)


def fill(data: Any, name: str, command: str, client_id: str) -> None:
    data["application"]["name"] = name
    data["commands"][0]["name"] = command.lower()
    bits = sum(PERMISSIONS[permission] for permission in data["bot"]["permissions"])
    data["bot"]["permissions_integer"] = bits
    data["bot"]["intents_integer"] = sum(INTENTS[intent] for intent in data["bot"]["intents"])
    scopes = "+".join(data["bot"]["scopes"])
    who = client_id or "YOUR_APPLICATION_ID"
    data["invite"] = f"https://discord.com/oauth2/authorize?client_id={who}&scope={scopes}&permissions={bits}"
