"""`overlord roles check`: all that is wrong with a file of a role, a pack, a context or a workflow."""

from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.library import Declared, load_catalog
from agents.catalog.roles.checking import FileKind, check_file, check_in_project
from agents.catalog.roles.project_roles import CONTEXTS, ROLES
from agents.catalog.yaml import read_body
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import clean
from bot.cli import session
from bot.cli.roles import app
from bot.cli.session import Json


@app.command("check")
def check(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="YAML of a role, a pack, a context or a workflow.")
    ],
    kind: Annotated[FileKind | None, typer.Option("--as", help="What it is; else its folder and content say.")] = None,
    project: Annotated[bool, typer.Option("--project", help="As a project's own file, in its .overlord/.")] = False,
    json: Json = False,
) -> None:
    """Say all that is wrong with files, beside what is declared already."""
    declared = session.settings_of(context).declared or Declared()
    found = {str(file): _faults(file, declared, kind, own=project or ".overlord" in file.parts) for file in files}
    if json:
        session.show_json(found)
    else:
        for file, faults in found.items():
            typer.echo(clean(f"{file}: sound") if not faults else "\n".join(map(clean, faults)))
    if any(found.values()):
        raise typer.Exit(1)


def _faults(file: Path, declared: Declared, kind: FileKind | None, *, own: bool) -> list[str]:
    if not file.is_file():
        raise OverlordError(f"There is no file {file}", next_step="Check the path.")
    body = read_body(file)
    if not own:
        return check_file(str(file), body, declared, kind)
    folder = CONTEXTS if kind is FileKind.CONTEXT or file.parent.name == "contexts" else ROLES
    return check_in_project(f"{folder}/{file.name}", body, load_catalog(declared))
