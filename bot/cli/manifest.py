"""`overlord manifest`: the app manifests to paste into Slack's and Discord's portals, with your names in them."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from agents.domain.errors import OverlordError
from bot.cli import output


class Portal(StrEnum):
    SLACK = "slack"
    DISCORD = "discord"


# Discord's bits, of those this bot has a use for.
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


def manifest(
    portal: Annotated[Portal, typer.Argument(help="Whose manifest.")],
    name: Annotated[str, typer.Option(help="What the bot is called there.")] = "Overlord",
    command: Annotated[str, typer.Option(help="The slash command.")] = "/overlord",
    url: Annotated[str, typer.Option(help="Slack without Socket Mode: https://host that forwards /slack/events.")] = "",
    client_id: Annotated[str, typer.Option(help="Discord's application id, for the invite link.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")] = False,
) -> None:
    """Print the app manifest for Slack or Discord."""
    from agents.catalog.yaml import read_yaml, write_yaml
    from manifests import packaged

    data: Any = read_yaml(packaged(portal, "app.yaml")).data
    word = command.lstrip("/")
    if portal is Portal.SLACK:
        fill_slack(data, name, f"/{word}", url)
    else:
        fill_discord(data, name, word, client_id)
    if json:
        output.show_json(data)
    else:
        typer.echo(write_yaml(data), nl=False)


def fill_slack(data: Any, name: str, command: str, url: str) -> None:
    data["display_information"]["name"] = name
    data["features"]["bot_user"]["display_name"] = name
    data["features"]["slash_commands"][0]["command"] = command
    if not url:
        return
    if not url.startswith("https://"):
        raise OverlordError(f"Slack will not call {url}", next_step="Give an address that begins with https://.")
    events = f"{url.rstrip('/')}/slack/events"
    data["settings"]["socket_mode_enabled"] = False
    data["settings"]["event_subscriptions"]["request_url"] = events
    data["settings"]["interactivity"]["request_url"] = events
    data["features"]["slash_commands"][0]["url"] = events


def fill_discord(data: Any, name: str, command: str, client_id: str) -> None:
    data["application"]["name"] = name
    data["commands"][0]["name"] = command.lower()
    bits = sum(PERMISSIONS[permission] for permission in data["bot"]["permissions"])
    data["bot"]["permissions_integer"] = bits
    data["bot"]["intents_integer"] = sum(INTENTS[intent] for intent in data["bot"]["intents"])
    scopes = "+".join(data["bot"]["scopes"])
    who = client_id or "YOUR_APPLICATION_ID"
    data["invite"] = f"https://discord.com/oauth2/authorize?client_id={who}&scope={scopes}&permissions={bits}"
