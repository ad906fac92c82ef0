"""`overlord decisions` and `overlord proposals`: what waits for a person, and deciding it."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from agents.domain.decisions.answering import option_named
from agents.domain.decisions.decision import HOLD, LATER, Decision
from agents.domain.decisions.subject import OfProposal
from agents.domain.decisions.table import rule_of
from agents.domain.errors import OverlordError
from agents.domain.learning.proposal import Listed
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean
from bot.cards.kinds import label_of, prompt
from bot.cards.kinds.kind_card import who_may
from bot.cards.kinds.learning.proposal import listed_card
from bot.cli import session
from bot.cli.session import Json, Search
from bot.cli.tasks import read_first
from bot.queries import Need, Portion
from bot.queries.query_api import QueryApi

decisions = typer.Typer(rich_markup_mode=None)
proposals = typer.Typer(rich_markup_mode=None)
T = TypeVar("T")
_BEGINNING = "Its id, or a beginning that only one has."
DecisionId = Annotated[str, typer.Argument(metavar="DECISION", help=_BEGINNING)]
ProposalId = Annotated[str, typer.Argument(metavar="PROPOSAL", help=_BEGINNING)]
Page = Annotated[int, typer.Option("--page", min=1, help=f"Which {session.PAGE} of them.")]
DASHES = {"ignore_unknown_options": True, "help_option_names": ["--help"]}  # an id may begin with a dash, also with -h
SHORT = 8  # characters of an id that the list shows; enough to tell decisions apart


class CommandWithId(TyperCommand):
    """Takes what begins with a dash for an id, unless it is -h alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help"] if "-h" in args else args)


@session.lists(decisions)
@session.with_queries
async def list_decisions(queries: QueryApi, json: Json = False, search: Search = "", page: Page = 1) -> None:
    """List open decisions, oldest first."""
    before = (page - 1) * session.PAGE
    found = await queries.waiting(session.me(), Portion(search=search, skip=before, most=session.PAGE + 1))
    shown = found[: session.PAGE]
    if json:
        session.show_json([_as_json(need) for need in shown])
    else:
        none = "Nothing waits for a person." if page == 1 and not search else "None of what waits is here."
        headings = ("decision", "task", "what", "choices", "until", "yours")
        session.show_table(headings, [_decision_row(need) for need in shown], none=none)
    if len(found) > len(shown):
        session.tell_more(f"These are {before + 1} to {before + len(shown)}", f"--page {page + 1}")


@decisions.command("show", cls=CommandWithId, context_settings=DASHES)
@session.with_queries
async def show_decision(queries: QueryApi, decision: DecisionId, json: Json = False) -> None:
    """Show one decision with its choices."""
    need = await _find_decision(queries, decision)
    if json:
        session.show_json(_as_json(need))
        return
    task, found = need.task, need.decision
    typer.echo(need.card.fallback if need.mine else f"{task.id}: {found.wording or found.kind}")
    if need.card.files:
        typer.echo(read_first(need).strip())
    typer.echo(f"Decision {found.id} of {task.id}. It needs {who_may(rule_of(found))}.")
    rows = [(option.letter, option.label or option.value, prompt(found, option)) for option in found.options]
    session.show_table(("letter", "choice", "it asks"), rows, none="It has no choices; reply in words.")


_CHOICE = "The letter or the name of a choice; `hold` stops its clock, `later` takes it out of your list."


@decisions.command(cls=CommandWithId, context_settings=DASHES)
@session.with_queries
async def decide(
    queries: QueryApi,
    decision: DecisionId,
    option: Annotated[str, typer.Argument(help=_CHOICE)],
    reason: Annotated[str, typer.Option(help="Words that go with it; some choices need them.")] = "",
) -> None:
    """Decide."""
    need = await _find_decision(queries, decision)
    task, found = need.task, need.decision
    letter = _letter(found, option, reason)
    heard = await session.send(queries, session.press_for(task, found, letter, reason))
    after = await queries.page(task.id, session.me())
    still = after.task.decision(found.id) if after else None
    if heard is None:
        typer.echo("It is stored; what it led to is not known yet. See `overlord decisions`.")
    elif letter == LATER:
        typer.echo(f"{found.id[:SHORT]} is out of your list until the next reminder. Nothing else changed.")
    elif still and still.votes != found.votes:
        typer.echo(f"Your choice is counted; {found.id[:SHORT]} still needs another person.")
    elif still and still.held_by:
        typer.echo("Its clock is stopped; it waits for a decision.")
    else:
        state = f" {task.id} is {after.task.state}." if after else ""
        typer.echo(f"Decided: {option}.{state}")


def _as_json(need: Need) -> dict[str, object]:
    return {"task": need.task.id, "yours": need.mine, "decision": need.decision}


def _decision_row(need: Need) -> Sequence[str]:
    decision = need.decision
    what = need.card.title if need.mine else decision.question or decision.kind.replace("_", " ")
    mine = "yes" if need.mine else "no"
    return (decision.id[:SHORT], need.task.id, what, _choices(decision), session.local(decision.due), mine)


def _choices(decision: Decision) -> str:
    return ", ".join(f"{option.letter} {option.label or option.value}" for option in decision.options)


def _letter(decision: Decision, choice: str, reason: str) -> str:
    if choice.casefold() in (HOLD, "hold"):
        return HOLD
    if choice.casefold() == "later":
        return LATER
    found = option_named(decision, choice, label_of)
    if found is None or found[1]:
        raise OverlordError(f"`{choice}` is not one of its choices", next_step=f"Choose one of: {_choices(decision)}.")
    option = found[0]
    if option.needs_words and not reason.strip():
        raise OverlordError(prompt(decision, option).rstrip("."), next_step='Give it with --reason "…".')
    return option.letter


async def _find_decision(queries: QueryApi, written: str) -> Need:
    named = await queries.waiting(session.me(), Portion(search=written))
    found = [need for need in named if need.decision.id.startswith(written)]
    return _only(found, "decisions", f"No open decision begins with `{written}`", written)


@session.lists(proposals)
@session.with_queries
async def list_proposals(
    queries: QueryApi,
    all: Annotated[bool, typer.Option("--all", help="Also those that were decided on.")] = False,
    json: Json = False,
) -> None:
    """List proposals that wait for a person, oldest first."""
    found = await queries.proposals(session.me(), pending=not all)
    headings = ("proposal", "status", "type", "impact", "risk", "of", "title")
    session.show_list(found, json, headings, _proposal_row, none="No proposal waits for a person.")


@proposals.command("show", cls=CommandWithId, context_settings=DASHES)
@session.with_queries
async def show_proposal(queries: QueryApi, proposal: ProposalId, json: Json = False) -> None:
    """Show one proposal with its evidence."""
    listed = await _find_proposal(queries, proposal, pending=False)
    if json:
        session.show_json(listed)
    else:
        typer.echo(clean(listed_card(listed).fallback))


@proposals.command(cls=CommandWithId, context_settings=DASHES)
@session.with_queries
async def approve(queries: QueryApi, proposal: ProposalId) -> None:
    """Approve one: it becomes a task of its own."""
    title = await _decide_proposal(queries, proposal, "approve", "")
    typer.echo(f"Approved: {title}. It becomes a task of its own while `overlord up` runs.")


@proposals.command(cls=CommandWithId, context_settings=DASHES)
@session.with_queries
async def reject(
    queries: QueryApi, proposal: ProposalId, reason: Annotated[str, typer.Option(help="Why; it is kept.")] = ""
) -> None:
    """Reject one: nothing like it is proposed again."""
    choice = "reject_because" if reason.strip() else "reject"
    title = await _decide_proposal(queries, proposal, choice, reason)
    typer.echo(f"Rejected: {title}.")


def _proposal_row(listed: Listed) -> Sequence[str]:
    p = listed.proposal
    return (p.id[:SHORT], p.status, p.type, p.estimated_impact, p.risk, listed.task, p.title)


async def _decide_proposal(queries: QueryApi, written: str, choice: str, reason: str) -> str:
    """As every other decision is made: what was shown must still be what is decided on."""
    listed = await _find_proposal(queries, written, pending=True)
    task, decision = await _open_decision(queries, listed)
    letter = next(option.letter for option in decision.options if option.value == choice)
    await session.send(queries, session.press_for(task, decision, letter, reason))
    return listed.proposal.title


async def _open_decision(queries: QueryApi, listed: Listed) -> tuple[Task, Decision]:
    page = await queries.page(listed.task, session.me())
    for decision in page.task.open if page else ():
        if page and isinstance(decision.subject, OfProposal) and decision.subject.proposal == listed.proposal.id:
            return page.task, decision
    raise OverlordError("Somebody decided on it just now", next_step="See `overlord proposals list --all`.")


async def _find_proposal(queries: QueryApi, written: str, *, pending: bool) -> Listed:
    listed = await queries.proposals(session.me(), pending=pending)
    found = [each for each in listed if each.proposal.id.startswith(written)]
    return _only(found, "proposals", f"No such proposal begins with `{written}`", written)


def _only(found: Sequence[T], what: str, none: str, written: str) -> T:
    if not found:
        raise OverlordError(none, next_step=f"See `overlord {what}`.")
    if len(found) > 1:
        step = "Write more of the id; `--json` shows all of it."
        raise OverlordError(f"{len(found)} {what} begin with `{written}`", next_step=step)
    return found[0]
