"""What commands share: the settings, the person at the keyboard, what they ask and send, and how they print."""

import asyncio
import inspect
import os
import sys
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer

from agents.domain.decisions.decision import Decision
from agents.domain.errors import NoSuchTask, OverlordError
from agents.domain.ids import Account, TaskId, Thread
from agents.domain.task.task import Task
from agents.domain.text.redact import Redactor
from agents.domain.text.sanitize import clean, one_line
from bot import app
from bot.cards.replies import key_sentence
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.config.state_folder import make_home, os_user
from bot.logs import set_up_logs
from bot.messages import Choice, Delivery, Pressed, Said
from bot.queries import Heard, TaskPage
from bot.queries.people_queries import PeopleQueries
from bot.queries.query_api import QueryApi
from bot.queries.supervision_queries import SupervisionQueries

T = TypeVar("T")
P = ParamSpec("P")
Command = Callable[Concatenate[typer.Context, P], None]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Search = Annotated[str, typer.Option("--search", metavar="WORDS", help="Only those that have these words in them.")]
GAP = "  "
WIDEST = 60  # a cell on a terminal; in a pipe and in --json it is whole
PAGE = 200  # rows that a list prints at a time


def settings_of(context: typer.Context, **flags: str) -> Settings:
    """Read the settings once, with the flags of the whole command line; `host="0.0.0.0"` is the flag --host."""
    return load_settings(os.environ, cwd=Path.cwd(), flags=flags_of(context, **flags))


def flags_of(context: typer.Context, **flags: str) -> dict[str, str]:
    return {**(context.obj or {}), **{f"--{name}": value for name, value in flags.items() if value}}


def ready(context: typer.Context) -> Settings:
    """Settings for a command that opens the store."""
    settings = settings_of(context)
    set_up_logs("warning", settings.secrets)
    make_home(settings.home)
    return settings


def with_queries(command: Callable[Concatenate[QueryApi, P], Awaitable[None]]) -> Command[P]:
    """A command that is given the query API; people type what comes after it."""
    return _opening(app.open_queries, command)


def with_people(command: Callable[Concatenate[PeopleQueries, P], Awaitable[None]]) -> Command[P]:
    """A command that is given the people."""
    return _opening(app.open_people, command)


def with_supervision(command: Callable[Concatenate[SupervisionQueries, P], Awaitable[None]]) -> Command[P]:
    """A command that is given what supervisors did."""
    return _opening(app.open_supervision, command)


def _opening(
    opened: Callable[[Settings], AbstractAsyncContextManager[T]], command: Callable[Concatenate[T, P], Awaitable[None]]
) -> Command[P]:
    """What the command's first argument is stays open while it runs; typer sees a context in its place."""

    async def work(settings: Settings, *args: P.args, **options: P.kwargs) -> None:
        async with opened(settings) as first:
            await command(first, *args, **options)

    def run(context: typer.Context, *args: P.args, **options: P.kwargs) -> None:
        asyncio.run(work(ready(context), *args, **options))

    _, *typed = inspect.signature(command).parameters.values()
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    run.__signature__ = inspect.Signature([first, *typed])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (first, *typed)}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run  # type: ignore[return-value]  # typer calls it by the names of its parameters


def lists(group: typer.Typer) -> Callable[[Command[P]], Command[P]]:
    """The command is `list`, and what the group does where no command is named."""

    def register(command: Command[P]) -> Command[P]:
        @wraps(command)
        def bare(context: typer.Context, *args: P.args, **options: P.kwargs) -> None:
            if context.invoked_subcommand is None:
                command(context, *args, **options)

        group.callback(invoke_without_command=True)(bare)
        return group.command("list")(command)

    return register


def me() -> Account:
    return Account(f"cli:{os_user()}")


def _warn_of_key(words: str) -> None:
    if words and Redactor()(words) != words:
        typer.echo(key_sentence("cli"), err=True)


def words_for(task: Task, text: str) -> Said:
    """Words in a task's thread. What is typed here is always meant for the bot."""
    _warn_of_key(text)
    by = me()
    number = uuid.uuid4().hex
    return Said(
        key=f"{by}:{number}",
        thread=task.request.thread,
        channel=task.request.channel,
        message=f"cli-{number}",
        by=by,
        name=by.partition(":")[2],
        text=text,
        mentions_bot=True,
        at=datetime.now(UTC),
    )


def words_alone(text: str) -> Said:
    """Words in no task's thread, which no chat shows."""
    by, number = me(), uuid.uuid4().hex
    return Said(
        key=f"{by}:{number}",
        thread=Thread(f"{by}:{number}"),
        channel=by,
        message="",
        by=by,
        name=by.partition(":")[2],
        text=text,
        mentions_bot=True,
        direct=True,
        at=datetime.now(UTC),
    )


def words_in(channel: str, text: str, by: Account | None = None, number: str = "", *, plan: str = "") -> Said:
    """Words at the top of a channel of the console, which begin a thread there."""
    _warn_of_key(f"{text}\n{plan}" if plan else text)
    by, number = by or me(), number or uuid.uuid4().hex
    return Said(
        key=f"{by}:{number}",
        thread=Thread(f"{channel}:{number}"),
        channel=channel,
        message=number,
        by=by,
        name=by.partition(":")[2],
        text=text,
        mentions_bot=True,
        plan=plan,
        at=datetime.now(UTC),
    )


async def page_of(queries: QueryApi, written: str) -> TaskPage:
    id = f"T-{written}" if written.isdecimal() else written.upper()
    page = await queries.page(TaskId(id), me())
    if page is None:
        raise NoSuchTask(written)
    return page


def press_for(task: Task, decision: Decision, letter: str, words: str = "") -> Pressed:
    """A choice, on exactly what was shown: if that has changed since, it does not count."""
    _warn_of_key(words)
    by = me()
    return Pressed(
        key=f"{by}:{uuid.uuid4().hex}",
        thread=task.request.thread,
        channel=task.request.channel,
        message="",
        by=by,
        name=by.partition(":")[2],
        token=Choice(decision=decision.id, letter=letter).token,
        words=words,
        shown=decision.fingerprint,
        at=datetime.now(UTC),
    )


class NotCounted(OverlordError):
    """It was heard and refused."""

    def __init__(self, words: str) -> None:
        super().__init__(words, next_step="")

    def __str__(self) -> str:
        return self.what


async def send(queries: QueryApi, delivery: Delivery) -> Heard | None:
    """None: what became of it is not known yet."""
    heard = await queries.hear(delivery)
    if heard and heard.refused:
        raise NotCounted(heard.words)
    return heard


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; cells are one line each."""
    widest = WIDEST if sys.stdout.isatty() else sys.maxsize
    cells = [list(headings), *([one_line(clean(cell), widest) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = (GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, none: str) -> None:
    typer.echo(table(headings, rows) if rows else none)


def show_list(
    found: Sequence[T], json: bool, headings: Sequence[str], row: Callable[[T], Sequence[str]], *, none: str
) -> None:
    if json:
        show_json(found)
    else:
        show_table(headings, [row(each) for each in found], none=none)


def show_json(value: object) -> None:
    """Dataclasses, dates, enums and all, as JSON."""
    from pydantic import TypeAdapter

    typer.echo(TypeAdapter(Any).dump_json(value, indent=2).decode())


def plain(value: object) -> dict[str, object]:
    """A dataclass as it stands in JSON."""
    from pydantic import TypeAdapter

    made: dict[str, object] = TypeAdapter(Any).dump_python(value, mode="json")
    return made


def tell_more(shown: str, option: str) -> None:
    """A list never ends without saying that it goes on. Beside the output, which a program may read."""
    typer.echo(f"{shown}; there are more. Add {option} to see the next.", err=True)


def local(at: datetime | None) -> str:
    """A moment in the reader's own zone."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""
