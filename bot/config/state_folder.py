"""The state folder, which is closed to others, and which overlord.yaml is read: no stranger's."""

import fcntl
import hashlib
import json
import os
import pwd
import re
import secrets
import shlex
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from agents.catalog.validation import Problem
from agents.catalog.yaml import read_body
from agents.domain.errors import SettingsProblem
from agents.workspace.git.git import is_tracked

HOME = "~/.overlord"
MARK = "running"  # a file in it that is locked while the program runs
_SQLITE = "sqlite:///"
NAME = "overlord.yaml"
ACCEPTED = "accepted-settings.json"  # in the state folder: the path of each accepted file, and its hash
OURS = Path(__file__).resolve().parents[2]  # the folder that this program itself runs from
_ROOT = 0


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


def is_running(home: Path) -> bool:
    """Whether a program holds the mark of this folder."""
    try:
        with (home / MARK).open("r") as mark:
            fcntl.flock(mark, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


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
        _write_private(path, secrets.token_bytes(32))
    return path.read_bytes()


def _write_private(path: Path, body: bytes) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.touch(mode=0o600)
    fresh.write_bytes(body)
    fresh.replace(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    path: Path
    body: bytes  # read once: what was checked is what is parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    found: SettingsFile | None
    left: tuple[Problem, ...] = ()  # files that are there and are not read, and why


def find_settings(cwd: Path, home: Path, ours: Path = OURS) -> Search:
    """The file where one stands, else the one in the state folder. Raises BadYaml for one that cannot be read."""
    left: list[Problem] = []
    for path in dict.fromkeys((cwd / NAME, home / NAME)):
        if path.is_file():
            verdict = _judge(path, home, ours)
            if isinstance(verdict, SettingsFile):
                return Search(found=verdict, left=tuple(left))
            left.append(verdict)
    return Search(found=None, left=tuple(left))


def read_settings(path: Path) -> SettingsFile:
    """One that the operator named, wherever it is. Raises BadYaml."""
    return SettingsFile(path=path, body=read_body(path))


def is_strangers(path: Path) -> bool:
    """Whether it came with a repository. What git cannot be asked about is taken for a stranger's."""
    folder = path.parent.resolve()
    repository = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
    if repository is None:
        return False

    return is_tracked(repository, folder / path.name)


def accept(file: SettingsFile, home: Path) -> None:
    """Remember that the operator accepted exactly this content at this path."""
    accepted = {**_accepted(home), _key(file.path): _hash(file.body)}
    _write_private(home / ACCEPTED, json.dumps(accepted, indent=1).encode())


def is_accepted(path: Path, home: Path) -> bool:
    """Whether the operator accepted a file at this path, whatever is in it now."""
    return _key(path) in _accepted(home)


def _judge(path: Path, home: Path, ours: Path) -> SettingsFile | Problem:
    """What may be read, or why it may not."""
    folder = path.parent.resolve()
    if is_strangers(path):
        return _left(path, "it is tracked by git, so it may be a stranger's", _name_it(path))
    if folder == home.resolve() and not (_is_mine(path) and _is_mine(folder)):
        return _left(path, "somebody else owns it or may change it", f"Run chmod o-w {folder}. {_name_it(path)}")
    known = _accepted(home).get(_key(path))
    trusted = folder in (home.resolve(), ours)
    if trusted or known:
        file = read_settings(path)
        if trusted or known == _hash(file.body):
            return file
    why = "it has changed since you accepted it" if known else "nobody accepted it"
    step = f"Look at it. If it is yours, type: overlord settings accept {shlex.quote(str(path))}"
    return _left(path, why, step)


def _left(path: Path, why: str, step: str) -> Problem:
    return Problem(name=str(path), what=f"this settings file is not read, because {why}", instead=step)


def _name_it(path: Path) -> str:
    return f"If it is yours, name it: --config {shlex.quote(str(path))}"


def _is_mine(path: Path) -> bool:
    about, me = path.stat(), os.geteuid()
    return (me == _ROOT or about.st_uid in (me, _ROOT)) and not about.st_mode & 0o002


def _accepted(home: Path) -> dict[str, str]:
    """A list that cannot be read accepts nothing."""
    try:
        kept = json.loads((home / ACCEPTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(path): str(hash) for path, hash in kept.items()} if isinstance(kept, dict) else {}


def _key(path: Path) -> str:
    return str(path.parent.resolve() / path.name)


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def os_user() -> str:
    """Who runs this process, as the machine knows it; the environment's word is not taken for it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"
