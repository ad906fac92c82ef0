"""`overlord metrics`: what came of the work of the last days, by role, by engine, by workflow."""

import re
from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from agents.domain.metrics.figures import Metrics
from bot.cards.work.metric_rows import (
    ROLE_HEADINGS,
    WORKFLOW_HEADINGS,
    engines_by_kind,
    of_tasks,
    role_row,
    workflow_row,
)
from bot.cli import session
from bot.cli.session import Json
from bot.queries.query_api import QueryApi

Last = Annotated[str, typer.Option("--last", metavar="TIME", help="How far to look back: 30d, 2w or 12h.")]
_TIME = re.compile(r"([0-9]{1,5})\s*([hdw]?)", re.IGNORECASE)
_DAYS = {"": 1.0, "d": 1.0, "w": 7.0, "h": 1 / 24}
LONGEST = 3_650  # days


@session.with_queries
async def metrics(queries: QueryApi, last: Last = "30d", json: Json = False) -> None:
    """See success, time, cost and retries of roles, engines and workflows."""
    found = await queries.metrics(days_of(last))
    if json:
        session.show_json(found)
        return
    typer.echo(f"From {session.local(found.since)} to {session.local(found.until)}\n")
    _show(found)


def _show(found: Metrics) -> None:
    for what, value in of_tasks(found):
        typer.echo(f"{what}: {value}")
    typer.echo("\nRoles")
    session.show_table(ROLE_HEADINGS, [role_row(each) for each in found.roles], none="Nothing has run.")
    typer.echo("\nEngines by kind of work")
    headings, rows = engines_by_kind(found)
    session.show_table(headings, rows, none="Nothing has run.")
    typer.echo("\nWorkflows")
    session.show_table(
        WORKFLOW_HEADINGS, [workflow_row(each) for each in found.workflows], none="No plan was accepted."
    )


def days_of(written: str) -> float:
    """ "30d" is 30."""
    found = _TIME.fullmatch(written.strip())
    days = int(found[1]) * _DAYS[found[2].lower()] if found else 0.0
    if not 0 < days <= LONGEST:
        raise OverlordError(f"“{written[:40]}” is no time to look back", next_step="Write 30d, 2w or 12h.")
    return days
