"""Which overlord.yaml is read: one that the operator named, wrote for this installation or accepted; no stranger's."""

import hashlib
import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from agents.catalog.validation import Problem
from agents.catalog.yaml import read_body
from agents.workspace.git.git import is_tracked

NAME = "overlord.yaml"
ACCEPTED = "accepted-settings.json"  # in the state folder: the path of each accepted file, and its hash
OURS = Path(__file__).resolve().parents[2]  # the folder that this program itself runs from
_ROOT = 0


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
    fresh = home / f"{ACCEPTED}.new"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(accepted, indent=1), encoding="utf-8")
    fresh.replace(home / ACCEPTED)


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
