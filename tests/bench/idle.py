"""How often the program wakes when nothing happens: all its threads, counted by the kernel."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.floor import ROOT, folder
from tests.bench.rows import Row, Say

SETTLE, COUNTED = 15.0, 20.0  # seconds: what is loaded after the start, and how long is counted
_WAITED = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
MOST = 5.0


def run(say: Say) -> list[Row]:
    with folder() as place:
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("OVERLORD_", "PYTHON"))}
        environ |= {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": "0", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "bot", "up"]
        with subprocess.Popen(
            command, cwd=place, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as program:
            try:
                _wait_for_words(program)
                time.sleep(SETTLE)
                before, began = _waits(program.pid), time.monotonic()
                time.sleep(COUNTED)
                wakes = (_waits(program.pid) - before) / (time.monotonic() - began)
            finally:
                program.terminate()
    say(f"{wakes:.1f} a second")
    return [Row(name="idle_wakeups", ours=wakes, unit="/s", most_ours=MOST, beside="all threads, nothing to do")]


def _wait_for_words(program: "subprocess.Popen[str]") -> None:
    for line in program.stdout or ():
        if line.startswith("Stop with"):
            return
    raise RuntimeError("it did not start")


def _waits(pid: int) -> int:
    """How often its threads have given up the processor by themselves: each time they woke for something."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        found = _WAITED.search((task / "status").read_text())
        total += int(found[1]) if found else 0
    return total
