"""Writes what a runner of tests is given to load: tests that must fail and must pass, and whoever tells of them."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

MOST = 300  # tests that have a planted one beside them
PAIRS = 3  # of those, how many have two of names of chance as well
PLUGIN = Path(__file__).with_name("pytest_plugin.py")
# Written anew each time, with other numbers: what takes assertions out of tests must take out these.
_BODIES = """\
def fails():
    found = [{0}, {1}]
    assert sum(found) == {2}


def passes():
    found = [{0}, {1}]
    assert sum(found) == {3}
"""
_SMALL = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """`folder` is shown to the sandbox, where nobody can write it; `socket` is a path in the tree."""

    folder: Path
    plugin: str  # a module's name
    socket: str

    @property
    def options(self) -> tuple[str, ...]:
        return ("-p", self.plugin)

    def environ(self, environ: dict[str, str]) -> dict[str, str]:
        return {**environ, "PYTHONPATH": ":".join(filter(None, (environ.get("PYTHONPATH", ""), str(self.folder))))}


def write_plant(folder: Path, socket: str) -> Plant:
    """Into a fresh folder."""
    plugin, module = (f"{word}_{secrets.token_hex(6)}" for word in ("hooks", "cases"))
    first, second = (secrets.randbelow(900) + 100 for _ in range(2))
    total = first + second
    plan = {
        "socket": socket,
        "seed": secrets.randbits(48),
        "most": MOST,
        "pairs": PAIRS,
        "module": module,
        "fails": f"test_{secrets.token_hex(4)}",
        "passes": f"test_{secrets.token_hex(4)}",
    }
    bodies = _BODIES.format(first, second, total + secrets.randbelow(50) + 1, total)
    for name, text in ((f"{plugin}.py", PLUGIN.read_text()), (f"{module}.py", bodies), ("plan.json", json.dumps(plan))):
        file = folder / name
        file.write_text(text)
        os.chmod(file, _SMALL)  # noqa: PTH101  whatever the umask is
    folder.chmod(0o755)
    return Plant(folder=folder, plugin=plugin, socket=socket)
