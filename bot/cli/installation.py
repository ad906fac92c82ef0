"""This installation: `overlord up`, `settings`, `backup` and `restore`."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.models import ModelPart
from agents.domain.errors import SettingsProblem
from agents.domain.models.routing import ROLES
from bot.cli import naming, session
from bot.config import state_folder
from bot.config.platforms import platforms
from bot.config.settings import Settings
from bot.config.state_folder import home_of, make_home
from bot.queries.backup import restore_backup, write_backup
from bot.start import start

settings_app = typer.Typer(rich_markup_mode=None)
settings_app.command("reload")(naming.reload)
settings_app.command("history")(naming.history)
File = Annotated[Path, typer.Argument(metavar="FILE", help="Such as overlord-backup.tar.gz.", resolve_path=True)]


def up(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address of the console.", show_default="127.0.0.1")] = "",
    port: Annotated[str, typer.Option(help="Port of the console.", show_default="8765")] = "",
    home: Annotated[str, typer.Option(help="State folder.", show_default="~/.overlord")] = "",
    config: Annotated[str, typer.Option(help="Settings file.", show_default="./overlord.yaml")] = "",
) -> None:
    """Start Overlord; Ctrl-C stops it."""
    start(session.flags_of(context, host=host, port=port, home=home, config=config))


def backup(context: typer.Context, file: File) -> None:
    """Write the database, repositories, artefacts and settings into one file. Overlord may go on running."""
    settings = session.ready(context)
    asyncio.run(write_backup(settings, file, _tell))
    typer.echo(f"Written: {file} ({file.stat().st_size / 1e6:,.1f} MB). It can be read by you alone; keep it so.")


def restore(context: typer.Context, file: File) -> None:
    """Bring a backup into an empty state folder and an empty database, also from SQLite to PostgreSQL and back."""
    settings = session.ready(context)
    restore_backup(settings, file, _tell)
    typer.echo(f"Restored into {settings.home}. Stop the old Overlord before you start this one: `overlord up`.")


def _tell(progress: str) -> None:
    typer.echo(f"  {progress}", err=True)


@settings_app.callback(invoke_without_command=True)
def settings(context: typer.Context) -> None:
    """Say which settings file is read, and which is not."""
    if context.invoked_subcommand is None:
        known = session.settings_of(context)
        typer.echo(f"Read: {known.config or 'no file; defaults and environment'}")
        for problem in known.left:
            typer.echo(f"Not read: {problem}")


@settings_app.command("accept")
def accept(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The settings file.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Read this settings file from now on where it is found, as it is now; once it changes, accept it again."""
    path = Path(file).expanduser().absolute()
    if state_folder.is_strangers(path):
        step = f"If it is yours, name it at each start: overlord --config {file} up"
        raise SettingsProblem(f"{path} is tracked by git, so it is never read by itself", next_step=step)
    found = state_folder.read_settings(path)
    known = session.settings_of(context, config=str(path))
    for line in decides(known):
        typer.echo(line)
    if not yes:
        typer.confirm("Accept it, exactly as it is now?", abort=True)
    home = home_of(os.environ, Path.cwd(), session.flags_of(context))
    make_home(home)
    state_folder.accept(found, home)
    typer.echo(f"Accepted: {path}")


def decides(settings: Settings) -> Iterator[str]:
    """What to look at before a file is believed: where keys go, who decides, and what runs here."""
    for part in _models(settings):
        key = f" with the key in {part.api_key_env}" if part.api_key_env else ""
        yield f"Model: {part.model}{f' at {part.base_url}' if part.base_url else ''}{key}"
    for spec in platforms():
        if api := settings.platforms[spec.name].api:
            yield f"{spec.title}: {api}"
    yield f"GitHub: {settings.github.api_url}"
    for group, members in settings.groups.items():
        if members:
            yield f"Group {group.value}: {', '.join(sorted(members))}"
    for project in settings.projects:
        gates = project.gates
        commands = (gates.tests, gates.lint, *(extra.command for extra in gates.extra))
        runs = [command for command in (*commands, *(project.environment.setup or ())) if command]
        if gates.environment:
            runs.append(f"(in the environment {gates.environment})")
        yield f"Project {project.name}: {project.path or project.url}{''.join(f'; runs {each}' for each in runs)}"


def _models(settings: Settings) -> Iterator[ModelPart]:
    for role in ROLES:
        part = getattr(settings.models, role)
        yield from (each for each in (part, *part.fallbacks) if each.model)
