"""What commands in a tree find: a project's own environment, what set-up made, and the machine's toolchains."""

import os
import shutil
import sys
import tomllib
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agents.domain.checks.evaluation import GateCommands
from agents.domain.errors import OverlordError
from agents.domain.models.failure import ErrorClass
from agents.ports import Shown, Workspace
from agents.workspace.environments.layers import WRITTEN
from agents.workspace.files.safe_open import Tree
from agents.workspace.sandbox.walls import toolchain

_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")
_USR = Path("/usr")
CARRIED_MOST = 4 << 20  # bytes of a file that every tree gets


class NoEnvironment(OverlordError):
    """A gate cannot run, because what it needs is not on this machine."""

    error = ErrorClass.RESOURCE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """What a project's own environment adds to every tree of it; by itself nothing."""

    venv: Path | None = None
    readable: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()
    copies: tuple[tuple[Path, str], ...] = ()  # a folder, and a path in it that the tree gets too
    sources: tuple[str, ...] = ()  # folders of Python packages, whose files are meant when they are imported
    first: tuple[str, ...] = ()
    around: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, ...]:
        """The same as long as a tree is furnished alike. A layer's own path tells what was installed."""
        copied = (source / path for source, path in self.copies)
        stamps = (f"{path} {path.lstat().st_mtime_ns}" for path in copied if path.is_file())
        settings = (f"{name}={value}" for name, value in sorted(self.environ.items()))
        shown = (f"{each.source} {each.at}" for each in self.shown)
        return (*settings, *shown, *stamps, *self.sources, *self.first, *self.around)

    def furnish(self, folder: Path) -> None:
        """Folders to show things at, and copies of files. What is there already stays; no link is followed."""
        if not self.shown and not self.copies:
            return
        with closing(Tree(folder)) as tree:
            for shown in self.shown:
                with suppress(OverlordError, OSError):  # something else is there: the sandbox shows that
                    tree.make_folders(shown.at)
            for source, path in self.copies:
                with suppress(OverlordError, OSError), closing(Tree(source)) as held:
                    _copy(held, tree, path)


BARE = Attached()


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    venv: Path
    python: str
    readable: tuple[Path, ...]  # what is shown beside the system and the project's files
    programs: tuple[Path, ...] = ()  # folders of other toolchains' programs
    environ: Mapping[str, str] = field(default_factory=dict)
    ruff: Path | None = None  # the project's, or ours
    modules: Path | None = None  # a folder node_modules
    attached: Attached = BARE

    def has(self, module: str) -> bool:
        return any(self.venv.glob(f"lib/python*/*-packages/{module}"))  # Debian's own are in dist-packages

    def finds(self, program: str) -> bool:
        """Whether a gate would. What is elsewhere on the path of whoever started us, a sandbox does not show."""
        found = shutil.which(program, path=self._path)
        return found is not None and any(Path(found).resolve().is_relative_to(root) for root in (_USR, *self.readable))

    @property
    def _path(self) -> str:
        return ":".join(map(str, (self.venv / "bin", *self.programs, *_SYSTEM)))

    @property
    def identity(self) -> tuple[str, ...]:
        """The same as long as nothing in it was installed, removed or set otherwise."""
        packages = sorted(self.venv.glob("lib/python*/*-packages/*"))
        stamps = (f"{path.name} {path.lstat().st_mtime_ns}" for path in (*packages, *self._installed))
        settings = (f"{name}={value}" for name, value in sorted(self.environ.items()))
        seen = (self.python, *map(str, self.readable), *map(str, self.programs), *settings, *stamps)
        return (*seen, *self.attached.identity)

    @property
    def _installed(self) -> tuple[Path, ...]:
        if self.modules is None:
            return ()
        return tuple(path for path in (self.modules, self.modules / ".package-lock.json") if path.exists())

    def workspace_for(self, folder: Path) -> Workspace:
        """The workspace of one command. Nothing is written: `furnish` does that."""
        always = {"PATH": self._path, "PYTHONDONTWRITEBYTECODE": "1"}
        if (folder / "package.json").is_file():  # or its programs watch files and never end; others run as by hand
            always["CI"] = "1"
        told = {**always, **self._sources(folder), **self.environ, **self.attached.environ}
        return Workspace(
            path=folder,
            readable=self.readable,
            environ=told,
            shown=self.attached.shown,
            first=self.attached.first,
            around=self.attached.around,
        )

    def _sources(self, folder: Path) -> dict[str, str]:
        """What is imported is the tree's own, also where set-up installed the project itself."""
        places = [folder / each for each in self.attached.sources] or [folder]
        found = [place / "src" if (place / "src").is_dir() else place for place in places]
        wanted = found if self.attached.sources else [place for place in found if place.name == "src"]
        return {"PYTHONPATH": ":".join(map(str, wanted))} if wanted else {}

    def furnish(self, folder: Path) -> None:
        """Put into a tree what belongs there and no commit holds. No link in it is followed."""
        if self.modules is not None and not os.path.lexists(folder / "node_modules"):
            _link_modules(folder / "node_modules", self.modules)  # Node looks for modules where the files are
        self.attached.furnish(folder)


def _link_modules(folder: Path, modules: Path) -> None:
    """Vite writes what it makes of its settings beside the modules, so there the folder itself is the tree's own."""
    if not (modules / "vite").exists():
        folder.symlink_to(modules)
        return
    folder.mkdir()
    for name in sorted({path.name for path in modules.iterdir()}.difference(WRITTEN)):
        (folder / name).symlink_to(modules / name)
    for name in WRITTEN:
        (folder / name).mkdir()


def _copy(source: Tree, tree: Tree, path: str) -> None:
    """What the commit holds itself stays."""
    try:
        tree.read(path, 0)
    except FileNotFoundError:
        tree.make_folders(path.rpartition("/")[0])
        tree.write(path, source.read(path, CARRIED_MOST))


class Toolchain(NamedTuple):
    programs: Path
    own: tuple[Path, ...]  # where it lies, if that is not in the system
    fetched: tuple[Path, ...]  # what the user downloaded with it
    environ: Mapping[str, str]


def toolchains() -> list[Toolchain]:
    """Of Node, Go and Rust, as the user who runs Overlord has installed them."""
    return [chain for chain in (_node(), _go(), _rust()) if chain]


def environment(
    repository: Path, commands: GateCommands, own: Path | None = None, attached: Attached = BARE
) -> Environment:
    """The one that is set, else what set-up made, else the project's own `.venv`, else ours. Raises NoEnvironment."""
    ours = (own or Path(sys.prefix)).resolve()
    chosen = Path(commands.environment) if commands.environment else attached.venv or repository / ".venv"
    if commands.environment and not (chosen / "pyvenv.cfg").is_file():
        raise NoEnvironment(
            f"{chosen} is no Python environment",
            next_step=f"Make it with `python -m venv {chosen}`, or correct `environment:` of the project.",
        )
    venv = chosen.resolve() if (chosen / "pyvenv.cfg").is_file() else ours
    python, modules = venv / "bin" / "python", repository / "node_modules"
    ruff = next((path for path in (venv / "bin/ruff", ours / "bin/ruff") if path.is_file()), None)
    linked = modules.resolve() if modules.is_dir() and not attached.shown else None
    others = [ruff] if ruff and not ruff.is_relative_to(venv) else []
    chains = toolchains()
    readable = (*_readable(venv), *others, *(path for chain in chains for path in (*chain.own, *chain.fetched)))
    environ = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if venv == ours else {}  # no project asked for our plugins
    for chain in chains:
        environ.update(chain.environ)
    return Environment(
        venv=venv,
        # where we are not installed in a venv, the program that runs us has a name of its own
        python=str(python if python.exists() else Path(sys.executable).resolve()),
        readable=tuple(dict.fromkeys((*readable, *([linked] if linked else []), *attached.readable))),
        programs=tuple(chain.programs for chain in chains),
        environ=environ,
        ruff=ruff,
        modules=linked,
        attached=attached,
    )


def own_tools(own: Path | None = None) -> tuple[str, tuple[Path, ...]]:
    """Our interpreter, and what must be shown for it to run."""
    venv = (own or Path(sys.prefix)).resolve()
    python = venv / "bin" / "python"
    return str(python if python.exists() else Path(sys.executable).resolve()), _readable(venv)


def _readable(venv: Path) -> tuple[Path, ...]:
    if (venv / "pyvenv.cfg").is_file():
        return toolchain(venv)
    return () if venv.is_relative_to(_USR) else (venv,)


def _node() -> Toolchain | None:
    """Only where it is not the system's own, as version managers install it."""
    found = shutil.which("node")
    root = Path(found).resolve().parent.parent if found else _USR
    if root.is_relative_to(_USR) or not (root / "lib" / "node_modules").is_dir():
        return None
    return Toolchain(programs=root / "bin", own=(root,), fetched=(), environ={})


def _go() -> Toolchain | None:
    found = shutil.which("go")
    if found is None:
        return None
    root = Path(found).resolve().parent.parent
    cache = Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg" / "mod"
    own, fetched = () if root.is_relative_to(_USR) else (root,), (cache,) if cache.is_dir() else ()
    environ = {"GOCACHE": "/tmp/go-build", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOMODCACHE": str(cache)}
    return Toolchain(programs=root / "bin", own=own, fetched=fetched, environ=environ)


def _rust() -> Toolchain | None:
    """Cargo as rustup keeps it; of cargo's home only what was downloaded is shown, never its credentials."""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    try:
        name = tomllib.loads((home / "settings.toml").read_text())["default_toolchain"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        return None
    root = home / "toolchains" / str(name)
    if not (root / "bin" / "cargo").is_file():
        return None
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    downloaded = tuple(path for path in (cargo / "registry",) if path.is_dir())
    environ = {"CARGO_HOME": str(cargo) if downloaded else "/tmp/cargo", "CARGO_NET_OFFLINE": "true"}
    return Toolchain(programs=root / "bin", own=(root,), fetched=downloaded, environ=environ)
