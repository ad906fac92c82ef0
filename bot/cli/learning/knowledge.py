"""`overlord knowledge`: what projects have learnt, as it is committed."""

import asyncio
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from agents.domain.knowledge.choosing import search_notes
from agents.domain.knowledge.document import LARGEST, PLACE, Note, Problem, render_note
from agents.domain.knowledge.shelf import MOST, Shelf, read_shelf
from agents.domain.text.redact import Redactor
from agents.domain.text.sanitize import clean
from agents.knowledge.repository_notes import RepositoryNotes
from agents.workspace.files.artefacts import file_name
from agents.workspace.projects import SAMPLE, GitProjects
from bot.cli import session
from bot.cli.session import Json
from bot.config.settings import Settings

app = typer.Typer(rich_markup_mode=None)
OfProject = Annotated[str, typer.Option("--project", help="Of this project alone.", show_default=False)]
HEADINGS = ("note", "status", "title", "project", "last updated by")
Shelves = Mapping[str, Shelf]


@session.lists(app)
def list_notes(context: typer.Context, project: OfProject = "", json: Json = False) -> None:
    """List notes."""
    found = _shelves(session.settings_of(context), project)
    if json:
        session.show_json({"notes": _with_projects(found), "problems": _problems(found)})
        return
    _show_table([(project, note) for project, shelf in found.items() for note in shelf.notes], "There is no note yet.")
    _show_problems(found)


@app.command("show")
def show_note(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NOTE", help="Such as conventions/errors.")],
    project: OfProject = "",
    json: Json = False,
) -> None:
    """Show one note."""
    wanted = name.removeprefix(f"{PLACE}/").removesuffix(".md")
    shelves = _shelves(session.settings_of(context), project).values()
    note = next((note for shelf in shelves if (note := shelf.by_name.get(wanted))), None)
    if note is None:
        raise OverlordError(f"There is no note {clean(name)}", next_step="See `overlord knowledge list`.")
    if json:
        session.show_json(note)
    else:
        typer.echo(render_note(note), nl=False)


@app.command("search")
def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What it is about.")],
    project: OfProject = "",
    json: Json = False,
) -> None:
    """Search notes, as planners and minions do."""
    shelves = _shelves(session.settings_of(context), project)
    found = [(name, note) for name, shelf in shelves.items() for note in search_notes(shelf.notes, " ".join(words))]
    if json:
        session.show_json({"notes": [{"project": name, "note": note} for name, note in found]})
    else:
        _show_table(found, "No note has these words.")


@app.command("check")
def check(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(help="A repository, as it lies on the disk.", show_default=False)
    ] = None,
    project: OfProject = "",
    json: Json = False,
) -> None:
    """Say what is wrong with notes: as committed, or as they lie in a folder before that."""
    settings = session.settings_of(context)
    found = {"": _on_disk(folder, settings)} if folder else _shelves(settings, project)
    wrong = _problems(found)
    if json:
        session.show_json({"notes": sum(len(shelf.notes) for shelf in found.values()), "problems": wrong})
    else:
        count = sum(len(shelf.notes) for shelf in found.values())
        typer.echo(f"{count} note{'s' * (count != 1)} can be read.")
        _show_problems(found)
    if wrong:
        raise typer.Exit(1)


def _show_table(notes: list[tuple[str, Note]], none: str) -> None:
    rows = [(note.name, note.status, note.title, project, note.updated or "a person") for project, note in notes]
    session.show_table(HEADINGS, rows, none=none)


def _with_projects(found: Shelves) -> list[dict[str, object]]:
    return [{"project": project, "note": note} for project, shelf in found.items() for note in shelf.notes]


def _problems(found: Shelves) -> list[dict[str, object]]:
    return [{"project": project, "problem": problem} for project, shelf in found.items() for problem in shelf.problems]


def _show_problems(found: Shelves) -> None:
    for project, shelf in found.items():
        for each in shelf.problems:
            typer.echo(clean(f"\nNot read: {_place(each)}{f' ({project})' if project else ''}: {each.what}."))
            typer.echo(clean(f"- {each.next_step}"))


def _place(problem: Problem) -> str:
    return f"{problem.path}, line {problem.line}" if problem.line else problem.path


def _shelves(settings: Settings, project: str) -> Shelves:
    """By project, as committed on the branch that it is at."""
    places = {each.name: each.path or _clone(settings, each.name) for each in settings.projects}
    places = places or {SAMPLE: settings.home / SAMPLE}
    if project and project not in places:
        raise OverlordError(f"There is no project {project}", next_step="Name it in overlord.yaml, or leave --project.")
    wanted = {name: path for name, path in places.items() if project in ("", name) and path.exists()}
    return asyncio.run(_read(wanted, settings))


async def _read(places: Mapping[str, Path], settings: Settings) -> Shelves:
    projects = GitProjects(places)
    notes = RepositoryNotes(projects.branch_tip, projects.knowledge_files, Redactor(settings.secrets), len)
    return {name: await notes.shelf(name) for name in places}


def _clone(settings: Settings, project: str) -> Path:
    """What the bot last fetched of a project that is on GitHub."""
    return settings.home / "clones" / f"{file_name(project)}.git"


def _on_disk(folder: Path, settings: Settings) -> Shelf:
    top = folder / PLACE
    if not top.is_dir():
        step = f"Notes lie in {PLACE}; docs/knowledge.md of Overlord describes them."
        raise OverlordError(f"There is no folder {top}", next_step=step)
    files = dict[str, bytes | None]()
    for place, _, names in os.walk(top):
        for name in names[: MOST + 2]:
            path = Path(place, name)
            files[path.relative_to(folder).as_posix()] = _content(path)
    return read_shelf(files, Redactor(settings.secrets))


def _content(path: Path) -> bytes | None:
    if not stat.S_ISREG(path.lstat().st_mode):
        return None
    with path.open("rb") as file:
        return file.read(LARGEST + 1)
