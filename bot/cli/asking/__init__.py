"""`overlord ask` and `overlord tasks start`: a question to be answered, and a change, in words or as a feature file."""

import asyncio
import re
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.forms.feature_files import read_feature
from agents.catalog.yaml import read_body
from agents.domain.asking.facts import Inquiry
from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.domain.task.task import Task, TaskState
from bot import app
from bot.cards.asking.answers import in_code
from bot.cli import session
from bot.config.settings import Settings
from bot.queries import TaskPage
from bot.queries.query_api import QueryApi

LOOK = 0.3  # seconds between two looks
QUIET = 20  # looks after which it is said that nothing happens
Words = Annotated[list[str], typer.Argument(help="The words; quotation marks are not needed.")]


def ask(context: typer.Context, question: Words) -> None:
    """Ask something about the code. It is answered by reading; nothing is changed."""
    asyncio.run(_ask(session.ready(context), " ".join(question)))


def start(
    context: typer.Context,
    request: Annotated[list[str] | None, typer.Argument(help="The words; a feature file needs none.")] = None,
    role: Annotated[str, typer.Option(help="Who works on it, in place of the usual role.")] = "",
    plan: Annotated[Path | None, typer.Option(metavar="FILE", help="A feature file (YAML) that is the plan.")] = None,
) -> None:
    """Ask for a change, as in the console's own channel."""
    body, words = read_body(plan) if plan else b"", " ".join(request or ())
    if plan:
        goal = read_feature(str(plan), body).plan.goal  # whatever is wrong with it is told before anything is sent
        words = words or goal
    elif not words:
        raise typer.BadParameter("say what you want, or name a feature file with --plan", param_hint="REQUEST")
    words += f" role={role}" if role else ""
    asyncio.run(_start(session.ready(context), words, body.decode("utf-8-sig")))


async def _ask(settings: Settings, question: str) -> None:
    async with app.open_queries(settings) as queries:
        id = await _open(queries, settings, f"ask: {question}")
        found = await _watch(queries, id)
        bill = (await session.page_of(queries, id)).spent
    typer.echo(f"\n{found.answer}")
    if found.evidence:
        typer.echo("\n" + "\n".join(in_code(place) for place in found.evidence))
    if found.invented:
        typer.echo(f"(Left out: {found.invented} that the answer names and that are not there.)")
    typer.echo(f'\nCost: ${bill:.2f}. Ask on: overlord tasks say {id} "…"')


async def _start(settings: Settings, request: str, plan: str) -> None:
    async with app.open_queries(settings) as queries:
        id = await _open(queries, settings, f"task: {request}", plan)
    typer.echo(f"{id} is begun. Follow it with `overlord tasks show {id}`.")


async def _open(queries: QueryApi, settings: Settings, words: str, plan: str = "") -> TaskId:
    heard = await session.send(queries, session.words_in(settings.own_channel, words, plan=plan))
    opened = re.search(r"opened (T-\d+)", heard.words if heard else "")
    if opened is None:
        what = f"It was not taken: {heard.words if heard else 'nothing is known of it yet'}"
        raise OverlordError(what, next_step="See `overlord tasks`.")
    return TaskId(opened[1])


async def _watch(queries: QueryApi, id: TaskId) -> Inquiry:
    """Tell what is looked at as it is, until there is an answer or a person is needed."""
    told, quiet = 0, 0
    while True:
        page, looked = await session.page_of(queries, id), await queries.looked_at(id)
        for doing in looked[told:]:
            typer.echo(f"… {doing}", err=True)
        quiet = 0 if len(looked) > told else quiet + 1
        told = len(looked)
        if (asked := page.task.talk.on(1)) and asked.answer:
            return asked
        _refuse_if_over(page)
        if quiet == QUIET:
            typer.echo(f"Nothing happens yet. {id} is answered while `overlord up` runs; Ctrl-C leaves it.", err=True)
        await asyncio.sleep(LOOK)


def _refuse_if_over(page: TaskPage) -> None:
    """What a person must see to first is said whole."""
    task: Task = page.task
    if page.needs:
        need = page.needs[0]
        raise OverlordError(
            f"It cannot be answered yet.\n{need.card.fallback}", next_step=f"Decide it: overlord decisions ({task.id})."
        )
    if task.has_ended or task.state is TaskState.BLOCKED:
        raise OverlordError(f"{task.id} is {task.state}: {task.problem or task.reason}".rstrip(": "), next_step="")
