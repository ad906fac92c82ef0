"""The state folder: where it is, and that nobody but its owner can look into it."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from agents.domain.errors import SettingsProblem

HOME = "~/.overlord"
_SQLITE = "sqlite:///"


def home_of(environ: Mapping[str, str], cwd: Path, flags: Mapping[str, str]) -> Path:
    """As the operator names it: a settings file has no say in which settings files were accepted."""
    return expand(flags.get("--home") or environ.get("OVERLORD_HOME") or HOME, cwd, environ)


def expand(written: str, base: Path, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME") or str(Path.home())
    return Path(os.path.normpath(base / re.sub(r"^~(?=/|$)", lambda _: home, written)))


def make_home(home: Path) -> None:
    """Make it for its owner alone: whoever may read it is the operator. Raises SettingsProblem."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_private(home)


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
