"""`overlord roles`: as whom the planner, minions and reviewers work, and where each role is written."""

from typing import Annotated

import typer

from agents.catalog.library import Catalog, load_catalog
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import clean
from agents.domain.workflow.roles import Role
from bot.cli import session

app = typer.Typer(rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OURS = "(comes with Overlord)"


@app.callback(invoke_without_command=True)
def roles(context: typer.Context, json: Json = False) -> None:
    """List roles."""
    if context.invoked_subcommand is None:
        _list(_catalog(context), json)


@app.command("list")
def list_roles(context: typer.Context, json: Json = False) -> None:
    """List roles."""
    _list(_catalog(context), json)


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ROLE", help="Such as implementer.")],
    json: Json = False,
) -> None:
    """Show one role with all that it extends."""
    catalog = _catalog(context)
    role = catalog.roles.get(name)
    if role is None:
        raise OverlordError(f"There is no role {name}", next_step="See `overlord roles list`.")
    if json:
        session.show_json(role)
        return
    typer.echo(clean(f"{role.name}, {role.source or OURS}\n{role.description}\n"))
    for said, value in _told(role, catalog).items():
        if value:
            typer.echo(clean(f"{said}: {value}"))
    if role.additions:
        typer.echo(clean(f"\nIt is told, beside the usual:\n{role.additions}"))


def _told(role: Role, catalog: Catalog) -> dict[str, str]:
    reads = role.context
    return {
        "Extends": role.extends,
        "Works at": _steps(role, catalog),
        "Reads": f"{reads.name}, at most {reads.budget:,} tokens",
        "Reads always": ", ".join(reads.always_include),
        "Never reads": ", ".join(reads.exclude),
        "Tools": ", ".join(role.allowed_tools),
        "Gates": ", ".join(f"{gate.name} (`{gate.command}`, on failure {gate.on_fail})" for gate in role.gates),
        "Strengths": ", ".join(role.strengths),
        "Engine": role.engine if role.allowed_tools else "",
    }


def _list(catalog: Catalog, json: bool) -> None:
    if json:
        workflow = catalog.workflow
        session.show_json(
            {
                "roles": list(catalog.roles.values()),
                "workflow": {"name": workflow.name, "hash": workflow.hash, "steps": workflow.steps},
            }
        )
        return
    rows = [
        (
            role.name,
            role.extends,
            f"{role.context.budget:,}",
            str(len(role.allowed_tools)) if role.allowed_tools else "none",
            _steps(role, catalog) or "no step",
            role.source or OURS,
            role.description,
        )
        for role in catalog.roles.values()
    ]
    session.show_table(
        ("role", "extends", "tokens", "tools", "works at", "of", "what for"), rows, none="There is no role."
    )
    typer.echo(f"\nWorkflow: {catalog.workflow.name}, version {catalog.workflow.version}")


def _steps(role: Role, catalog: Catalog) -> str:
    return ", ".join(step.name for step in catalog.workflow.steps if step.role == role.name)


def _catalog(context: typer.Context) -> Catalog:
    return load_catalog(session.settings_of(context).declared)
