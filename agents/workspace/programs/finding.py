"""Finds a command-line agent: where the settings say, in our own layer, else on the PATH. Nothing of it is run."""

import json
import platform
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.models.failure import ErrorClass
from agents.domain.models.known_engines import KnownEngine
from agents.domain.workflow.roles import EngineName
from agents.ports import Program

_USR = Path("/usr")
_NUMBERED = re.compile(r"(?:[a-z-]*[-@v])?(\d+\.\d+\.\d+[\w.-]*)")


class NoProgram(OverlordError):
    """An engine is not on this machine."""

    error = ErrorClass.RESOURCE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """`paths`: where the settings say that one is. `home`: the state folder, which holds our own layer."""

    home: Path
    known: Mapping[EngineName, KnownEngine]
    paths: Mapping[EngineName, str] = field(default_factory=dict)
    search: str | None = None  # as in PATH

    def find(self, engine: EngineName) -> Program:
        """Raises NoProgram with what to do."""
        if written := self.paths.get(engine):
            path = Path(written).expanduser()
            if not path.is_file():
                raise NoProgram(
                    f"{engine} is not at {written}", next_step=f"Correct `engines: {engine}: path:` in overlord.yaml."
                )
            return self._program(path.resolve())
        if installed := self.find_installed(engine):
            return self._program(installed)
        if found := shutil.which(engine, path=self.search):
            return self._program(Path(found).resolve())
        raise NoProgram(
            f"{engine} is not on this machine",
            next_step=f"Type `overlord engines install {engine}`, or name it under `engines: {engine}: path:`.",
        )

    def has(self, engine: EngineName) -> bool:
        try:
            return bool(self.find(engine))
        except NoProgram:
            return False

    def folder(self, engine: EngineName) -> Path:
        """Of the version that this Overlord was tried with."""
        package = self.known[engine].package(platform.machine())
        return self.home / "engines" / engine / (package.version if package else "none")

    def find_installed(self, engine: EngineName) -> Path | None:
        known = self.known[engine]
        package = known.package(platform.machine())
        if package is None:
            return None
        inside = self.folder(engine) / "node_modules" / package.name
        return next(iter(sorted(inside.glob(known.program))), None)

    def _program(self, path: Path) -> Program:
        layer = _layer(path)
        argv: tuple[str, ...] = (str(path),)
        readable = [layer]
        if _is_script(path):
            node = shutil.which("node", path=self.search)
            if node is None:
                raise NoProgram(
                    f"{path.name} needs Node.js, which is not here", next_step="Install Node.js 20 or newer."
                )
            real = Path(node).resolve()
            argv = (str(real), str(path))
            if not real.is_relative_to(_USR):
                prefix = real.parent.parent
                readable.append(real if _holds_more(prefix) else prefix)
        shown = tuple(each for each in readable if not each.is_relative_to(_USR / "bin") and each != _USR)
        return Program(argv=argv, version=_version(path), readable=shown)


def _layer(path: Path) -> Path:
    """All that came with it: the outermost folder of Node's packages, or a folder of its own; else the program alone,
    for what stands beside it is somebody's."""
    packages = [folder for folder in path.parents if folder.name == "node_modules"]
    if packages:
        return packages[-1]
    folder = path.parent
    shared = folder.name in ("bin", "sbin") or _holds_more(folder)
    own = _is_text(path) or _is_script(path) or (folder / "package.json").is_file()
    return folder if own and not shared else path


def _holds_more(folder: Path) -> bool:
    """Whether other things are in it, too: it is somebody's home, a hidden folder right in that, or the machine's."""
    home = Path.home().resolve()
    return home.is_relative_to(folder) or (folder.parent == home and folder.name[:1] == ".") or len(folder.parts) < 3


def _is_text(path: Path) -> bool:
    """A script may need its neighbours; a program that was compiled is whole."""
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(64)
    return path.suffix in (".js", ".mjs", ".cjs") or (head.startswith(b"#!") and b"node" in head)


def _version(path: Path) -> str:
    """As its package says, or its path: some are installed into a folder or a file that is named so."""
    for folder in path.parents[:6]:
        if _holds_more(folder):
            break
        try:
            said = json.loads((folder / "package.json").read_text())
        except (OSError, ValueError):
            continue
        if isinstance(said, dict) and isinstance(version := said.get("version"), str):
            return version.partition("-linux")[0]
    named = (_NUMBERED.fullmatch(name) for name in (path.name, *(folder.name for folder in path.parents[:2])))
    return next((each[1] for each in named if each), "of unknown version")
