"""`overlord manifest`: what to paste into the portals of chat platforms, with your names in it, and JSON Schemas."""

from pathlib import Path
from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from bot.cli.schemas import names, render
from bot.config.platforms import load, platforms

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
for spec in platforms():
    if spec.manifest:
        app.command(spec.name)(load(spec.manifest))


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="Such as role; none: which there are.", show_default=False)] = "",
    into: Annotated[str, typer.Option(help="Write all of them into this folder.", show_default=False)] = "",
) -> None:
    """Print a JSON Schema: of a settings file, or of an answer."""
    if into:
        for each in names():
            path = Path(into, f"{each}.json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render(each), encoding="utf-8")
    elif not name:
        typer.echo("\n".join(names()))
    elif name not in names():
        raise OverlordError(f"There is no schema {name}", next_step=f"There are: {', '.join(names())}.")
    else:
        typer.echo(render(name), nl=False)
