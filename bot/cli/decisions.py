"""`overlord decisions`: what waits for a person, and deciding it."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from agents.domain.decisions.answering import option_named
from agents.domain.decisions.decision import HOLD, Decision
from agents.domain.decisions.table import rule_of
from agents.domain.errors import OverlordError
from bot.cards.kinds.kind_card import who_may
from bot.cards.kinds.table import label_of, prompt
from bot.cli import session
from bot.config.settings import Settings
from bot.query_api import Need, Portion, QueryApi

app = typer.Typer(rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(metavar="DECISION", help="Its id, or a beginning that only one has.")]
Search = Annotated[str, typer.Option("--search", metavar="WORDS", help="Only those that have these words in them.")]
Page = Annotated[int, typer.Option("--page", min=1, help=f"Which {session.PAGE} of them.")]
DASHES = {"ignore_unknown_options": True, "help_option_names": ["--help"]}  # an id may begin with a dash, also with -h
SHORT = 8  # characters of an id that the list shows; enough to tell decisions apart


class CommandWithId(TyperCommand):
    """Takes what begins with a dash for an id, unless it is -h alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help"] if "-h" in args else args)


@app.callback(invoke_without_command=True)
def decisions(context: typer.Context, json: Json = False, search: Search = "", page: Page = 1) -> None:
    """List open decisions, oldest first."""
    if context.invoked_subcommand is None:
        session.run(_list(session.ready(context), json, search, page))


@app.command("list")
def list_decisions(context: typer.Context, json: Json = False, search: Search = "", page: Page = 1) -> None:
    """List open decisions, oldest first."""
    session.run(_list(session.ready(context), json, search, page))


@app.command(cls=CommandWithId, context_settings=DASHES)
def show(context: typer.Context, decision: Id, json: Json = False) -> None:
    """Show one decision with its choices."""
    session.run(_show(session.ready(context), decision, json))


@app.command(cls=CommandWithId, context_settings=DASHES)
def decide(
    context: typer.Context,
    decision: Id,
    option: Annotated[str, typer.Argument(help="The letter or the name of a choice; `hold` stops its clock.")],
    reason: Annotated[str, typer.Option(help="Words that go with it; some choices need them.")] = "",
) -> None:
    """Decide."""
    session.run(_decide(session.ready(context), decision, option, reason))


async def _list(settings: "Settings", json: bool, search: str, page: int) -> None:
    before = (page - 1) * session.PAGE
    async with session.open_desk(settings) as desk:
        found = await desk.waiting(session.me(), Portion(search=search, skip=before, most=session.PAGE + 1))
    shown = found[: session.PAGE]
    if json:
        session.show_json([{"task": n.task.id, "yours": n.mine, "decision": n.decision} for n in shown])
    else:
        none = "Nothing waits for a person." if page == 1 and not search else "None of what waits is here."
        headings = ("decision", "task", "what", "choices", "until", "yours")
        session.show_table(headings, [_row(need) for need in shown], none=none)
    if len(found) > len(shown):
        session.tell_more(f"These are {before + 1} to {before + len(shown)}", f"--page {page + 1}")


def _row(need: "Need") -> Sequence[str]:
    decision = need.decision
    what = need.card.title if need.mine else decision.question or decision.kind.replace("_", " ")
    mine = "yes" if need.mine else "no"
    return (decision.id[:SHORT], need.task.id, what, _choices(decision), session.local(decision.due), mine)


def _choices(decision: "Decision") -> str:
    return ", ".join(f"{option.letter} {option.label or option.value}" for option in decision.options)


async def _show(settings: "Settings", written: str, json: bool) -> None:
    async with session.open_desk(settings) as desk:
        need = await _one(desk, written)
    task, decision = need.task, need.decision
    if json:
        session.show_json({"task": task.id, "yours": need.mine, "decision": decision})
        return

    typer.echo(need.card.fallback if need.mine else f"{task.id}: {decision.question or decision.kind}")
    typer.echo(f"Decision {decision.id} of {task.id}. It needs {who_may(rule_of(decision))}.")
    rows = [(option.letter, option.label or option.value, prompt(decision, option)) for option in decision.options]
    session.show_table(("letter", "choice", "it asks"), rows, none="It has no choices; reply in words.")


async def _decide(settings: "Settings", written: str, choice: str, reason: str) -> None:
    async with session.open_desk(settings) as desk:
        need = await _one(desk, written)
        task, decision = need.task, need.decision
        letter = _letter(decision, choice, reason)
        heard = await desk.hear(session.press_for(task, decision, letter, reason))
        session.refuse_if_refused(heard)
        after = await desk.page(task.id, session.me())
    still = after.task.decision(decision.id) if after else None
    if heard is None:
        typer.echo("It is stored; what it led to is not known yet. See `overlord decisions`.")
    elif still and still.votes != decision.votes:
        typer.echo(f"Your choice is counted; {decision.id[:SHORT]} still needs another person.")
    elif still and still.held_by:
        typer.echo("Its clock is stopped; it waits for a decision.")
    else:
        state = f" {task.id} is {after.task.state}." if after else ""
        typer.echo(f"Decided: {choice}.{state}")


def _letter(decision: "Decision", choice: str, reason: str) -> str:
    if choice.casefold() in (HOLD, "hold"):
        return HOLD
    found = option_named(decision, choice, label_of)
    if found is None or found[1]:
        raise OverlordError(f"`{choice}` is not one of its choices", next_step=f"Choose one of: {_choices(decision)}.")
    option = found[0]
    if option.needs_words and not reason.strip():
        raise OverlordError(prompt(decision, option).rstrip("."), next_step='Give it with --reason "…".')
    return option.letter


async def _one(desk: "QueryApi", written: str) -> "Need":
    named = await desk.waiting(session.me(), Portion(search=written))
    found = [need for need in named if need.decision.id.startswith(written)]
    if not found:
        raise OverlordError(f"No open decision begins with `{written}`", next_step="See `overlord decisions`.")
    if len(found) > 1:
        raise OverlordError(
            f"{len(found)} decisions begin with `{written}`",
            next_step="Write more of the id; `--json` shows all of it.",
        )
    return found[0]
