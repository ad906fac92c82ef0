"""`overlord manifest`: what to paste into Slack's and Discord's portals, with your names in it, and JSON Schemas."""

from pathlib import Path
from typing import Annotated, Any

import typer

from agents.domain.errors import OverlordError
from bot.cli import output

app = typer.Typer(
    help="Print what other programs need: app manifests for Slack and Discord, schemas for editors.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Option(help="What the bot is called there.")]
Command = Annotated[str, typer.Option(help="The slash command.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")]
Url = Annotated[str, typer.Option(help="Without Socket Mode: https://host that forwards /slack/events.")]
Client = Annotated[str, typer.Option(help="The application id, for the invite link.")]

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


@app.command()
def slack(name: Name = "Overlord", command: Command = "/overlord", url: Url = "", json: Json = False) -> None:
    """Print the app manifest to paste into Slack's portal."""
    data = _packaged("slack")
    fill_slack(data, name, f"/{command.lstrip('/')}", url)
    _show(data, json)


@app.command()
def discord(
    name: Name = "Overlord", command: Command = "/overlord", client_id: Client = "", json: Json = False
) -> None:
    """Print what to set in Discord's portal, and the invite link."""
    data = _packaged("discord")
    fill_discord(data, name, command.lstrip("/"), client_id)
    _show(data, json)


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="Such as role; none: which there are.", show_default=False)] = "",
    into: Annotated[str, typer.Option(help="Write all of them into this folder.", show_default=False)] = "",
) -> None:
    """Print a JSON Schema: of a settings file, or of an answer."""
    from bot.cli.schemas import made, names

    if into:
        for each in names():
            path = Path(into, f"{each}.json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made(each), encoding="utf-8")
    elif not name:
        typer.echo("\n".join(names()))
    elif name not in names():
        raise OverlordError(f"There is no schema {name}", next_step=f"There are: {', '.join(names())}.")
    else:
        typer.echo(made(name), nl=False)


def _packaged(portal: str) -> Any:
    from agents.catalog.yaml import read_yaml
    from manifests import packaged

    return read_yaml(packaged(portal, "app.yaml")).data


def _show(data: Any, json: bool) -> None:
    from agents.catalog.yaml import write_yaml

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
