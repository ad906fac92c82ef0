"""`overlord manifest slack`: what to paste into Slack's portal, with your names in it."""

from typing import Annotated, Any

import typer

from agents.domain.errors import OverlordError
from bot.platforms.app_manifest import Command, Json, Name, packaged_manifest, show

Url = Annotated[str, typer.Option(help="Without Socket Mode: https://host that forwards /slack/events.")]


def slack(name: Name = "Overlord", command: Command = "/overlord", url: Url = "", json: Json = False) -> None:
    """Print the app manifest to paste into Slack's portal."""
    data = packaged_manifest("slack")
    fill(data, name, f"/{command.lstrip('/')}", url)
    show(data, json)


def fill(data: Any, name: str, command: str, url: str) -> None:
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
