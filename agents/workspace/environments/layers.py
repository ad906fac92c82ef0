"""What set-up installed, a folder for each project and key. It counts once a mark beside it says so, and not before.

The mark lies where no set-up can write, so a set-up that is killed half way, or lies about itself, leaves nothing that
counts. No project is shown the folder of another.
"""

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.files.artefacts import file_name
from agents.workspace.files.locks import hold_file_now, hold_lock
from agents.workspace.files.safe_open import Tree
from agents.workspace.files.untrusted import remove

KEPT = 3  # layers of a project; older ones are removed
VENV, TREE, GO, CARGO = "venv", "tree", "gomod", "cargo"
SCRATCH = ("cache", "tmp")  # of set-up alone
WRITTEN = (".cache", ".vite", ".vite-temp")  # folders of node_modules that tools write to while they run
_MODULES = "node_modules"
_DEEPEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What is remembered of a set-up that ended well."""

    key: str
    consent: str
    at: float  # seconds since 1970
    seconds: float
    log: str  # the artefact that holds what it said
    shown: tuple[str, ...] = ()  # folders node_modules of the tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    path: Path
    mark: Mark

    def part(self, name: str) -> Path | None:
        found = self.path / name
        return found if found.is_dir() and not found.is_symlink() else None

    @property
    def venv(self) -> Path | None:
        venv = self.part(VENV)
        return venv if venv and (venv / "pyvenv.cfg").is_file() else None


class Layers:
    def __init__(self, home: Path) -> None:
        self._home = home.resolve() / "environments"

    def find(self, project: str, key: str) -> Layer | None:
        """The layer of this key, if it is whole."""
        place = self._place(project) / key
        mark = _read_mark(place)
        return Layer(path=place, mark=mark) if mark and mark.key == key and place.is_dir() else None

    def latest(self, project: str) -> Layer | None:
        """The one that was made last: better than none where a change asks for another."""
        return max(self._all(project), key=lambda layer: layer.mark.at, default=None)

    @asynccontextmanager
    async def building(self, project: str, key: str) -> AsyncIterator[Path]:
        """An empty folder for a layer, while nobody else builds one of the project. What a kill left goes first."""
        place = self._place(project)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        async with hold_lock(place / ".lock"):
            yield place / key

    def clear(self, project: str, key: str) -> None:
        """The mark goes first: what is half removed does not count."""
        place = self._place(project) / key
        _mark_of(place).unlink(missing_ok=True)
        remove(place)

    def finish(self, project: str, mark: Mark) -> Layer:
        """From here on it counts."""
        place = self._place(project) / mark.key
        for name in SCRATCH:
            remove(place / name)
        for modules in mark.shown:
            with closing(Tree(place / TREE)) as tree:
                for name in WRITTEN:
                    with suppress(OverlordError, OSError):
                        tree.make_folders(f"{modules}/{name}")
        fresh = place.with_name(f".{mark.key}.new")
        with fresh.open("w") as file:
            json.dump(asdict(mark), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(_mark_of(place))
        return Layer(path=place, mark=mark)

    def tidy(self, project: str) -> None:
        """Remove what does not count and all but the newest, unless somebody builds just now."""
        place = self._place(project)
        if not place.is_dir() or (lock := hold_file_now(place / ".lock")) is None:
            return
        try:
            known = sorted(self._all(project), key=lambda layer: -layer.mark.at)
            stay = {layer.path.name for layer in known[:KEPT]}
            for entry in list(place.iterdir()):
                if entry.is_dir() and entry.name not in stay:
                    self.clear(project, entry.name)
        finally:
            os.close(lock)

    def _all(self, project: str) -> Iterator[Layer]:
        for entry in sorted(self._place(project).glob("*.json")):
            if found := self.find(project, entry.stem):
                yield found

    def _place(self, project: str) -> Path:
        return self._home / file_name(project)


def _mark_of(place: Path) -> Path:
    return place.with_name(f"{place.name}.json")


def _read_mark(place: Path) -> Mark | None:
    try:
        read = json.loads(_mark_of(place).read_text())
        known: Mapping[str, object] = {field.name: read[field.name] for field in fields(Mark) if field.name in read}
        mark = Mark(**known)  # type: ignore[arg-type]  # our own file; what does not fit fails below
        return Mark(**{**asdict(mark), "shown": tuple(mark.shown)})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def modules_in(tree: Path) -> Iterator[str]:
    """Every folder node_modules that is in no other one, from the top of the tree. No link is followed."""
    ahead = [""]
    while ahead:
        here = ahead.pop()
        with suppress(OSError), os.scandir(tree / here) as entries:
            for entry in entries:
                below = f"{here}/{entry.name}" if here else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.name == _MODULES:
                    yield below
                elif below.count("/") < _DEEPEST and entry.name != ".git":
                    ahead.append(below)
