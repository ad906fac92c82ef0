"""`overlord up`: start the program, after saying in plain words what will run."""

import gc
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli import session

if TYPE_CHECKING:
    from bot.app import Program
    from bot.settings import Settings


def up(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address of the console.", show_default="127.0.0.1")] = "",
    port: Annotated[str, typer.Option(help="Port of the console.", show_default="8765")] = "",
    home: Annotated[str, typer.Option(help="State folder.", show_default="~/.overlord")] = "",
    config: Annotated[str, typer.Option(help="Settings file.", show_default="./overlord.yaml")] = "",
) -> None:
    """Start Overlord; Ctrl-C stops it."""
    gc.disable()  # what is loaded now stays: to look through it again and again is a tenth of the start
    from bot import app
    from bot.logs import set_up_logs
    from bot.settings import make_home

    settings = session.settings_of(context, host=host, port=port, home=home, config=config)
    set_up_logs(settings.log_level, settings.secrets)
    make_home(settings.home)

    def tell(program: app.Program) -> None:
        typer.echo("\n".join(opening_lines(settings, program)))
        gc.freeze()
        gc.enable()

    session.run(app.run(settings, tell))


def opening_lines(settings: "Settings", program: "Program") -> list[str]:
    """What runs now, for the person who started it."""
    from bot.permissions import Permissions

    said = {"Console": program.address, "Database": settings.database, "State": str(settings.home)}
    said["Settings"] = str(settings.config) if settings.config else "none written; defaults and environment"
    said["Platforms"] = ", ".join(platforms(settings))
    named = ", ".join(project.name for project in settings.projects)
    said["Projects"] = named or "the sample; name your own in overlord.yaml"
    said["Models"] = program.models
    permissions = Permissions(settings.groups, settings.operators, settings.channels)
    label, value = permissions.who_can_approve()[1]
    said["Approvers"] = f"the operator ({', '.join(sorted(settings.operators))}); {label}s: {value.partition(': ')[0]}"
    lines = [f"{name + ':':<11}{value}" for name, value in said.items()]
    return [*lines, *(f"Warning:   {warning}" for warning in settings.warnings), "Stop with Ctrl-C."]


def platforms(settings: "Settings") -> list[str]:
    """Where it can be talked to, and how it gets there."""
    slack = settings.slack
    how = "Socket Mode" if slack.app_token else f"HTTP on port {settings.http_port}, /slack/events"
    return [
        "console",
        *([f"Slack ({how})"] if slack.joins else []),
        *(["Discord"] if settings.discord.joins else []),
    ]
