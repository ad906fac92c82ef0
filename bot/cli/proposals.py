"""`overlord proposals`: what the system suggests, and approving or rejecting it."""

from collections.abc import Sequence
from typing import Annotated

import typer

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfProposal
from agents.domain.errors import OverlordError
from agents.domain.learning.proposal import Listed
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean
from bot.cards.kinds.proposals import listed_card
from bot.cli import session
from bot.cli.decisions import DASHES, SHORT, CommandWithId, Json
from bot.config.settings import Settings
from bot.query_api import QueryApi

app = typer.Typer(rich_markup_mode=None)
All = Annotated[bool, typer.Option("--all", help="Also those that were decided on.")]
Id = Annotated[str, typer.Argument(metavar="PROPOSAL", help="Its id, or a beginning that only one has.")]


@app.callback(invoke_without_command=True)
def proposals(context: typer.Context, all: All = False, json: Json = False) -> None:
    """List proposals that wait for a person, oldest first."""
    if context.invoked_subcommand is None:
        session.run(_list(session.ready(context), all, json))


@app.command("list")
def list_proposals(context: typer.Context, all: All = False, json: Json = False) -> None:
    """List proposals that wait for a person, oldest first."""
    session.run(_list(session.ready(context), all, json))


@app.command(cls=CommandWithId, context_settings=DASHES)
def show(context: typer.Context, proposal: Id, json: Json = False) -> None:
    """Show one proposal with its evidence."""
    session.run(_show(session.ready(context), proposal, json))


@app.command(cls=CommandWithId, context_settings=DASHES)
def approve(context: typer.Context, proposal: Id) -> None:
    """Approve one: it becomes a task of its own."""
    title = session.run(_decide(session.ready(context), proposal, "approve", ""))
    typer.echo(f"Approved: {title}. It becomes a task of its own while `overlord up` runs.")


@app.command(cls=CommandWithId, context_settings=DASHES)
def reject(
    context: typer.Context,
    proposal: Id,
    reason: Annotated[str, typer.Option(help="Why; it is kept.")] = "",
) -> None:
    """Reject one: nothing like it is proposed again."""
    choice = "reject_because" if reason.strip() else "reject"
    title = session.run(_decide(session.ready(context), proposal, choice, reason))
    typer.echo(f"Rejected: {title}.")


async def _list(settings: "Settings", all: bool, json: bool) -> None:
    async with session.open_desk(settings) as desk:
        found = await desk.proposals(session.me(), pending=not all)
    if json:
        session.show_json(found)
        return
    headings = ("proposal", "status", "type", "impact", "risk", "of", "title")
    session.show_table(headings, [_row(each) for each in found], none="No proposal waits for a person.")


def _row(listed: "Listed") -> Sequence[str]:
    p = listed.proposal
    return (p.id[:SHORT], p.status, p.type, p.estimated_impact, p.risk, listed.task, p.title)


async def _show(settings: "Settings", written: str, json: bool) -> None:
    async with session.open_desk(settings) as desk:
        listed = _one(await desk.proposals(session.me(), pending=False), written)
    if json:
        session.show_json(listed)
        return

    typer.echo(clean(listed_card(listed).fallback))


async def _decide(settings: "Settings", written: str, choice: str, reason: str) -> str:
    """By the same door as every other decision; what was shown must still be what is decided on."""
    async with session.open_desk(settings) as desk:
        listed = _one(await desk.proposals(session.me(), pending=True), written)
        task, decision = await _open_decision(desk, listed)
        letter = next(option.letter for option in decision.options if option.value == choice)
        session.refuse_if_refused(await desk.hear(session.press_for(task, decision, letter, reason)))
    return listed.proposal.title


async def _open_decision(desk: "QueryApi", listed: "Listed") -> "tuple[Task, Decision]":
    page = await desk.page(listed.task, session.me())
    for decision in page.task.open if page else ():
        if page and isinstance(decision.subject, OfProposal) and decision.subject.proposal == listed.proposal.id:
            return page.task, decision
    raise OverlordError("Somebody decided on it just now", next_step="See `overlord proposals list --all`.")


def _one(found: "Sequence[Listed]", written: str) -> "Listed":
    matching = [each for each in found if each.proposal.id.startswith(written)]
    if not matching:
        raise OverlordError(f"No such proposal begins with `{written}`", next_step="See `overlord proposals`.")
    if len(matching) > 1:
        raise OverlordError(
            f"{len(matching)} proposals begin with `{written}`",
            next_step="Write more of the id; `--json` shows all of it.",
        )
    return matching[0]
