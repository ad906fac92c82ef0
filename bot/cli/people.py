"""`overlord people`: who is who, which accounts are one person, and their login tokens."""

from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from agents.domain.ids import Account
from agents.domain.text.sanitize import clean, one_line
from bot.cli import session
from bot.cli.naming import carry_out
from bot.cli.session import Json
from bot.config.accounts import EXAMPLE, WRITTEN_GROUPS, account as read_account
from bot.config.changes import AddMember, RemoveMember
from bot.config.platforms import OWN
from bot.queries.people_queries import PeopleQueries
from store.chat.people import Session

app = typer.Typer(rich_markup_mode=None)


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


@session.lists(app)
@session.with_people
async def list_people(people: PeopleQueries, json: Json = False) -> None:
    """List people with their accounts and groups."""
    session.show_list(
        await people.list(),
        json,
        ("name", "accounts", "groups", "person"),
        lambda person: (person.name, ", ".join(person.accounts), ", ".join(person.groups), person.id),
        none="Nobody has been met yet.",
    )


@app.command()
@session.with_people
async def link(people: PeopleQueries, account: AccountId, other: AccountId) -> None:
    """Say that two accounts are one person, who then counts once."""
    await people.link(Account(account), Account(other))
    typer.echo(f"{account} and {other} are one person now.")


@app.command()
@session.with_people
async def unlink(people: PeopleQueries, account: AccountId) -> None:
    """Make an account a person of its own again."""
    if not await people.unlink(Account(account)):
        step = "See `overlord people`, and unlink the other account of that person."
        raise OverlordError(f"{account} was not linked to another account", next_step=step)
    typer.echo(f"{account} is a person of its own again.")


Group = Annotated[str, typer.Argument(metavar="GROUP", help=f"One of {', '.join(WRITTEN_GROUPS)}.")]


@app.command("add")
def add_member(context: typer.Context, account: AccountId, group: Group = "approver") -> None:
    """Put somebody into a group; a program that runs takes it over at once."""
    carry_out(context, AddMember(account=account, group=group))


@app.command("remove")
def remove_member(context: typer.Context, account: AccountId, group: Group = "approver") -> None:
    """Take somebody out of a group."""
    carry_out(context, RemoveMember(account=account, group=group))


@app.command()
@session.with_people
async def links(people: PeopleQueries, json: Json = False) -> None:
    """List accounts that ask to be linked; `overlord people link` confirms."""
    session.show_list(
        await people.links(),
        json,
        ("account", "and", "waits for"),
        lambda asked: (asked.one.account, asked.other.account, "you" if asked.waits_for_operator else "them"),
        none="Nobody asks to link accounts.",
    )


@app.command()
@session.with_people
async def name(
    people: PeopleQueries, account: AccountId, name: Annotated[str, typer.Argument(help="What to call them.")]
) -> None:
    """Say what to call a person."""
    shown = one_line(clean(name), 80)
    if not shown:
        raise typer.BadParameter("write a name", param_hint="NAME")
    await people.rename(Account(account), shown)
    typer.echo(f"{account} is called {shown} now.")


@app.command()
@session.with_people
async def forget(
    people: PeopleQueries,
    account: AccountId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether you are sure.")] = False,
) -> None:
    """Remove what a person said, wherever it is stored. It cannot be undone."""
    if not yes:
        typer.confirm(f"Remove all that {account} and their other accounts said, for good?", abort=True)
    gone = await people.forget(Account(account), session.me())
    typer.echo(f"Removed: {gone.texts} texts, from {gone.rows} rows, in {', '.join(gone.tasks) or 'no task'}.")
    typer.echo(
        "What stays: messages on chat platforms and GitHub, commits, files and archives of tasks, backups, "
        "their name and accounts."
    )
    if gone.facts_with_words:
        typer.echo(f"{gone.facts_with_words} facts of an earlier version hold words themselves and cannot be changed.")


@app.command()
@session.with_people
async def token(people: PeopleQueries, name: Login) -> None:
    """Make a console login token, shown this once; an older one stops working."""
    typer.echo(await people.issue_token(name))
    typer.echo(f"This is the token of {OWN}:{name}. It is not shown again.", err=True)


@app.command()
@session.with_people
async def revoke(people: PeopleQueries, name: Login) -> None:
    """Take a console login away."""
    if not await people.revoke_token(name):
        raise OverlordError(f"{OWN}:{name} has no token", next_step="See `overlord people`.")
    typer.echo(f"{OWN}:{name} can no longer log in.")


@app.command()
@session.with_people
async def sessions(
    people: PeopleQueries,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Only those of this console login.")] = "",
    json: Json = False,
) -> None:
    """List who is signed in at the console, since when and from where."""
    found = [_describe(each) for each in await people.sessions(name)]
    headings = ("session", "login", "since", "until", "address", "browser")
    session.show_list(found, json, headings, lambda each: tuple(each.values()), none="Nobody is signed in.")


def _describe(found: Session) -> dict[str, str]:
    """Without its key, which is nobody's business."""
    times = {"since": found.began_at.isoformat(timespec="minutes"), "until": found.until.isoformat(timespec="minutes")}
    return {"id": found.id, "login": found.login, **times, "address": found.address, "browser": found.agent}


@app.command("sign-out")
@session.with_people
async def sign_out(
    people: PeopleQueries,
    name: Login,
    which: Annotated[str, typer.Argument(metavar="[SESSION]", help="Only this one, by its id.")] = "",
) -> None:
    """End somebody's console sessions, or one of them; with their token they can sign in again."""
    ended = await people.end_sessions(name, which)
    if not ended:
        raise OverlordError(f"{OWN}:{name} has no such session", next_step="See `overlord people sessions`.")
    typer.echo(f"{OWN}:{name} is signed out, {ended} {'session' if ended == 1 else 'sessions'}.")
