"""Other tools, each in a process of its own that measures a round whenever it is told to."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.floor import ROOT
from tests.bench.rows import Say

PYTHON = ROOT / ".venv-bench" / "bin" / "python"
LANGGRAPH = Path(__file__).parent / "langgraph_step.py"


class Peer:
    """`measured` holds seconds of every round but the first, which warms up."""

    def __init__(self, process: "subprocess.Popen[str] | None", problem: str = "") -> None:
        self._process = process
        self.problem = problem
        self._all: list[float] = []

    @property
    def measured(self) -> list[float]:
        return self._all[1:]

    def per_step(self) -> None:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            return
        self._process.stdin.write("round\n")
        self._process.stdin.flush()
        self._all.append(float(self._process.stdout.readline()))


@contextmanager
def langgraph(place: Path, say: Say) -> Iterator[Peer]:
    if not PYTHON.exists():
        yield Peer(None, "no .venv-bench: run .ci/setup bench")
        return
    say("starting LangGraph in .venv-bench")
    command = [str(PYTHON), str(LANGGRAPH), str(place / "langgraph.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sys.stderr, text=True) as made:
        yield Peer(made)
        made.communicate(timeout=30)
