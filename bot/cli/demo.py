"""`overlord demo`: what the offline model can rehearse, and one of its requests played from words to merge."""

import asyncio
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.models import load_learning, load_scripts, rehearsed_requests
from agents.domain.decisions.authority import Kind
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, TaskId
from agents.domain.reason import Why
from agents.domain.task.task import Task
from agents.domain.text.sanitize import small_number
from agents.workspace.sandbox import sandbox_choice
from bot import app
from bot.cards.reasons import put
from bot.cli import session
from bot.config.platforms import OWN
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.logs import set_up_logs
from bot.queries import Need, TaskPage
from bot.queries.query_api import QueryApi

PATIENCE = 300.0  # seconds for the whole walk; a busy machine takes ten to load what speaks to models
LOOK = 0.05
TROUBLE = (Kind.STUCK, Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED)
LEARN = "learn"  # in place of a number
CHANGES = "Keep to what was asked for, and take no right that nobody gave."


def demo(
    list_: Annotated[
        bool, typer.Option("--list", help="Print the requests that can be rehearsed, with their numbers.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="With --list: print JSON, with what each request shows.")
    ] = False,
    number: Annotated[
        str, typer.Argument(metavar="[NUMBER]", help="Which of them to play; or `learn`: how something is learnt.")
    ] = "1",
) -> None:
    """Play a request on the sample project in a folder of its own, offline and unattended."""
    known = rehearsed_requests(load_scripts())
    if json:
        session.show_json([{"request": request, "shows": shows} for request, shows in known])
    elif list_:
        typer.echo("\n".join(f"{number}  {request}" for number, (request, _) in enumerate(known, 1)))
    elif number == LEARN:
        with tempfile.TemporaryDirectory(prefix="overlord-demo-") as home:
            asyncio.run(_play_learning(Path(home)))
    elif not (chosen := small_number(number)) or chosen > len(known):
        step = "`overlord demo --list` prints them; `overlord demo learn` shows how something is learnt."
        raise OverlordError(f"There are {len(known)} requests", next_step=step)
    else:
        with tempfile.TemporaryDirectory(prefix="overlord-demo-") as home:
            asyncio.run(_play(Path(home), *known[chosen - 1]))


async def _play_learning(home: Path) -> None:
    """A proposal, the skill that comes of it and a note beside it, a minion that uses both, and a supervisor's wish."""
    first, _, last = (str(script["request"]) for script in load_learning())
    (home / "overlord.yaml").write_text("supervisors:\n  enabled: true\n")
    shows = "how something is learnt: a proposal, a skill from its draft to its use, and what supervisors find"
    settings = await _settings(home, shows)
    async with app.running(settings) as program:
        viewer, queries = Account(f"{OWN}:{settings.own_login}"), program.queries
        await _merged(queries, settings, first, "first")
        await _approve_proposal(queries, viewer)
        typer.echo("\nThe proposal was approved: a skill is drafted, in a thread of its own.")
        _require_merge(await _watch(queries, viewer, after=1))
        ended = await _merged(queries, settings, last, "last", after=2)
        for section in await queries.learning(viewer):
            typer.echo(f"\n{section.name}:")
            for item in section.items:
                typer.echo(f"- {item.title} ({item.state})")
            if not section.items:
                typer.echo(section.none)
    works = ended.work.subtasks
    used = ", ".join(dict.fromkeys(name for work in works for name in work.skills))
    told = ", ".join(dict.fromkeys(name for work in works for name in work.notes))
    typer.echo(f"\nThe last minion used the skill {used or '(none)'}, and was shown the note {told or '(none)'}.")


async def _merged(queries: QueryApi, settings: Settings, request: str, key: str, after: int = 0) -> Task:
    viewer = Account(f"{OWN}:{settings.own_login}")
    typer.echo(f"\nYou: @overlord {request}")
    await queries.hear(session.words_in(settings.own_channel, request, viewer, key))
    return _require_merge(await _watch(queries, viewer, after=after))


async def _approve_proposal(queries: QueryApi, viewer: Account) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = [need for need in await queries.needs(viewer) if need.decision.kind is Kind.PROPOSAL]
        if found:
            await _decide(queries, found[0])
            return
        await asyncio.sleep(LOOK)
    raise OverlordError("Nothing was proposed", next_step="Run `overlord doctor`.")


async def _play(home: Path, request: str, shows: str) -> None:
    settings = await _settings(home, shows)
    async with app.running(settings) as program:
        ended = await _merged(program.queries, settings, request, "demo")
    typer.echo(
        f"\nThe work is merged into {ended.delivery.merged_into} of the sample, as commit {ended.delivery.head[:10]}."
    )


async def _settings(home: Path, shows: str) -> Settings:
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
    typer.echo(f"A rehearsal of {shows}. No model is asked, nothing leaves this machine, and nothing is kept.")
    return settings


def _require_merge(ended: Task) -> Task:
    if not ended.delivery.merged_into:
        raise OverlordError(
            f"It ended here: {ended.state}{f', {put(ended.reason)}' if ended.reason else ''}",
            next_step="Every request can be played to its merge: run `overlord doctor`.",
        )
    return ended


async def _watch(queries: QueryApi, viewer: Account, after: int = 0) -> Task:
    """Tell what happens as it happens, and decide what is asked, until the task has ended. `after`: how many there were
    before it. A proposal is no part of its own work, and is decided on afterwards."""
    told, deadline, stuck = -1, time.monotonic() + PATIENCE, set[str]()
    while time.monotonic() < deadline:
        page = await _page(queries, viewer, after)
        if page:
            for entry in page.timeline:
                if entry.version > told:
                    typer.echo(f"{entry.by or 'Overlord'}: {entry.words}")
                    told = entry.version
            if page.task.has_ended:
                return page.task
            for need in [each for each in page.needs if each.decision.kind is not Kind.PROPOSAL][:1]:
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


async def _page(queries: QueryApi, viewer: Account, after: int) -> TaskPage | None:
    wanted = TaskId(f"T-{after + 1}")
    tasks = await queries.tasks(viewer, ended=True, limit=after + 2)
    return await queries.page(wanted, viewer) if any(task.id == wanted for task in tasks) else None


async def _decide(queries: QueryApi, need: Need) -> None:
    """Approve where that is possible, else ask for changes: as a person would press it."""
    option = next((o for o in need.decision.options if o.approves), need.decision.options[0])
    framed = textwrap.indent(need.card.fallback, "  │ ", lambda line: True)
    typer.echo(f"\n{framed}\n")
    words = CHANGES if option.needs_words else ""
    await session.send(queries, session.press_for(need.task, need.decision, option.letter, words))
