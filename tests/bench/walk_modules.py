"""`python -m tests.bench.walk_modules`: in how many of our modules does a function run during one request?

The first rehearsed request runs in the whole program, over HTTP, from words to merge. A module counts if one of its
functions is called after the module was imported: importing it, class bodies, comprehensions and what a module calls
while it is imported do not count. Processes of the sandbox and the generated methods of dataclasses are not seen.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.bench import walk
from tests.bench.floor import ROOT, folder
from tests.bench.rows import Row, Say

PACKAGES = ("bot", "agents", "store")
BEFORE = 244  # of 404 modules, at the commit where the domain got rooms (docs/walk.md)
MOST = 2 / 3
TINY = 60  # lines
NOT_A_CALL = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")


class Trace:
    """The functions of ours that were called, by module."""

    def __init__(self, root: Path) -> None:
        self.functions: dict[str, set[str]] = defaultdict(set)
        self._root = f"{root}/"
        self._importing: dict[int, int] = defaultdict(int)

    def start(self) -> None:
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self._called(frame.f_code)
        elif event == "return" and frame.f_code.co_name == "<module>":
            self._imported(frame.f_code)

    def _monitor(self) -> None:
        monitoring: Any = getattr(sys, "monitoring")  # noqa: B009  # mypy reads the types of 3.11
        events = monitoring.events
        monitoring.use_tool_id(monitoring.PROFILER_ID, "walk_modules")
        monitoring.register_callback(monitoring.PROFILER_ID, events.PY_START, lambda code, _: self._called(code))
        monitoring.register_callback(
            monitoring.PROFILER_ID,
            events.PY_RETURN,
            lambda code, *_: self._imported(code) if code.co_name == "<module>" else monitoring.DISABLE,
        )
        monitoring.set_events(monitoring.PROFILER_ID, events.PY_START | events.PY_RETURN)

    def _called(self, code: CodeType) -> None:
        module = self._module(code)
        if not module:
            return
        if code.co_name == "<module>":
            self._importing[threading.get_ident()] += 1
        elif code.co_flags & 1 and code.co_name not in NOT_A_CALL and not self._importing[threading.get_ident()]:
            self.functions[module].add(code.co_qualname)  # flag 1: a function, not the body of a class

    def _imported(self, code: CodeType) -> None:
        if self._module(code):
            self._importing[threading.get_ident()] -= 1

    def _module(self, code: CodeType) -> str:
        path = code.co_filename.removeprefix(self._root)
        return path if path.startswith(PACKAGES) and path.endswith(".py") else ""


def run(say: Say) -> list[Row]:
    """The walk in a process of its own: a trace slows everything in it."""
    asked = [sys.executable, "-m", "tests.bench.walk_modules", "--json"]
    found = json.loads(subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout)
    say(f"a function runs in {len(found)} of {len(sources())} modules")
    beside = f"modules in which a function runs; {BEFORE} before the rooms"
    return [Row(name="walk_modules", ours=len(found), unit="", most_ours=int(BEFORE * MOST), beside=beside)]


def sources() -> dict[str, int]:
    """Our modules, each with its lines."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in paths}


def report(functions: dict[str, set[str]]) -> str:
    lines = sources()
    ran = sorted(functions)
    told = [f"{lines[module]:5}  {len(functions[module]):3}  {module}" for module in ran]
    tiny = [module for module in ran if lines[module] <= TINY]
    return "\n".join(
        [
            "lines  functions that run  module",
            *told,
            f"A function runs in {len(ran)} of {len(lines)} modules; these have {sum(lines[m] for m in ran)} lines.",
            f"{len(tiny)} of them have at most {TINY} lines: {', '.join(tiny)}",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.walk_modules", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the modules with their functions as JSON")
    asked = parser.parse_args()
    trace = Trace(ROOT)
    trace.start()
    with folder() as place:
        asyncio.run(walk.play(place))
    functions = {module: names for module, names in trace.functions.items() if names}
    print(json.dumps({m: sorted(n) for m, n in functions.items()}, indent=1) if asked.json else report(functions))


if __name__ == "__main__":
    main()
