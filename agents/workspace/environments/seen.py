"""What is looked at to find an environment: a tree's paths and manifests at a commit, and the machine's toolchains."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agents.workspace.environments.tree_environment import toolchains
from agents.workspace.gates.detect import DEEPEST, READ_MOST, decode, folders_with
from agents.workspace.git import objects
from agents.workspace.git.git import GitFailed, git

READ_AT_MOST = 400  # manifests
_MANIFEST = re.compile(
    r"(^|/)(pyproject\.toml|setup\.py|setup\.cfg|tox\.ini|requirements(?:[\w.-]*|/[\w.-]+)\.txt|\.python-version"
    r"|package\.json|go\.mod|go\.work|Cargo\.toml|poetry\.lock)$"
)
# Files that tell people or programs how to set a project up, in ways of their own.
CLUE = re.compile(
    r"(GNUm|m|M)akefile|justfile|Justfile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|\.tool-versions|\.?mise\.toml"
    r"|\.devcontainer(/[\w.-]+)?\.json|\.devcontainer/devcontainer\.json|environment\.ya?ml|Gemfile|composer\.json"
    r"|(script|scripts|bin)/(setup|bootstrap)(\.sh)?|\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml"
    r"|\.circleci/config\.yml"
)
_TAG = re.compile(r"v?(\d+(?:\.\d+)*(?:[-._]?(?:a|b|rc|post|dev|alpha|beta)[-._]?\d*)?)$")
_PATIENCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A tree at a commit. `blobs`: what each file holds, by git's own hash."""

    blobs: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    tag: str = ""  # the nearest

    @property
    def version(self) -> str:
        """That the tag names; empty where it names none."""
        found = _TAG.search(self.tag)
        return found[1] if found else ""

    def has(self, path: str) -> bool:
        return path in self.blobs

    def folders_with(self, *names: str) -> Iterator[str]:
        """Folders that hold one of these, the root first; those of others and of examples are left out."""
        yield from folders_with(self.blobs, names)

    def toml(self, path: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.texts.get(path, ""))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, path: str) -> dict[str, Any]:
        try:
            read = json.loads(self.texts.get(path, "{}"))
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}


def join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


async def look(repository: Path, commit: str, tagged: Path | None = None) -> Seen:
    """`tagged`: the repository that has the tags, if it is another. Raises GitFailed."""
    there = await objects.entries(repository, commit)
    wanted = [
        entry
        for path, entry in there.items()
        if (_MANIFEST.search(path) or CLUE.fullmatch(path)) and entry.size <= READ_MOST and path.count("/") <= DEEPEST
    ]
    wanted.sort(key=lambda entry: entry.path.count("/"))
    texts = decode(await objects.blobs(repository, wanted[:READ_AT_MOST]))
    blobs = {path: entry.blob for path, entry in there.items()}
    return Seen(blobs=blobs, texts=texts, tag=await _nearest_tag(tagged or repository, commit))


async def _nearest_tag(repository: Path, commit: str) -> str:
    """Tools that take a version from git find no git where a tree is laid out."""
    try:
        said = await git(repository, "describe", "--tags", "--abbrev=0", commit)
    except GitFailed:
        return ""
    return said.decode(errors="replace").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the machine has to set projects up with."""

    pythons: Mapping[tuple[int, int], str] = field(default_factory=dict)  # version -> program
    programs: Mapping[str, str] = field(default_factory=dict)  # such as npm or cargo -> its version

    def python(self, wanted: str = "") -> tuple[tuple[int, int], str] | None:
        """The interpreter that we run on if it will do, else the newest that will. `wanted`: as `requires-python`."""
        fit = {version: path for version, path in self.pythons.items() if satisfies(version, wanted)}
        ours = (sys.version_info[0], sys.version_info[1])
        best = ours if ours in fit else max(fit, default=None)
        return (best, fit[best]) if best else None


_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|~=|>|<)\s*(\d+)(?:\.(\d+|\*))?(\.[\d*]+)?")


def satisfies(version: tuple[int, int], wanted: str) -> bool:
    """Whether a Python of this minor version will do; what cannot be read forbids nothing."""
    return all(_holds(version, clause) for clause in wanted.split(","))


def _holds(version: tuple[int, int], clause: str) -> bool:
    found = _CLAUSE.match(clause)
    if found is None:
        return True
    sign, major, minor, patch = found[1], int(found[2]), found[3], found[4]
    if minor is None or not minor.isdigit():
        return _COMPARE[sign](version[:1], (major,)) or sign == ">"
    theirs = (major, int(minor))
    if patch and version == theirs:  # some of this minor version will do
        return True
    return _COMPARE[sign](version, theirs)


Numbers = tuple[int, ...]
_COMPARE: dict[str, Callable[[Numbers, Numbers], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "~=": lambda a, b: a >= b and a[0] == b[0],
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}

_PROGRAMS = ("uv", "node", "npm", "pnpm", "yarn", "go", "cargo")


@cache
def this_machine() -> Machine:
    """Asked once: what is installed later is seen after a restart."""
    pythons = {(sys.version_info[0], sys.version_info[1]): str(_our_python())}
    for minor in range(8, 20):
        found = shutil.which(f"python3.{minor}", path="/usr/local/bin:/usr/bin")
        if found and _makes_venvs(found):
            pythons.setdefault((3, minor), found)
    chains = toolchains()
    roots = (Path("/usr"), *(path for chain in chains for path in chain.own))
    path = ":".join((*(str(chain.programs) for chain in chains), "/usr/local/bin", "/usr/bin"))
    at = {name: found for name in _PROGRAMS if (found := shutil.which(name, path=path))}
    shown = {name: found for name, found in at.items() if any(Path(found).resolve().is_relative_to(r) for r in roots)}
    return Machine(pythons=pythons, programs={name: _said_version(found) for name, found in shown.items()})


def _our_python() -> Path:
    """The interpreter beneath our own venv."""
    own = Path(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}")
    return own.resolve() if own.exists() else Path(sys.executable).resolve()


def _makes_venvs(python: str) -> bool:
    return subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode == 0


def _said_version(path: str) -> str:
    """In one line; empty where it does not say it."""
    flags = ("version",) if Path(path).name == "go" else ("--version",)
    try:
        said = subprocess.run(
            [path, *flags], capture_output=True, text=True, timeout=_PATIENCE, check=False, cwd="/", env=_plain()
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip().partition("\n")[0][:100]


def _plain() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
