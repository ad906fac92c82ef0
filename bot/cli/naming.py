"""`overlord projects`, `overlord models` and `overlord init`: what is named in the settings, without a restart."""

import asyncio
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.yaml import Value
from agents.domain.checks.evaluation import ExtraGate, GateCommands
from agents.domain.errors import OverlordError
from agents.domain.models.routing import ROLES
from agents.workspace.git.repository_states import find_obstacle
from bot import app
from bot.cli import session
from bot.cli.found import describe_folder, offers_in
from bot.cli.ground_check import NOT_DONE, check_grounds
from bot.cli.roles.packs_offered import offer_packs
from bot.cli.session import Json
from bot.config.changes import AddPacks, AddProject, Change, RemoveProject, SetModel
from bot.config.overlord import Project
from bot.config.settings import Named, Settings
from bot.config.settings_source import SettingsSource
from bot.config.state_folder import is_running
from bot.doctor_check import State

projects = typer.Typer(rich_markup_mode=None)
models = typer.Typer(rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and dashes.")]


def named_in(context: typer.Context) -> Named:
    named = Named()
    named.fill(session.settings_of(context))
    return named


@session.lists(projects)
def list_projects(context: typer.Context, json: Json = False) -> None:
    """List the projects that are named."""
    found = [dict(zip(("name", "place", "channel"), each, strict=True)) for each in named_in(context).projects]
    none = "No project is named, so the sample is the project. Add yours: overlord init in its folder."
    session.show_list(found, json, ("name", "place", "channel"), lambda each: tuple(each.values()), none=none)


@projects.command("add")
def add_project(
    context: typer.Context,
    name: Name,
    place: Annotated[str, typer.Argument(metavar="PATH|URL", help="A git repository here, or its address.")],
    channel: Annotated[str, typer.Option(help="Requests made there are for it, such as console:shop.")] = "",
) -> None:
    """Name a project. A program that runs takes it over at once."""
    carry_out(context, AddProject(project=name, place=whole_path(place), channel=channel))


@projects.command("remove")
def remove_project(context: typer.Context, name: Name) -> None:
    """Take a project out of the settings; its repository and its history stay."""
    carry_out(context, RemoveProject(project=name))


@session.lists(models)
def list_models(context: typer.Context, json: Json = False) -> None:
    """List the models that are named."""
    found = [dict(zip(("role", "model"), each, strict=True)) for each in named_in(context).models]
    none = f"No model is named; what is found serves. `overlord doctor` says which. Roles: {', '.join(ROLES)}."
    session.show_list(found, json, ("role", "model"), lambda each: tuple(each.values()), none=none)


@models.command("set")
def set_model(
    context: typer.Context,
    role: Annotated[str, typer.Argument(metavar="ROLE", help=f"One of {', '.join(ROLES)}.")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="litellm's name of it.")],
) -> None:
    """Name the model for a role. A program that runs takes it over at once."""
    carry_out(context, SetModel(role=role, model=model))


@models.command("remove")
def remove_model(
    context: typer.Context, role: Annotated[str, typer.Argument(metavar="ROLE", help=f"One of {', '.join(ROLES)}.")]
) -> None:
    """Name no model for a role any more."""
    carry_out(context, SetModel(role=role))


def init(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="A git repository; else where you stand.")] = ".",
    name: Annotated[str, typer.Option(help="What to call it.", show_default="the folder's name")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Set-up still needs a person's leave.")] = False,
    checks: Annotated[bool, typer.Option(help="Run its checks, to see which fail before any change.")] = True,
    pack: Annotated[list[str] | None, typer.Option(help="Switch on a pack of roles, such as web.")] = None,
) -> None:
    """Look at a folder, show what was found, propose packs of roles, and name it as a project."""
    path = Path(whole_path(folder))
    if found := asyncio.run(find_obstacle(path)):
        raise OverlordError(found.what, next_step=found.step)
    called = name or re.sub(r"[^a-z0-9]+", "-", path.name.lower()).strip("-") or "project"
    for label, value in asyncio.run(describe_folder(path)):
        typer.echo(f"{label + ':':<11}{value}")
    known = session.settings_of(context)
    packs = offer_packs(path, known.home, known.packs, pack or (), asks=not yes)
    extra = _ask_for_checks(path, asks=not yes)
    if not yes:
        called = typer.prompt("Name", default=called)
    if checks:
        gates = GateCommands(extra=tuple(ExtraGate(name=each["name"], command=each["command"]) for each in extra))
        show_ground(known, Project(name=called, path=path, gates=gates), asks=not yes)
    more: dict[str, Value] = {"gates": {"extra": [dict(each) for each in extra]}} if extra else {}
    if not yes:
        typer.confirm(f"Name {path} as the project {called}?", default=True, abort=True)
    if packs:
        carry_out(context, AddPacks(packs=packs), said=f"init {path}: packs {' '.join(packs)}")
    carry_out(context, AddProject(project=called, place=str(path), more=more), said=f"init {path}")


def _ask_for_checks(path: Path, *, asks: bool) -> list[dict[str, str]]:
    """Those that its settings and its CI name, and that a person wants to pass from now on."""
    extra = list[dict[str, str]]()
    for offer in asyncio.run(offers_in(path)):
        typer.echo(f"{'Check:':<11}{offer.command} ({offer.found_in}): nothing runs it yet")
        if asks and typer.confirm("Must it pass from now on?", default=False):
            extra.append({"name": offer.check.replace("_", "-"), "command": offer.command})
    return extra


def show_ground(settings: Settings, project: Project, *, asks: bool) -> None:
    """What its checks say before any change. What they need is installed only if a person says yes to the commands."""
    if asks and not typer.confirm("Run its checks now, to see which fail before any change?", default=True):
        return
    for check in check_grounds(replace(settings, projects=(project,)), set_up=asks):
        if check.seen.startswith(NOT_DONE):  # the commands are shown already
            typer.echo(f"{'Checks:':<11}not run, for it is not set up yet. {check.next_step}")
            continue
        label = "Baseline" if check.name.startswith("checks") else "Set-up"
        step = f". {check.next_step}" if check.next_step and check.state is not State.OK else ""
        typer.echo(f"{label + ':':<11}{check.seen}{step}")


def whole_path(written: str) -> str:
    """Of a folder, wherever it is named from; an address stays as it is."""
    if "://" in written or written.startswith("git@"):
        return written
    return os.path.normpath(Path.cwd() / Path(written).expanduser())


def carry_out(context: typer.Context, change: Change, said: str = "") -> None:
    settings = session.ready(context)
    source = SettingsSource(environ=dict(os.environ), cwd=Path.cwd(), flags=session.flags_of(context))
    words = said or " ".join(context.command_path.split()[1:] + [str(each) for each in context.params.values() if each])

    async def work() -> None:
        async with app.open_acts(settings) as acts:
            told, key = await acts.change(source, change, words, session.me())
            runs = is_running(settings.home)
            typer.echo((await acts.outcome_of(key) if runs else "") or told)
            if not runs:
                typer.echo("Overlord does not run here; it is read at the next start.")

    asyncio.run(work())


def reload(context: typer.Context) -> None:
    """Have the program that runs read its settings again; errors leave those in force."""
    settings = session.ready(context)

    async def work() -> None:
        async with app.open_acts(settings) as acts:
            told = await acts.reload(session.me()) if is_running(settings.home) else ""
            typer.echo(told or "Overlord does not run here, or did not answer; they are read at the next start.")

    asyncio.run(work())


def history(context: typer.Context, json: Json = False) -> None:
    """List who changed projects, people and models, and what became of it."""
    settings = session.ready(context)

    async def work() -> None:
        async with app.open_acts(settings) as acts:
            found = [
                {"when": f"{act.at:%Y-%m-%d %H:%M}", "who": act.actor, "what": act.words, "state": act.state.value,
                 "outcome": act.outcome}
                for act in await acts.latest(session.PAGE)
            ]  # fmt: skip
        headings = ("when", "who", "what", "state", "outcome")
        session.show_list(found, json, headings, lambda each: tuple(each.values()), none="Nobody changed anything yet.")

    asyncio.run(work())
