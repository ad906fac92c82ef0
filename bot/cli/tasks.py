"""`overlord tasks`: see tasks, speak in one, stop, resume or cancel it."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from agents.domain.decisions import decision as ledger
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.errors import NoSuchTask, OverlordError
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import small_number
from agents.domain.work.outcome import WorkerOutcome
from bot.app import open_people
from bot.cards.timeline import in_words
from bot.cli import session
from bot.config.settings import Settings
from bot.query_api import QueryApi, TaskPage
from store.streams.archive import ARCHIVE, facts_in, read_file
from store.streams.evaluations import EvaluationResult

app = typer.Typer(rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(metavar="TASK", help="Such as T-3, or just 3.")]
Reason = Annotated[str, typer.Option(help="Kept with the task.")]
All = Annotated[bool, typer.Option("--all", help="Those that have ended, too.")]
Search = Annotated[str, typer.Option("--search", metavar="WORDS", help="Only those that have these words in them.")]
Before = Annotated[str, typer.Option("--before", metavar="TASK", help="Only older ones than this.")]

NO_TASK = "There is no task. Ask for one in the console or in chat."
NOTHING_FOUND = "No such task is found."


@app.callback(invoke_without_command=True)
def tasks(
    context: typer.Context, all: All = False, json: Json = False, search: Search = "", before: Before = ""
) -> None:
    """List tasks, newest first."""
    if context.invoked_subcommand is None:
        session.run(_list(session.ready(context), all, json, search, before))


@app.command("list")
def list_tasks(
    context: typer.Context, all: All = False, json: Json = False, search: Search = "", before: Before = ""
) -> None:
    """List tasks, newest first."""
    session.run(_list(session.ready(context), all, json, search, before))


@app.command()
def show(
    context: typer.Context,
    task: Id,
    json: Json = False,
    archived: Annotated[bool, typer.Option("--archived", help="One that was moved into the archive.")] = False,
) -> None:
    """Show one task: where it stands, what it needs, what happened."""
    settings = session.ready(context)
    session.run(_show_archived(settings, task, json) if archived else _show(settings, task, json))


@app.command()
def say(context: typer.Context, task: Id, text: Annotated[str, typer.Argument(help="What to say.")]) -> None:
    """Say something in a task's thread."""
    session.run(_say(session.ready(context), task, text))


@app.command()
def stop(context: typer.Context, task: Id, reason: Reason = "") -> None:
    """Pause a task where it is."""
    session.run(_press(session.ready(context), task, "stop", reason))


@app.command()
def resume(context: typer.Context, task: Id, reason: Reason = "") -> None:
    """Go on with a task that rests."""
    session.run(_press(session.ready(context), task, "resume", reason))


@app.command()
def cancel(context: typer.Context, task: Id, reason: Annotated[str, typer.Option(help="Why; it is kept.")]) -> None:
    """End a task for good. Giving the reason confirms it."""
    if not reason.strip():
        raise typer.BadParameter("say why, in a few words", param_hint="--reason")
    session.run(_cancel(session.ready(context), task, reason.strip()))


async def page_of(desk: QueryApi, written: str) -> TaskPage:
    id = f"T-{written}" if written.isdecimal() else written.upper()
    page = await desk.page(TaskId(id), session.me())
    if page is None:
        raise NoSuchTask(written)
    return page


async def _list(settings: Settings, ended: bool, json: bool, search: str, before: str) -> None:
    number = _number(before) if before else 0
    async with session.open_desk(settings) as desk:
        found = await desk.tasks(session.me(), ended=ended, limit=session.PAGE + 1, search=search, before=number)
        shown = found[: session.PAGE]
        names = await desk.names({task.request.by for task in shown})
    if json:
        session.show_json(shown)
    else:
        _show_table(shown, names, none=NOTHING_FOUND if search or before else NO_TASK)
    if len(found) > len(shown):
        session.tell_more(
            f"These are the {len(shown)} newest{' of those' if before else ''}", f"--before {shown[-1].id}"
        )


def _number(written: str) -> int:
    number = small_number(written.upper().removeprefix("T-"))
    if number is None:
        raise OverlordError(f"`{written}` is no task", next_step="Write one such as T-3.")
    return number


def _show_table(found: Sequence[Task], names: Mapping[PersonId, str], *, none: str) -> None:
    rows = [
        (
            task.id,
            task.state,
            task.project or "",
            names.get(task.request.by, ""),
            session.local(task.changed_at),
            task.request.text,
        )
        for task in found
    ]
    session.show_table(("task", "state", "project", "owner", "changed", "request"), rows, none=none)


async def _show(settings: Settings, written: str, json: bool) -> None:
    async with session.open_desk(settings) as desk:
        page = await page_of(desk, written)
    if json:
        session.show_json(page)
        return
    typer.echo(page.status.fallback)
    for need in page.needs:
        typer.echo(f"\nNeeds you ({need.decision.id}):\n{need.card.fallback}")
    rows = [(session.local(entry.at), entry.by, entry.words) for entry in page.timeline]
    if page.outcomes:
        typer.echo("")
        session.show_table(
            ("run", "worker", "status", "files", "review", "next"), [_row(each) for each in page.outcomes], none=""
        )
    if page.evaluations:
        typer.echo("")
        columns = ("attempt", "tests", "lint", "review", "overall", "when")
        session.show_table(columns, [_judged(each) for each in page.evaluations], none="")
    if page.phases:
        typer.echo("")
        session.show_table(("phase", "state"), [(str(number), state) for number, state in page.phases], none="")
    typer.echo("")
    session.show_table(("when", "who", "what"), rows, none="Nothing has happened yet.")


async def _show_archived(settings: Settings, written: str, json: bool) -> None:
    try:
        lines = read_file(settings.home / ARCHIVE, TaskId(f"T-{_number(written)}"))
    except (OSError, EOFError, ValueError) as problem:
        step = (
            "Without --archived it is shown if it is in the database; `overlord doctor` says which files are damaged."
        )
        raise OverlordError(f"{written} cannot be read from the archive", next_step=step) from problem
    if json:
        session.show_json(lines)
        return
    facts = facts_in(lines)
    async with open_people(settings) as desk:
        names = {person.id: person.name for person in await desk.list()}
    decisions = ledger.replay(facts)
    rows = [(session.local(fact.at), in_words(fact, lambda id: names.get(id, id), decisions.get)) for fact in facts]
    session.show_table(("when", "what"), rows, none="")


def _row(ended: WorkerOutcome) -> tuple[str, ...]:
    files = ended.implementation.words if ended.implementation else ""
    return (ended.run, ended.worker, ended.status, files, ended.review_status or "", ended.next_step)


def _judged(each: EvaluationResult) -> tuple[str, ...]:
    scores = (each.test_score, each.lint_score, each.review_score, each.overall)
    attempt = f"{each.task}.{each.subtask}-{each.revision_number + 1}"
    return (attempt, *(score.replace("_", " ") or "not run" for score in scores), session.local(each.timestamp))


async def _say(settings: Settings, written: str, text: str) -> None:
    async with session.open_desk(settings) as desk:
        page = await page_of(desk, written)
        session.refuse_if_refused(await desk.hear(session.words_for(page.task, text)))
    typer.echo(f"Said in {page.task.id}.")


async def _press(settings: Settings, written: str, value: str, words: str) -> None:
    async with session.open_desk(settings) as desk:
        page = await page_of(desk, written)
        await _take(desk, page.task, value, words)
        after = await page_of(desk, written)
    typer.echo(f"{after.task.id} is {after.task.state}.")


async def _cancel(settings: Settings, written: str, reason: str) -> None:
    """Two steps, as on every surface: ask for it, then confirm it."""
    async with session.open_desk(settings) as desk:
        page = await page_of(desk, written)
        if page.task.of_kind(Kind.CANCEL) is None:
            await _take(desk, page.task, "cancel", reason)
            page = await page_of(desk, written)
        confirm = page.task.of_kind(Kind.CANCEL)
        if confirm:
            letter = next(option.letter for option in confirm.options if option.value == "cancel")
            session.refuse_if_refused(await desk.hear(session.press_for(page.task, confirm, letter, reason)))
        after = await page_of(desk, written)
    typer.echo(f"{after.task.id} is {after.task.state}.")


async def _take(desk: QueryApi, task: Task, value: str, words: str) -> None:
    """Press the open decision that offers this."""
    found = _offering(task, value)
    if found is None:
        raise OverlordError(
            f"{task.id} is {task.state}, so there is nothing to {value}",
            next_step=f"See `overlord tasks show {task.id}`.",
        )
    decision, option = found
    session.refuse_if_refused(await desk.hear(session.press_for(task, decision, option.letter, words)))


def _offering(task: Task, value: str) -> tuple[Decision, Option] | None:
    offers = ((decision, option) for decision in task.open for option in decision.options if option.value == value)
    return next(offers, None)
