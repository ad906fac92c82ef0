"""`overlord engines`: which programs minions may run on, installing one, and trying it."""

import asyncio
from typing import Annotated

import typer

from agents.catalog.models import PROGRAMS
from agents.catalog.validation import did_you_mean
from agents.domain.errors import OverlordError
from agents.domain.workflow.roles import EngineName
from agents.workspace.programs.installing import install
from bot.cli import session
from bot.cli.engines.engine_check import Here, check_engines, look, programs_of
from bot.cli.session import Json
from bot.doctor_check import State
from bot.queries.metrics_queries import EngineChoice
from bot.queries.query_api import QueryApi

app = typer.Typer(rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="ENGINE", help="claude, codex or gemini.")]


@session.lists(app)
def list_engines(context: typer.Context, json: Json = False) -> None:
    """List engines, their versions and the models that they ask."""
    found = look(session.settings_of(context))
    if json:
        session.show_json([_as_json(here) for here in found])
        return
    rows = [("builtin", "comes with Overlord", "the model of the role", "all others", ""), *map(_row, found)]
    session.show_table(("engine", "version", "asks", "roles", "to do"), rows, none="There is no engine.")
    typer.echo("\nA role names its engine: `engine: claude` under `roles:` in overlord.yaml (docs/engines.md).")


def _row(here: Here) -> tuple[str, ...]:
    version = here.program.version if here.program else "not installed"
    model = ", ".join(each.name for each in here.models) or "no model: its provider's key is not set"
    return (here.engine, version, model, here.role_names or "none", here.next_step)


def _as_json(here: Here) -> dict[str, object]:
    return {
        "engine": here.engine,
        "version": here.program.version if here.program else None,
        "path": here.program.argv[-1] if here.program else None,
        "model": here.model.name if here.model else None,
        "roles": list(here.roles),
        "problem": here.problem,
    }


@app.command("install")
def install_engine(context: typer.Context, name: Name) -> None:
    """Install one from the npm registry: the version that this Overlord was tried with, compared by its hash."""
    engine = _named(name)
    programs = programs_of(session.settings_of(context))
    typer.echo(f"Installing {engine} into {programs.folder(engine)}; it is some 100 to 450 MB …")
    path = asyncio.run(install(programs, engine))
    typer.echo(f"{engine} {programs.find(engine).version} is at {path}. `overlord engines check {engine}` tries it.")


@app.command("check")
def check_engine(context: typer.Context, name: Name = "") -> None:
    """Ask each that is here for one word, through the gateway and in the sandbox; it costs a little."""
    wanted = _named(name) if name else None
    checks = list(check_engines(session.settings_of(context), offline=False, only=wanted))
    session.show_table(("", "engine", "seen"), [(c.state.value, c.name, c.seen) for c in checks], none="")
    for check in checks:
        if check.next_step:
            typer.echo(f"\n{check.name}: {check.next_step}")
    if any(check.state is State.FAIL for check in checks):
        raise typer.Exit(1)


@app.command("choices")
@session.with_queries
async def list_choices(queries: QueryApi, json: Json = False) -> None:
    """List roles that were given another engine by success, and those where a person took that back."""
    session.show_list(
        await queries.engine_choices(),
        json,
        ("role", "written", "runs on", "since", "why"),
        _choice_row,
        none="No engine was chosen by success. `adaptive: {enabled: true}` in overlord.yaml lets it be.",
    )


@app.command("undo")
@session.with_queries
async def undo_choice(
    queries: QueryApi, role: Annotated[str, typer.Argument(metavar="ROLE", help="As `choices` lists it.")]
) -> None:
    """Take back the engine that was chosen for a role; it keeps the one that is written."""
    await _say(queries, f"engines undo {role}")


@app.command("adapt")
@session.with_queries
async def adapt_role(
    queries: QueryApi, role: Annotated[str, typer.Argument(metavar="ROLE", help="As `choices` lists it.")]
) -> None:
    """Let the engine of a role be chosen by success again."""
    await _say(queries, f"engines adapt {role}")


async def _say(queries: QueryApi, words: str) -> None:
    heard = await session.send(queries, session.words_alone(words))
    said = heard.words if heard else ""
    typer.echo(said or "It is said; `overlord engines choices` shows what came of it.")


def _choice_row(each: EngineChoice) -> tuple[str, ...]:
    written = each.written or "(gone)"
    return (each.role, written, written if each.undone else each.engine, session.local(each.at), each.why)


def _named(name: str) -> EngineName:
    if name not in PROGRAMS:
        meant = did_you_mean(name, PROGRAMS)
        step = f"{meant} " if meant else ""
        raise OverlordError(
            f"There is no engine {name} that is a program", next_step=f"{step}Write {', '.join(PROGRAMS)}."
        )
    return EngineName(name)
