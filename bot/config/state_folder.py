"""The state folder: where it is, and that nobody but its owner can look into it."""

import fcntl
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from agents.domain.errors import SettingsProblem

HOME = "~/.overlord"
MARK = "running"  # a file in it that is locked while the program runs
_SQLITE = "sqlite:///"


def home_of(environ: Mapping[str, str], cwd: Path, flags: Mapping[str, str]) -> Path:
    """As the operator names it: a settings file has no say in which settings files were accepted."""
    return expand(flags.get("--home") or environ.get("OVERLORD_HOME") or HOME, cwd, environ)


def expand(written: str, base: Path, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME") or str(Path.home())
    return Path(os.path.normpath(base / re.sub(r"^~(?=/|$)", lambda _: home, written)))


def make_home(home: Path) -> None:
    """Make it for its owner alone: whoever may read it is the operator. Raises SettingsProblem."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SettingsProblem(
            f"The state folder {home} cannot be made ({error.strerror or error})",
            next_step="Name a folder that you own in OVERLORD_HOME or with --home.",
        ) from None
    _make_private(home)


def mark_as_running(home: Path) -> tuple[AbstractContextManager[object], str]:
    """A mark to hold while the program runs, and what to say if another one holds it: the kernel ends it with us."""
    try:
        mark = (home / MARK).open("a+")
    except OSError:  # a disk that is full is told where it matters
        return nullcontext(), ""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        mark.seek(0)
        other = f"Overlord already runs on {home} (process {mark.read().strip() or 'unknown'}). "
        return mark, other + "Both serve it and share the work: stop one, or give this one its own folder with --home."
    with suppress(OSError):
        mark.truncate(0)
        mark.write(str(os.getpid()))
        mark.flush()
    return mark, ""


def make_database_private(url: str) -> None:
    """The same for a database in a file, which may lie in another folder. Raises SettingsProblem."""
    if not url.startswith(_SQLITE):
        return
    path = Path(url.removeprefix(_SQLITE))
    with suppress(OSError):  # a folder that is closed to us is for the database to tell
        path.touch(mode=0o600)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        if (file := path.with_name(name)).is_file():
            _make_private(file)


def _make_private(path: Path) -> None:
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(0o700 if path.is_dir() else 0o600)
        if not path.stat().st_mode & 0o077:
            return
        why = "its disk does not keep that"
    except OSError as error:
        why = error.strerror or str(error)
    raise SettingsProblem(
        f"Others may look into {path}, and I cannot change that ({why})",
        next_step="Whoever reads it is the operator. Name a folder that you own in OVERLORD_HOME.",
    )


def keep_secret(path: Path) -> bytes:
    """Made once an installation; only its owner may read it. A kill leaves the whole of it or nothing."""
    if not path.exists() or not path.stat().st_size:
        fresh = path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(32))
        fresh.replace(path)
    return path.read_bytes()
