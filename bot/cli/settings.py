"""`overlord settings`: which settings file is read and which is not, and how to accept one."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.models import ModelPart
from agents.domain.errors import SettingsProblem
from agents.domain.models.routing import ROLES
from bot.cli import session
from bot.config import settings_file
from bot.config.platforms import platforms
from bot.config.settings import Settings
from bot.config.state_folder import home_of, make_home

app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def settings(context: typer.Context) -> None:
    """Say which settings file is read, and which is not."""
    if context.invoked_subcommand is None:
        known = session.settings_of(context)
        typer.echo(f"Read: {known.config or 'no file; defaults and environment'}")
        for problem in known.left:
            typer.echo(f"Not read: {problem}")


@app.command("accept")
def accept(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The settings file.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Read this settings file from now on where it is found, as it is now; once it changes, accept it again."""
    path = Path(file).expanduser().absolute()
    if settings_file.is_strangers(path):
        step = f"If it is yours, name it at each start: overlord --config {file} up"
        raise SettingsProblem(f"{path} is tracked by git, so it is never read by itself", next_step=step)
    found = settings_file.read_settings(path)
    known = session.settings_of(context, config=str(path))
    for line in decides(known):
        typer.echo(line)
    if not yes:
        typer.confirm("Accept it, exactly as it is now?", abort=True)
    home = home_of(os.environ, Path.cwd(), session.flags_of(context))
    make_home(home)
    settings_file.accept(found, home)
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
        runs = [command for command in commands if command]
        if gates.environment:
            runs.append(f"(in the environment {gates.environment})")
        yield f"Project {project.name}: {project.path or project.url}{''.join(f'; runs {each}' for each in runs)}"


def _models(settings: Settings) -> Iterator[ModelPart]:
    for role in ROLES:
        part = getattr(settings.models, role)
        yield from (each for each in (part, *part.fallbacks) if each.model)
