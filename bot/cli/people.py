"""`overlord people`: who is who, which accounts are one person, and their login tokens."""

from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from agents.domain.ids import Account
from agents.domain.text.sanitize import clean, one_line
from bot.app import open_people
from bot.cli import session
from bot.config.accounts import EXAMPLE, account as read_account
from bot.config.platforms import OWN
from bot.config.settings import Settings
from store.chat.sessions import Session

app = typer.Typer(rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _account(written: str) -> str:
    try:
        return read_account(written)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _login(written: str) -> str:
    _account(f"{OWN}:{written}")
    return written


AccountId = Annotated[str, typer.Argument(metavar="ACCOUNT", help=f"Such as {EXAMPLE}.", callback=_account)]
Login = Annotated[str, typer.Argument(metavar="NAME", help="Console login, such as ana.", callback=_login)]


@app.callback(invoke_without_command=True)
def people(context: typer.Context, json: Json = False) -> None:
    """List people with their accounts and groups."""
    if context.invoked_subcommand is None:
        session.run(_list(session.ready(context), json))


@app.command("list")
def list_people(context: typer.Context, json: Json = False) -> None:
    """List people with their accounts and groups."""
    session.run(_list(session.ready(context), json))


@app.command()
def link(context: typer.Context, account: AccountId, other: AccountId) -> None:
    """Say that two accounts are one person, who then counts once."""
    session.run(_link(session.ready(context), account, other))


@app.command()
def unlink(context: typer.Context, account: AccountId) -> None:
    """Make an account a person of its own again."""
    session.run(_unlink(session.ready(context), account))


@app.command()
def links(context: typer.Context, json: Json = False) -> None:
    """List accounts that ask to be linked; `overlord people link` confirms."""
    session.run(_links(session.ready(context), json))


@app.command()
def name(
    context: typer.Context, account: AccountId, name: Annotated[str, typer.Argument(help="What to call them.")]
) -> None:
    """Say what to call a person."""
    session.run(_rename(session.ready(context), account, name))


@app.command()
def forget(
    context: typer.Context,
    account: AccountId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether you are sure.")] = False,
) -> None:
    """Remove what a person said, wherever it is stored. It cannot be undone."""
    settings = session.ready(context)
    if not yes:
        typer.confirm(f"Remove all that {account} and their other accounts said, for good?", abort=True)
    session.run(_forget(settings, account))


@app.command()
def token(context: typer.Context, name: Login) -> None:
    """Make a console login token, shown this once; an older one stops working."""
    session.run(_token(session.ready(context), name))


@app.command()
def revoke(context: typer.Context, name: Login) -> None:
    """Take a console login away."""
    session.run(_revoke(session.ready(context), name))


@app.command()
def sessions(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Only those of this console login.")] = "",
    json: Json = False,
) -> None:
    """List who is signed in at the console, since when and from where."""
    session.run(_sessions(session.ready(context), name, json))


@app.command("sign-out")
def sign_out(
    context: typer.Context,
    name: Login,
    which: Annotated[str, typer.Argument(metavar="[SESSION]", help="Only this one, by its id.")] = "",
) -> None:
    """End somebody's console sessions, or one of them; with their token they can sign in again."""
    session.run(_sign_out(session.ready(context), name, which))


async def _list(settings: Settings, json: bool) -> None:
    async with open_people(settings) as desk:
        found = await desk.list()
    if json:
        session.show_json(found)
        return
    rows = [(person.name, ", ".join(person.accounts), ", ".join(person.groups), person.id) for person in found]
    session.show_table(("name", "accounts", "groups", "person"), rows, none="Nobody has been met yet.")


async def _link(settings: Settings, account: str, other: str) -> None:
    async with open_people(settings) as desk:
        await desk.link(Account(account), Account(other))
    typer.echo(f"{account} and {other} are one person now.")


async def _unlink(settings: Settings, account: str) -> None:
    async with open_people(settings) as desk:
        done = await desk.unlink(Account(account))
    if not done:
        step = "See `overlord people`, and unlink the other account of that person."
        raise OverlordError(f"{account} was not linked to another account", next_step=step)
    typer.echo(f"{account} is a person of its own again.")


async def _links(settings: Settings, json: bool) -> None:
    async with open_people(settings) as desk:
        found = await desk.links()
    if json:
        session.show_json(found)
        return
    rows = [(each.one.account, each.other.account, "you" if each.waits_for_operator else "them") for each in found]
    session.show_table(("account", "and", "waits for"), rows, none="Nobody asks to link accounts.")


async def _rename(settings: Settings, account: str, name: str) -> None:
    shown = one_line(clean(name), 80)
    if not shown:
        raise typer.BadParameter("write a name", param_hint="NAME")
    async with open_people(settings) as desk:
        await desk.rename(Account(account), shown)
    typer.echo(f"{account} is called {shown} now.")


async def _forget(settings: Settings, account: str) -> None:
    async with open_people(settings) as desk:
        gone = await desk.forget(Account(account), session.me())
    typer.echo(f"Removed: {gone.texts} texts, from {gone.rows} rows, in {', '.join(gone.tasks) or 'no task'}.")
    typer.echo(
        "What stays: messages on chat platforms and GitHub, commits, files and archives of tasks, backups, "
        "their name and accounts."
    )
    if gone.facts_with_words:
        typer.echo(f"{gone.facts_with_words} facts of an earlier version hold words themselves and cannot be changed.")


async def _token(settings: Settings, login: str) -> None:
    async with open_people(settings) as desk:
        made = await desk.issue_token(login)
    typer.echo(made)
    typer.echo(f"This is the token of {OWN}:{login}. It is not shown again.", err=True)


async def _revoke(settings: Settings, login: str) -> None:
    async with open_people(settings) as desk:
        had_one = await desk.revoke_token(login)
    if not had_one:
        raise OverlordError(f"{OWN}:{login} has no token", next_step="See `overlord people`.")
    typer.echo(f"{OWN}:{login} can no longer log in.")


async def _sessions(settings: Settings, login: str, json: bool) -> None:
    async with open_people(settings) as desk:
        found = await desk.sessions(login)
    if json:
        session.show_json([{"id": each.id, **_told(each)} for each in found])
        return
    rows = [(each.id, *_told(each).values()) for each in found]
    session.show_table(("session", "login", "since", "until", "address", "browser"), rows, none="Nobody is signed in.")


def _told(found: Session) -> dict[str, str]:
    """Without its key, which is nobody's business."""
    times = {"since": found.began_at.isoformat(timespec="minutes"), "until": found.until.isoformat(timespec="minutes")}
    return {"login": found.login, **times, "address": found.address, "browser": found.agent}


async def _sign_out(settings: Settings, login: str, which: str) -> None:
    async with open_people(settings) as desk:
        ended = await desk.end_sessions(login, which)
    if not ended:
        raise OverlordError(f"{OWN}:{login} has no such session", next_step="See `overlord people sessions`.")
    typer.echo(f"{OWN}:{login} is signed out, {ended} {'session' if ended == 1 else 'sessions'}.")
