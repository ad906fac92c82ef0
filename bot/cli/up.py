"""`overlord up`: start the program."""

from typing import Annotated

import typer

from bot.cli import session
from bot.start import start


def up(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address of the console.", show_default="127.0.0.1")] = "",
    port: Annotated[str, typer.Option(help="Port of the console.", show_default="8765")] = "",
    home: Annotated[str, typer.Option(help="State folder.", show_default="~/.overlord")] = "",
    config: Annotated[str, typer.Option(help="Settings file.", show_default="./overlord.yaml")] = "",
) -> None:
    """Start Overlord; Ctrl-C stops it."""
    start(session.flags_of(context, host=host, port=port, home=home, config=config))
