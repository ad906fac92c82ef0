"""The `overlord` command: its groups, the flags all of them share, and how an error reaches the person."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agents.domain.errors import OverlordError
from bot.cli import decisions, demo, manifest, people, proposals, roles, settings, skills, tasks, up
from bot.cli.doctor import command as doctor


class OverlordGroup(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """An error that a person can act on is told in words; anything else keeps its traceback."""
        try:
            return super().invoke(ctx)
        except OverlordError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    name="overlord",
    cls=OverlordGroup,
    help="A chat-ops bot that supervises coding minions. `overlord up` starts it.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich costs more than everything else that --help imports
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("up")(up.up)
app.command("demo")(demo.demo)
app.add_typer(tasks.app, name="tasks")
app.add_typer(decisions.app, name="decisions")
app.add_typer(proposals.app, name="proposals")
app.add_typer(people.app, name="people")
app.add_typer(skills.app, name="skills")
app.add_typer(roles.app, name="roles")
app.add_typer(settings.app, name="settings")
app.command("doctor")(doctor.doctor)
app.add_typer(manifest.app, name="manifest")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"overlord {version()}")
        raise typer.Exit


def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("overlord")
    except metadata.PackageNotFoundError:
        return "(not installed)"


@app.callback()
def root(
    context: typer.Context,
    home: Annotated[str, typer.Option(help="State folder, instead of OVERLORD_HOME.", show_default=False)] = "",
    config: Annotated[str, typer.Option(help="Settings file, instead of OVERLORD_CONFIG.", show_default=False)] = "",
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    given = {"--home": home, "--config": config}
    context.obj = {name: value for name, value in given.items() if value}
