"""`overlord supervisors`: who looks across finished work, when next, and what each run found and cost."""

from typing import Annotated

import typer

from agents.domain.text.sanitize import one_line
from bot.cli import session
from bot.cli.session import Json
from bot.queries.supervision_queries import RunRow, SupervisionQueries, SupervisorRow

app = typer.Typer(rich_markup_mode=None)
OfProject = Annotated[str, typer.Option("--project", help="Of this project alone.", show_default=False)]
Most = Annotated[int, typer.Option("--last", min=1, max=1000, help="How many runs.")]


@session.lists(app)
@session.with_supervision
async def list_supervisors(queries: SupervisionQueries, project: OfProject = "", json: Json = False) -> None:
    """List supervisors, and how far each is from its next run."""
    session.show_list(
        await queries.supervisors(project),
        json,
        ("supervisor", "project", "next run", "ran", "asks for", "urgency"),
        _supervisor_row,
        none="No project has finished work yet that supervisors look at.",
    )


@app.command()
@session.with_supervision
async def log(queries: SupervisionQueries, project: OfProject = "", last: Most = 50, json: Json = False) -> None:
    """List runs of supervisors, the latest first, with what each found and cost."""
    session.show_list(
        await queries.runs(project, last),
        json,
        ("when", "supervisor", "task", "found", "asked", "noted", "cost"),
        _run_row,
        none="No supervisor has run yet.",
    )


def _supervisor_row(row: SupervisorRow) -> tuple[str, ...]:
    left = f"after {max(1, row.every - row.since)} more subtasks" if row.every else "at the end of a phase"
    when = "off" if not row.enabled else "due" if row.due else left
    return (row.name, row.project, when, str(row.ran), str(row.asks or ""), f"{row.urgency:g}")


def _run_row(row: RunRow) -> tuple[str, ...]:
    found = f"skipped: {row.skipped}" if row.skipped else f"{row.summary}{' (converging)' if row.converging else ''}"
    counts = (str(row.directives or ""), str(row.notes or ""))
    return (session.local(row.at), row.name, row.task, one_line(found, 80), *counts, f"${row.cost:.2f}")
