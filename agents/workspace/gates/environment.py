"""What a gate's command finds beside the project's files: a venv with its interpreter, and other toolchains."""

import os
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.checks.gates import GateCommands
from agents.domain.errors import OverlordError
from agents.ports import Workspace
from agents.workspace.sandbox.walls.tools import toolchain

_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")
_USR = Path("/usr")


class NoEnvironment(OverlordError):
    """A gate cannot run, because what it needs is not on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """`own`: Overlord's own venv, whose pytest plugins no project asked for."""

    venv: Path
    python: str
    readable: tuple[Path, ...]
    own: bool = False
    ruff: Path | None = None  # the project's, or ours
    modules: Path | None = None  # a folder node_modules
    more: tuple["Toolchain", ...] = ()

    def has(self, module: str) -> bool:
        return any(self.venv.glob(f"lib/python*/*-packages/{module}"))  # Debian's own are in dist-packages

    def finds(self, program: str) -> bool:
        """Whether a gate would. What is elsewhere on the path of whoever started us, a sandbox does not show."""
        found = shutil.which(program, path=self._path)
        return found is not None and any(Path(found).resolve().is_relative_to(root) for root in (_USR, *self._roots))

    @property
    def _path(self) -> str:
        return ":".join((str(self.venv / "bin"), *(str(chain.bin) for chain in self.more), *_SYSTEM))

    @property
    def _roots(self) -> tuple[Path, ...]:
        """What is shown beside the system and the project's files."""
        ruff = () if self.ruff is None or self.ruff.is_relative_to(self.venv) else (self.ruff,)
        modules = () if self.modules is None else (self.modules,)
        return (*self.readable, *ruff, *(path for chain in self.more for path in chain.readable), *modules)

    def workspace_for(self, folder: Path) -> Workspace:
        """The workspace of one command. Nothing is written: `link` does that."""
        source = {"PYTHONPATH": str(folder / "src")} if (folder / "src").is_dir() else {}
        environ = {
            "PATH": self._path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",
            **({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if self.own else {}),
            **source,
        }
        for chain in self.more:
            environ.update(chain.environ)
        return Workspace(path=folder, readable=tuple(dict.fromkeys(self._roots)), environ=environ)

    def link(self, folder: Path) -> None:
        """Node looks for modules where the files are."""
        if self.modules is not None and not os.path.lexists(folder / "node_modules"):
            (folder / "node_modules").symlink_to(self.modules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    bin: Path
    readable: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)


def environment(repository: Path, commands: GateCommands, own: Path | None = None) -> Environment:
    """The one that is set, else the project's own `.venv`, else ours. Raises NoEnvironment."""
    ours = (own or Path(sys.prefix)).resolve()
    chosen = Path(commands.environment) if commands.environment else repository / ".venv"
    if commands.environment and not (chosen / "pyvenv.cfg").is_file():
        raise NoEnvironment(
            f"{chosen} is no Python environment",
            next_step=f"Make it with `python -m venv {chosen}`, or correct `environment:` of the project.",
        )
    venv = chosen.resolve() if (chosen / "pyvenv.cfg").is_file() else ours
    modules = repository / "node_modules"
    return Environment(
        venv=venv,
        python=_python(venv),
        readable=_readable(venv),
        own=venv == ours,
        ruff=next((path for path in (venv / "bin/ruff", ours / "bin/ruff") if path.is_file()), None),
        modules=modules.resolve() if modules.is_dir() else None,
        more=tuple(chain for chain in (_go(), _rust()) if chain),
    )


def _python(venv: Path) -> str:
    """Where we are not installed in a venv, the program that runs us has a name of its own."""
    named = venv / "bin" / "python"
    return str(named) if named.exists() else str(Path(sys.executable).resolve())


def _readable(venv: Path) -> tuple[Path, ...]:
    if (venv / "pyvenv.cfg").is_file():
        return toolchain(venv)
    return () if venv.is_relative_to(_USR) else (venv,)


def _go() -> Toolchain | None:
    found = shutil.which("go")
    if found is None:
        return None
    root = Path(found).resolve().parent.parent
    cache = Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg" / "mod"
    readable = (*(() if root.is_relative_to(_USR) else (root,)), *((cache,) if cache.is_dir() else ()))
    environ = {"GOCACHE": "/tmp/go-build", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOMODCACHE": str(cache)}
    return Toolchain(bin=root / "bin", readable=readable, environ=environ)


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
    return Toolchain(bin=root / "bin", readable=(root, *downloaded), environ=environ)
