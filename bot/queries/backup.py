"""Backups, and the checks of the store that say whether one is needed.

A backup is one file with all that cannot be made again: database, our copies of repositories, artefacts, settings.
"""

import asyncio
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.files.locks import hold_lock
from agents.workspace.git.mirror import lock_of
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn
from store.backup import load_copy, require_empty, save_copy
from store.database import Database
from store.retention import damaged_files
from store.running.calls import STEP
from store.streams.audit import Progress, examine, integrity, stalled_tasks
from store.transaction import Transaction

DATABASE = "database.sqlite"
FOLDERS = ("repos", "clones", "worktrees", "artefacts", "archive", "sample")
FILES = ("overlord.yaml", "accepted-settings.json", "console.secret", "prompts.secret")
WHICH = "Name a file that `overlord backup` wrote."
RESTORE = "Stop Overlord, keep a copy of the database, and restore the last good backup."
STILL = "Say `stop` and then `resume` in its thread, and tell us what `overlord tasks show` says of it."
UNFINISHED = "restoring"  # a folder in the state folder while files are moved in: a restore cut short is begun anew

Tell = Callable[[str], None]


class NoBackup(OverlordError):
    pass


async def write_backup(settings: Settings, target: Path, tell: Tell) -> None:
    """May run beside the program: the database is read at one instant, and no branch moves while it is copied."""
    await asyncio.to_thread(_refuse_backup, settings, target)
    home, url = settings.home, settings.database_url
    with tempfile.TemporaryDirectory(dir=home, prefix="backup-") as scratch:
        copy, fresh = Path(scratch) / DATABASE, Path(scratch) / "archive"
        await asyncio.to_thread(save_copy, url, copy, partial(_tell_rows, tell))
        async with AsyncExitStack() as stack:
            for repository in _repositories(home):
                await stack.enter_async_context(hold_lock(lock_of(repository)))
            await asyncio.to_thread(_pack, home, copy, fresh, tell)
        shutil.move(fresh, target)


def _refuse_backup(settings: Settings, target: Path) -> None:
    url = settings.database_url
    if target.exists():
        raise NoBackup(f"{target} is there already", next_step="Name a file that does not exist yet.")
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).is_file():
        raise NoBackup(f"There is no database at {url}", next_step="Name the state folder with --home.")
    Database(url).close()  # brings one of an earlier version up to date


def _repositories(home: Path) -> list[Path]:
    return [path for folder in ("repos", "clones") for path in sorted((home / folder).glob("*.git"))]


def _tell_rows(tell: Tell, table: str, rows: int) -> None:
    if rows:
        tell(f"{table}: {rows:,} rows")


def _pack(home: Path, copy: Path, fresh: Path, tell: Tell) -> None:
    fresh.touch(mode=0o600)
    with tarfile.open(fresh, "w:gz") as archive:
        archive.add(copy, DATABASE)
        for name in (*FILES, *FOLDERS):
            if (home / name).exists():
                archive.add(home / name, f"home/{name}", filter=_plain)
                tell(name)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """No sockets, pipes and devices: whatever a minion makes in its working folder, those are not its work."""
    return member if member.isfile() or member.isdir() or member.issym() or member.islnk() else None


def restore_backup(settings: Settings, source: Path, tell: Tell) -> None:
    """Into an empty state folder and an empty database; one that was cut short is begun anew.

    Everything that can be refused is refused before the first file moves.
    """
    home, unfinished = settings.home, settings.home / UNFINISHED
    there = [
        name for name in ("repos", "clones", "artefacts") if (home / name).is_dir() and any((home / name).iterdir())
    ]
    if there and not unfinished.exists():
        raise NoBackup(
            f"The state folder {home} holds {', '.join(there)} already",
            next_step="Restore into an empty one: name it with --home or in OVERLORD_HOME.",
        )
    require_empty(settings.database_url)
    with tempfile.TemporaryDirectory(dir=home, prefix="restore-") as scratch:
        unpacked = Path(scratch)
        _unpack(source, unpacked)
        unfinished.mkdir(mode=0o700, exist_ok=True)
        _move_in(unpacked / "home", home, tell)
        load_copy(unpacked / DATABASE, settings.database_url, partial(_tell_rows, tell))
    shutil.rmtree(unfinished)


def _unpack(source: Path, target: Path) -> None:
    try:
        with tarfile.open(source, "r:gz") as archive:
            archive.extractall(target, filter="tar")  # owners and links stay as they were; nothing lands outside
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise NoBackup(f"{source} cannot be read ({error})", next_step=WHICH) from None
    if not (target / DATABASE).is_file():
        raise NoBackup(f"{source} is no backup of Overlord", next_step=WHICH)


def _move_in(unpacked: Path, home: Path, tell: Tell) -> None:
    for name in (*FILES, *FOLDERS):
        if not (unpacked / name).exists():
            continue
        if (home / name).is_dir():
            shutil.rmtree(home / name)
        (unpacked / name).replace(home / name)
        tell(name)


def check_file(tx: Transaction) -> Check:
    return _check("database", integrity(tx.db), "integrity check passed", RESTORE)


def check_resting(at: datetime, tx: Transaction) -> Check:
    """Models and steps that failed too often and are not tried now."""
    resting = tx.breakers.resting(at)
    if not resting:
        return ok("steps and models", "none of them rests")
    told = (f"{name.removeprefix(STEP)} rests until {until:%H:%M} UTC: {why}" for name, until, why in resting)
    step = "Fix what they fail by. They are tried again by then, or at once when somebody presses Retry step."
    return warn("steps and models", "; ".join(told), step)


def check_archive(folder: Path, tx: Transaction) -> Check:
    step = f"Bring these files back into {folder} from the last good backup."
    return _check("archive", ", ".join(damaged_files(tx.db, folder)), "every archived task is whole", step)


def check_database(tx: Transaction, tell: Progress = lambda done, all: None) -> list[Check]:
    """The database's own check, every hash chain, state against replay, and tasks that nothing will move."""
    found = examine(tx.db, tell)
    broken = ", ".join(f"{task} breaks at fact {version}" for task, version in found.broken)
    apart, still = ", ".join(found.apart), ", ".join(stalled_tasks(tx.db))
    moves = "every open task runs, has a timer or waits for a person"
    return [
        check_file(tx),
        _check("hash chains", broken, "every chain holds", f"Somebody changed the log by hand. {RESTORE}"),
        _check("state equals replay", apart, "what is stored follows from the facts", RESTORE),
        _check("tasks that stand still", still, moves, STILL),
    ]


def _check(name: str, problem: str, fine: str, next_step: str) -> Check:
    return fail(name, problem, next_step) if problem else ok(name, fine)
