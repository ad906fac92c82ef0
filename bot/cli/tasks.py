"""`overlord tasks`: see tasks, speak in one, stop, resume or cancel it. `overlord queue`: whether new work starts."""

from collections.abc import Sequence
from typing import Annotated

import typer

from agents.domain.decisions import decision as ledger
from agents.domain.decisions.authority import Kind
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.metrics.run_row import Run
from agents.domain.task.task import Task
from agents.domain.text.sanitize import small_number
from bot.cards.timeline import in_words
from bot.cards.work.attempts import AttemptRow, attempts
from bot.cli import session
from bot.cli.asking import start
from bot.cli.asking.dependencies import show_dependencies
from bot.cli.session import Json, Search
from bot.queries import Need
from bot.queries.people_queries import PeopleQueries
from bot.queries.query_api import QueryApi
from store.retention import ARCHIVE, facts_in, read_file

app = typer.Typer(rich_markup_mode=None)
app.command("start")(start)
app.command("dependencies")(show_dependencies)
queue = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="TASK", help="Such as T-3, or just 3.")]
Phase = Annotated[int, typer.Argument(min=1, help="Its number in the plan.")]
Reason = Annotated[str, typer.Option(help="Kept with the task.")]

NO_TASK = "There is no task. Ask for one in the console or in chat."
NOTHING_FOUND = "No such task is found."


@session.lists(app)
@session.with_queries
async def list_tasks(
    queries: QueryApi,
    all: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    json: Json = False,
    search: Search = "",
    before: Annotated[str, typer.Option("--before", metavar="TASK", help="Only older ones than this.")] = "",
) -> None:
    """List tasks, newest first."""
    number = _number(before) if before else 0
    found = await queries.tasks(session.me(), ended=all, limit=session.PAGE + 1, search=search, before=number)
    shown = found[: session.PAGE]
    names = await queries.names({task.request.by for task in shown})
    headings = ("task", "state", "project", "owner", "changed", "request")
    none = NOTHING_FOUND if search or before else NO_TASK
    session.show_list(shown, json, headings, lambda task: _row(task, names.get(task.request.by, "")), none=none)
    if len(found) > len(shown):
        session.tell_more(
            f"These are the {len(shown)} newest{' of those' if before else ''}", f"--before {shown[-1].id}"
        )


def _number(written: str) -> int:
    number = small_number(written.upper().removeprefix("T-"))
    if number is None:
        raise OverlordError(f"`{written}` is no task", next_step="Write one such as T-3.")
    return number


def _row(task: Task, owner: str) -> Sequence[str]:
    return (task.id, task.state, task.project or "", owner, session.local(task.changed_at), task.request.text)


@app.command()
def show(
    context: typer.Context,
    task: Id,
    json: Json = False,
    archived: Annotated[bool, typer.Option("--archived", help="One that was moved into the archive.")] = False,
) -> None:
    """Show one task: where it stands, what it needs, what happened."""
    if archived:
        _show_archived(context, task, json)
    else:
        _show(context, task, json)


@session.with_queries
async def _show(queries: QueryApi, written: str, json: bool) -> None:
    page = await session.page_of(queries, written)
    if json:
        session.show_json(page)
        return
    typer.echo(page.status.fallback)
    for need in page.needs:
        typer.echo(f"\nNeeds you ({need.decision.id}):\n{need.card.fallback}{read_first(need)}")
    tried = [_attempt_row(each) for each in attempts(page.outcomes, page.evaluations)]
    runs = [_run_row(each) for each in page.runs]
    wishes = [(session.local(each.at), each.by, each.where, each.words, each.standing) for each in page.wishes]
    phases = [(row.phase.id, row.phase.also, row.phase.title, row.phase.words) for row in page.phase_map]
    tables: tuple[tuple[Sequence[str], Sequence[Sequence[str]]], ...] = (
        (("attempt", "ended", "files", "checks", "next"), tried),
        (("run", "role", "model", "ended", "retries", "took", "tokens", "cost", "error"), runs),
        (("phase", "id", "title", "state"), phases),
        (("wished", "by", "where", "words", "standing"), wishes),
        (("subtask", "title", "kind", "size", "confidence", "order"), page.subtasks),
    )
    for headings, rows in tables:
        if rows:
            typer.echo(f"\n{session.table(headings, rows)}")
    typer.echo("")
    timeline = [(session.local(entry.at), entry.by, entry.words) for entry in page.timeline]
    session.show_table(("when", "who", "what"), timeline, none="Nothing has happened yet.")


@app.command("kept")
@session.with_queries
async def show_kept(
    queries: QueryApi,
    task: Id,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Such as T-3.diff; else their names are listed.")] = "",
) -> None:
    """Print a diff, a patch or a log of a task."""
    page = await session.page_of(queries, task)
    if not name:
        typer.echo("\n".join(page.kept) or "Nothing was kept of it yet.")
        return
    found = await queries.find_kept(page.task.id, name, session.me())
    if found is None:
        raise OverlordError(f"{page.task.id} has nothing named {name}", next_step=f"See `overlord tasks kept {task}`.")
    typer.echo(found.text, nl=not found.text.endswith("\n"))


def read_first(need: Need) -> str:
    """How to read what a decision is about, where no link leads there."""
    return "".join(f"\nRead it first: overlord tasks kept {need.task.id} {file.name}" for file in need.card.files)


def _show_archived(context: typer.Context, written: str, json: bool) -> None:
    try:
        lines = read_file(session.settings_of(context).home / ARCHIVE, TaskId(f"T-{_number(written)}"))
    except (OSError, EOFError, ValueError) as problem:
        step = (
            "Without --archived it is shown if it is in the database; `overlord doctor` says which files are damaged."
        )
        raise OverlordError(f"{written} cannot be read from the archive", next_step=step) from problem
    if json:
        session.show_json(lines)
    else:
        _show_facts(context, facts_in(lines))


@session.with_people
async def _show_facts(people: PeopleQueries, facts: Sequence[Event]) -> None:
    names = {person.id: person.name for person in await people.list()}
    decisions = ledger.replay(facts)
    rows = [(session.local(fact.at), in_words(fact, lambda id: names.get(id, id), decisions.get)) for fact in facts]
    session.show_table(("when", "what"), rows, none="")


def _attempt_row(each: AttemptRow) -> tuple[str, ...]:
    return (each.name, each.ended, each.changed, ", ".join(each.checks), each.next)


def _run_row(run: Run) -> tuple[str, ...]:
    tokens, took, cost = f"{run.tokens_in + run.tokens_out:,}", f"{run.seconds:.0f} s", f"${run.cost:.2f}"
    return (run.name, run.role, run.model, run.outcome, str(run.retries), took, tokens, cost, run.error)


@app.command()
@session.with_queries
async def say(queries: QueryApi, task: Id, text: Annotated[str, typer.Argument(help="What to say.")]) -> None:
    """Say something in a task's thread."""
    page = await session.page_of(queries, task)
    await session.send(queries, session.words_for(page.task, text))
    typer.echo(f"Said in {page.task.id}.")


@app.command()
@session.with_queries
async def stop(queries: QueryApi, task: Id, reason: Reason = "") -> None:
    """Pause a task where it is."""
    await _press(queries, (await session.page_of(queries, task)).task, "stop", reason)
    await _tell_state(queries, task)


@app.command()
@session.with_queries
async def resume(queries: QueryApi, task: Id, reason: Reason = "") -> None:
    """Go on with a task that rests."""
    await _press(queries, (await session.page_of(queries, task)).task, "resume", reason)
    await _tell_state(queries, task)


@app.command("restart-phase")
@session.with_queries
async def restart_phase(queries: QueryApi, task: Id, phase: Phase) -> None:
    """Ask for a phase to begin anew; an approver decides."""
    await _ask_of_phase(queries, task, f"restart phase {phase}")


@app.command("revert-phase")
@session.with_queries
async def revert_phase(queries: QueryApi, task: Id, phase: Phase) -> None:
    """Ask for what a phase brought to be taken back; an approver decides."""
    await _ask_of_phase(queries, task, f"revert phase {phase}")


async def _ask_of_phase(queries: QueryApi, written: str, words: str) -> None:
    found = (await session.page_of(queries, written)).task
    await session.send(queries, session.words_for(found, f"{words} of {found.id}"))
    asked = (await session.page_of(queries, written)).task.of_kind(Kind.PHASE)
    how = f" To see what it means: `overlord decisions show {asked.id}`." if asked else ""
    typer.echo(f"Asked: {words} of {found.id}.{how}")


@app.command()
@session.with_queries
async def cancel(queries: QueryApi, task: Id, reason: Annotated[str, typer.Option(help="Why; it is kept.")]) -> None:
    """End a task for good. Giving the reason confirms it."""
    why = reason.strip()
    if not why:
        raise typer.BadParameter("say why, in a few words", param_hint="--reason")
    # two steps, as on every surface: ask for it, then confirm it
    found = (await session.page_of(queries, task)).task
    if found.of_kind(Kind.CANCEL) is None:
        await _press(queries, found, "cancel", why)
        found = (await session.page_of(queries, task)).task
    if confirm := found.of_kind(Kind.CANCEL):
        letter = next(option.letter for option in confirm.options if option.value == "cancel")
        await session.send(queries, session.press_for(found, confirm, letter, why))
    await _tell_state(queries, task)


async def _press(queries: QueryApi, task: Task, value: str, words: str) -> None:
    """Press the open decision that offers this."""
    offers = ((decision, option) for decision in task.open for option in decision.options if option.value == value)
    found = next(offers, None)
    if found is None:
        raise OverlordError(
            f"{task.id} is {task.state}, so there is nothing to {value}",
            next_step=f"See `overlord tasks show {task.id}`.",
        )
    decision, option = found
    await session.send(queries, session.press_for(task, decision, option.letter, words))


async def _tell_state(queries: QueryApi, written: str) -> None:
    task = (await session.page_of(queries, written)).task
    typer.echo(f"{task.id} is {task.state}.")


@queue.command()
@session.with_queries
async def status(queries: QueryApi, json: Json = False) -> None:
    """Whether the queue is paused, by whom, and which tasks wait for their turn."""
    found = await queries.queue()
    if json:
        session.show_json(found)
        return
    since = f"paused by {found.paused_by} since {session.local(found.paused_at)}" if found.paused_at else "not paused"
    typer.echo(f"The queue is {since}. Waiting for their turn: {', '.join(found.waiting) or 'no task'}.")


@queue.command()
@session.with_queries
async def pause(queries: QueryApi) -> None:
    """Start nothing new; what runs goes on."""
    await session.send(queries, session.words_alone("pause the queue"))
    typer.echo("The queue is paused.")


@queue.command("resume")
@session.with_queries
async def resume_queue(queries: QueryApi) -> None:
    """Start what waits."""
    await session.send(queries, session.words_alone("resume the queue"))
    typer.echo("The queue is not paused.")
