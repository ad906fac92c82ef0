"""The programs a bubblewrap sandbox is made of, as they are found on this machine."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from agents.workspace.sandbox.walls.errors import SandboxUnusable

NOBODY = 65_534  # what root becomes before it starts bwrap: bwrap that root starts is no wall
_SYSTEM_PYTHON = Path("/usr/bin/python3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    bwrap: str
    prlimit: str
    python: str  # runs our side of the sandbox inside it
    setpriv: str = ""  # only root needs it
    readable: tuple[Path, ...] = ()  # what that Python needs and /usr does not hold
    user: int | None = None  # the user to become; None: we are nobody special already


def find(path: str | None = None) -> Tools:
    """`path` is where to look, as in PATH. Raises SandboxUnusable with what to install."""
    wanted = ["bwrap", "prlimit", *(["setpriv"] if os.geteuid() == 0 else [])]
    found = {name: shutil.which(name, path=path) for name in wanted}
    missing = [name for name, at in found.items() if at is None]
    if missing:
        packages = "bubblewrap" if missing == ["bwrap"] else "bubblewrap util-linux"
        raise SandboxUnusable(
            f"not installed ({', '.join(missing)} not found)",
            next_step=f"Install it: apt install {packages} (on macOS run Docker or Podman instead).",
        )
    python, readable = interpreter()
    return Tools(
        bwrap=found["bwrap"] or "",
        prlimit=found["prlimit"] or "",
        setpriv=found.get("setpriv") or "",
        python=python,
        readable=readable,
        user=NOBODY if os.geteuid() == 0 else None,
    )


def interpreter() -> tuple[str, tuple[Path, ...]]:
    """The system's own Python needs no mount of its own; else the one we run on."""
    if _SYSTEM_PYTHON.exists():
        return str(_SYSTEM_PYTHON), ()
    return str(Path(sys.executable).resolve()), (Path(sys.base_prefix),)


def toolchain(venv: Path) -> tuple[Path, ...]:
    """A venv, and the interpreter it stands on: a sandbox must show both."""
    settings = (line.partition("=") for line in (venv / "pyvenv.cfg").read_text().splitlines())
    home = next((Path(value.strip()) for name, _, value in settings if name.strip() == "home"), None)
    if home is None:
        return (venv,)
    prefix = home.resolve().parent
    return (venv,) if prefix == Path("/usr") else (venv, prefix)
