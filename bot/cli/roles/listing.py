"""`overlord roles list` and `show`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from agents.catalog.library import Catalog, load_catalog
from agents.domain.context.strategy import MEASURES, Strategy
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import clean
from agents.domain.workflow.roles import Base, EngineName, Role
from bot.cli import session
from bot.cli.roles import app
from bot.cli.session import Json

OURS = "(comes with Overlord)"


@session.lists(app)
def list_roles(context: typer.Context, json: Json = False) -> None:
    """List roles."""
    catalog = catalog_of(context)
    workflow = catalog.workflow
    if json:
        steps = {"name": workflow.name, "hash": workflow.hash, "steps": workflow.steps}
        session.show_json({"roles": list(catalog.roles.values()), "workflow": steps})
        return
    headings = ("role", "extends", "tokens", "tools", "works at", "of", "what for")
    rows = [_role_row(role, catalog) for role in catalog.roles.values()]
    session.show_table(headings, rows, none="There is no role.")
    typer.echo(f"\nWorkflow: {workflow.name}, version {workflow.version}")


def _role_row(role: Role, catalog: Catalog) -> tuple[str, ...]:
    tools = str(len(role.allowed_tools)) if role.allowed_tools else "none"
    steps = _steps(role, catalog) or "no step"
    return (
        role.name,
        role.extends,
        f"{role.context.budget:,}",
        tools,
        steps,
        role.source or OURS,
        role.description,
    )


@app.command("show")
def show_role(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ROLE", help="Such as implementer.")],
    json: Json = False,
) -> None:
    """Show one role with all that it extends."""
    catalog = catalog_of(context)
    role = catalog.roles.get(name)
    if role is None:
        raise OverlordError(f"There is no role {name}", next_step="See `overlord roles list`.")
    if json:
        session.show_json(role)
        return
    typer.echo(clean(f"{role.name}, {role.source or OURS}\n{role.description}\n"))
    show_lines(_describe(role, catalog))
    if role.additions:
        typer.echo(clean(f"\nIt is told, beside the usual:\n{role.additions}"))


def _describe(role: Role, catalog: Catalog) -> dict[str, str]:
    reads = role.context
    tools = [f"{tool.name} (`{tool.command}`)" for tool in role.tools]
    config = [
        f"{name}: {', '.join(value) if isinstance(value, tuple) else value}" for name, value in role.config.items()
    ]
    return {
        "Extends": ", which extends ".join(role.lineage),
        "Works at": _steps(role, catalog),
        "Reads": f"{reads.name}, at most {reads.budget:,} tokens",
        "Gathers": ", ".join(_gathers(reads)),
        "Reads always": ", ".join(reads.always_include),
        "Reads where there is room": ", ".join(reads.include),
        "Never reads": ", ".join(reads.exclude),
        "Tools": ", ".join((*role.allowed_tools, *tools)),
        "Gates": ", ".join(f"{gate.name} (`{gate.command}`, on failure {gate.on_fail})" for gate in role.gates),
        "Settings": ", ".join(config),
        "Template": role.template,
        "Strengths": ", ".join(role.strengths),
        "Planners may name it": "" if role.base is not Base.IMPLEMENTER or role.offered else "no",
        "Model": role.model,
        "Engine": role.engine if role.allowed_tools or role.engine is not EngineName.BUILTIN else "",
        "Flags": " ".join(role.flags),
    }


def _gathers(reads: Strategy) -> Iterator[str]:
    """Such as “targets 20 files, git_diff 12,000 characters if git_diff”."""
    for name, most in reads.inputs.items():
        condition = f" if {reads.conditions[name]}" if name in reads.conditions else ""
        yield f"{name} {most:,} {MEASURES[name].counts}{condition}"


def _steps(role: Role, catalog: Catalog) -> str:
    return ", ".join(step.name for step in catalog.workflow.steps if step.role == role.name)


def catalog_of(context: typer.Context) -> Catalog:
    return load_catalog(session.settings_of(context).declared)


def show_lines(lines: dict[str, str]) -> None:
    for label, value in lines.items():
        if value:
            typer.echo(clean(f"{label}: {value}"))
