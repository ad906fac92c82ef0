"""`overlord demo`: what the offline model can rehearse, and one of its requests played from words to merge."""

import asyncio
import tempfile
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.models import load_scripts, rehearsed_requests
from agents.domain.decisions.authority import Kind
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, Thread
from agents.domain.reason import Why
from agents.domain.task.task import Task
from agents.workspace.sandbox import sandbox_choice
from bot import app
from bot.cards.reasons import put
from bot.cli import session
from bot.config.platforms import OWN
from bot.config.settings_source import load_settings
from bot.logs import set_up_logs
from bot.messages import Said
from bot.queries import Need, TaskPage
from bot.queries.query_api import QueryApi

PATIENCE = 300.0  # seconds for the whole walk; a busy machine takes ten to load what speaks to models
LOOK = 0.05
TROUBLE = (Kind.STUCK, Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED)
CHANGES = "Keep to what was asked for, and take no right that nobody gave."


def demo(
    list_: Annotated[
        bool, typer.Option("--list", help="Print the requests that can be rehearsed, with their numbers.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="With --list: print JSON, with what each request shows.")
    ] = False,
    number: Annotated[int, typer.Argument(metavar="[NUMBER]", help="Which of them to play.", min=1)] = 1,
) -> None:
    """Play a request on the sample project in a folder of its own, offline and unattended."""
    known = rehearsed_requests(load_scripts())
    if json:
        session.show_json([{"request": request, "shows": shows} for request, shows in known])
    elif list_:
        typer.echo("\n".join(f"{number}  {request}" for number, (request, _) in enumerate(known, 1)))
    elif number > len(known):
        raise OverlordError(f"There are {len(known)} requests", next_step="`overlord demo --list` prints them.")
    else:
        with tempfile.TemporaryDirectory(prefix="overlord-demo-") as home:
            asyncio.run(_play(Path(home), *known[number - 1]))


async def _play(home: Path, request: str, shows: str) -> None:
    given = {
        "OVERLORD_HOME": str(home),
        "OVERLORD_CONSOLE_PORT": "0",
        "OVERLORD_MODELS__PRIMARY": "rehearsal/sample",
    }
    settings = load_settings(given, cwd=home)
    set_up_logs("warning", settings.secrets)
    await sandbox_choice.choose_sandbox(
        settings.sandbox
    )  # without one a minion could only say so, at the end of a long story
    typer.echo(f"A rehearsal of {shows}. No model is asked, nothing leaves this machine, and nothing is kept.\n")
    async with app.running(settings) as program:
        viewer = Account(f"{OWN}:{settings.own_login}")
        typer.echo(f"You: @overlord {request}")
        await program.queries.hear(_said(viewer, settings.own_channel, request))
        ended = await _watch(program.queries, viewer)
    if not ended.delivery.merged_into:
        raise OverlordError(
            f"It ended here: {ended.state}{f', {put(ended.reason)}' if ended.reason else ''}",
            next_step="Every request can be played to its merge: run `overlord doctor`.",
        )
    typer.echo(
        f"\nThe work is merged into {ended.delivery.merged_into} of the sample, as commit {ended.delivery.head[:10]}."
    )


async def _watch(queries: QueryApi, viewer: Account) -> Task:
    """Tell what happens as it happens, and decide what is asked, until the task has ended."""
    told, deadline, stuck = -1, time.monotonic() + PATIENCE, set[str]()
    while time.monotonic() < deadline:
        page = await _page(queries, viewer)
        if page:
            for entry in page.timeline:
                if entry.version > told:
                    typer.echo(f"{entry.by or 'Overlord'}: {entry.words}")
                    told = entry.version
            if page.task.has_ended:
                return page.task
            for need in page.needs[:1]:
                if need.decision.kind in TROUBLE and need.card.title in stuck:
                    raise OverlordError(_why(need), next_step="See what `overlord doctor` says, and try again.")
                stuck |= {need.card.title} if need.decision.kind in TROUBLE else set()
                await _decide(queries, need)
        await asyncio.sleep(LOOK)
    raise OverlordError("The rehearsal did not come to its end in time", next_step="Run `overlord doctor`.")


def _why(need: Need) -> str:
    kept = (Why.KEPT_BRANCH, Why.KEPT_PATCH)
    told = [put(why) for why in need.decision.evidence if isinstance(why, str) or why.code not in kept]
    return " ".join([f"The rehearsal got stuck: {need.card.title}.", *told]).rstrip(".")


async def _page(queries: QueryApi, viewer: Account) -> TaskPage | None:
    tasks = await queries.tasks(viewer, ended=True, limit=1)
    return await queries.page(tasks[0].id, viewer) if tasks else None


async def _decide(queries: QueryApi, need: Need) -> None:
    """Approve where that is possible, else ask for changes: as a person would press it."""
    option = next((o for o in need.decision.options if o.approves), need.decision.options[0])
    framed = textwrap.indent(need.card.fallback, "  │ ", lambda line: True)
    typer.echo(f"\n{framed}\n")
    words = CHANGES if option.needs_words else ""
    await session.send(queries, session.press_for(need.task, need.decision, option.letter, words))


def _said(viewer: Account, channel: str, request: str) -> Said:
    return Said(
        key=f"{viewer}:demo",
        thread=Thread(f"{channel}:demo"),
        channel=channel,
        message="demo",
        by=viewer,
        name=viewer.partition(":")[2],
        text=request,
        mentions_bot=True,
        starts_thread=True,
        at=datetime.now(UTC),
    )
