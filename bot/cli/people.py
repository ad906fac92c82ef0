"""`overlord people`: who is who, which accounts are one person, and their login tokens."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli import session

if TYPE_CHECKING:
    pass

app = typer.Typer(help="See people, link their accounts, and give them console logins.", rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _account(written: str) -> str:
    from agents.catalog.policies import account

    try:
        return account(written)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _login(written: str) -> str:
    _account(f"console:{written}")
    return written


AccountId = Annotated[str, typer.Argument(metavar="ACCOUNT", help="Such as slack:T0123:U0456.", callback=_account)]
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
def name(
    context: typer.Context, account: AccountId, name: Annotated[str, typer.Argument(help="What to call them.")]
) -> None:
    """Say what to call a person."""
    session.run(_rename(session.ready(context), account, name))


@app.command()
def token(context: typer.Context, name: Login) -> None:
    """Make a console login token, shown this once; an older one stops working."""
    session.run(_token(session.ready(context), name))


@app.command()
def revoke(context: typer.Context, name: Login) -> None:
    """Take a console login away."""
    session.run(_revoke(session.ready(context), name))
