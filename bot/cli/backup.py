"""`overlord backup` and `overlord restore`: everything in one file, and back."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import session
from bot.queries.backup import restore_backup, write_backup

File = Annotated[Path, typer.Argument(metavar="FILE", help="Such as overlord-backup.tar.gz.", resolve_path=True)]


def backup(context: typer.Context, file: File) -> None:
    """Write the database, repositories, artefacts and settings into one file. Overlord may go on running."""
    settings = session.ready(context)
    session.run(write_backup(settings, file, _tell))
    typer.echo(f"Written: {file} ({file.stat().st_size / 1e6:,.1f} MB). It can be read by you alone; keep it so.")


def restore(context: typer.Context, file: File) -> None:
    """Bring a backup into an empty state folder and an empty database, also from SQLite to PostgreSQL and back."""
    settings = session.ready(context)
    restore_backup(settings, file, _tell)
    typer.echo(f"Restored into {settings.home}. Stop the old Overlord before you start this one: `overlord up`.")


def _tell(progress: str) -> None:
    typer.echo(f"  {progress}", err=True)
