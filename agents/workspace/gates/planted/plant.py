"""Writes what a runner of tests is given to load: tests that must fail and must pass, and whoever tells of them."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

MOST = 300  # tests that have a planted one beside them
PAIRS = 3  # of those, how many have two of names of chance as well
HERE = Path(__file__).parent


class Planted(StrEnum):
    """The runners of tests that are given planted ones."""

    PYTEST = "pytest"
    BENEATH = "beneath"  # pytest, started by what the project or its operator wrote
    NODE = "node"  # node --test
    MOCHA = "mocha"
    JEST = "jest"
    VITEST = "vitest"
    GO = "go"
    CARGO = "cargo"

    @property
    def is_read(self) -> bool:
        """Whether what it says of tests stands in its output; the others are given somebody who tells it."""
        return self in (Planted.GO, Planted.CARGO)

    @property
    def counts_planted(self) -> bool:
        """Whether planted tests that fail make it fail."""
        return self not in (Planted.PYTEST, Planted.BENEATH)


# Written anew each time, with other numbers: what takes assertions out of tests must take out these.
_BODIES = """\
def fails():
    found = [{0}, {1}]
    assert sum(found) == {2}


def passes():
    found = [{0}, {1}]
    assert sum(found) == {3}
"""
_PARTS = ("watch", "codes", "loaded")  # of the plugin
_SMALL = 0o644
_REPORTERS = {
    Planted.MOCHA: ("mocha_reporter.cjs", ("--reporter={}", "--no-bail", "--no-parallel")),
    Planted.JEST: ("jest_reporter.cjs", ("--reporters={}", "--bail=0")),
    Planted.VITEST: ("vitest_reporter.mjs", ("--reporter={}", "--bail=0")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """`folder` is shown to the sandbox, where nobody can write it."""

    folder: Path
    options: tuple[str, ...] = ()  # of the runner
    settings: Mapping[str, str] = field(default_factory=dict)  # what is put behind what is in the environment
    fails: str = ""  # names, where all files have the same
    passes: str = ""

    def environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        joined = {"PYTHONPATH": ":", "NODE_OPTIONS": " ", "PYTEST_ADDOPTS": " "}
        more = {
            name: joined[name].join(filter(None, (environ.get(name), each))) for name, each in self.settings.items()
        }
        return {**environ, **more}


def write_plant(folder: Path, socket: str, runner: Planted = Planted.PYTEST) -> Plant:
    """Into a fresh folder. `socket`: its path from where the runner is started."""
    plan = {
        "socket": socket,
        "seed": secrets.randbits(48),
        "most": MOST,
        "pairs": PAIRS,
        "module": f"cases_{secrets.token_hex(6)}",
        "fails": f"test_{secrets.token_hex(4)}",
        "passes": f"test_{secrets.token_hex(4)}",
        "watch": f"seen_{secrets.token_hex(6)}",
        "codes": f"code_{secrets.token_hex(6)}",
        "loaded": f"look_{secrets.token_hex(6)}",
        "total": secrets.randbelow(9000),
    }
    _write(folder, "plan.json", json.dumps(plan))
    folder.chmod(0o755)
    if runner in (Planted.PYTEST, Planted.BENEATH):
        plant = _pytest(folder, {name: str(plan[name]) for name in ("module", *_PARTS)})
        told = {**plant.settings, "PYTEST_ADDOPTS": " ".join(plant.options)}
        return plant if runner is Planted.PYTEST else replace(plant, options=(), settings=told)
    if runner.is_read:
        return Plant(folder=folder)
    plant = _node(folder) if runner is Planted.NODE else _by_reporter(folder, runner)
    return replace(plant, fails=str(plan["fails"]), passes=str(plan["passes"]))


def _pytest(folder: Path, names: Mapping[str, str]) -> Plant:
    plugin = f"hooks_{secrets.token_hex(6)}"
    first, second = (secrets.randbelow(900) + 100 for _ in range(2))
    total = first + second
    _write(folder, f"{plugin}.py", (HERE / "pytest_plugin.py").read_text())
    for each in _PARTS:
        _write(folder, f"{names[each]}.py", (HERE / f"pytest_{each}.py").read_text())
    _write(folder, f"{names['module']}.py", _BODIES.format(first, second, total + secrets.randbelow(50) + 1, total))
    return Plant(folder=folder, options=("-p", plugin), settings={"PYTHONPATH": str(folder)})


def _node(folder: Path) -> Plant:
    for name in ("node_preload.cjs", "node_reporter.mjs"):
        _write(folder, name, (HERE / name).read_text())
    options = (
        f'--require="{folder}/node_preload.cjs"',
        f'--test-reporter="{folder}/node_reporter.mjs"',
        "--test-reporter-destination=stdout",
    )
    return Plant(folder=folder, settings={"NODE_OPTIONS": " ".join(options)})


def _by_reporter(folder: Path, runner: Planted) -> Plant:
    """What stops at the first failure would stop at a planted one."""
    name, options = _REPORTERS[runner]
    for each in (name, "js_line.cjs"):
        _write(folder, each, (HERE / each).read_text())
    return Plant(folder=folder, options=("--", options[0].format(folder / name), *options[1:]))


def _write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(_SMALL)  # whatever the umask is
