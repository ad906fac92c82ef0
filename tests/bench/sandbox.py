"""A command in our sandbox beside the same command behind the same walls of bare bwrap, started by hand.

`sandbox_command` is what a minion pays for each command: its sandbox runs already. `sandbox_once` is what a gate pays:
a sandbox of its own. Bare is the command line alone, in a control group where one can be had: no deadline, nothing is
looked at, no output is counted or cleaned.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.ports import Workspace
from agents.workspace.sandbox import walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.processes import resource_limits
from agents.workspace.sandbox.walls import GATE, MINION, Start, command_line
from tests.bench.rows import Row, Say, compared, table

ROUNDS = 40
# without its limit to one processor, which bare does not have either
FREE = replace(GATE, cpus=os.cpu_count() or 1)
BESIDE = "bare bwrap, the same walls"


def run(say: Say) -> list[Row]:
    if shutil.which("bwrap") is None:
        return [Row(name="sandbox_command", ours=0, failed="bubblewrap is not installed")]
    with TemporaryDirectory(prefix="overlord-bench-", dir="/var/tmp") as made:
        place = Path(made).resolve()
        place.chmod(0o755)
        (place / "tree").mkdir()
        return asyncio.run(_measure(Workspace(path=place / "tree"), say))


async def _measure(workspace: Workspace, say: Say) -> list[Row]:
    sandbox = Bubblewrap(tools=walls.find_tools())
    rooms, onces, bares = [], [], []
    async with sandbox.open(workspace, MINION) as room:
        for number in range(-3, ROUNDS):
            began = time.perf_counter()
            await room.run(["true"])
            told = time.perf_counter()
            ran = await sandbox.once(workspace, FREE, ["true"])
            gated = time.perf_counter()
            assert ran.exit_code == 0
            await asyncio.to_thread(_bare, workspace)
            ended = time.perf_counter()
            if number >= 0:  # the first ones load files from the disk
                rooms.append(told - began)
                onces.append(gated - told)
                bares.append(ended - gated)
    say(f"{ROUNDS} rounds: in a room {_ms(rooms)}, a gate {_ms(onces)}, bare bwrap {_ms(bares)} ms")
    return [
        compared("sandbox_command", rooms, bares, beside=BESIDE, most=1.3),
        compared("sandbox_once", onces, bares, beside=BESIDE, most=1.3),
    ]


def _bare(workspace: Workspace) -> None:
    line = command_line(Start(workspace=workspace, profile=GATE, tools=walls.find_tools(), command=["/usr/bin/true"]))
    group = resource_limits.make_group(GATE)
    joining = ["/bin/sh", "-c", f'{group.joining()} && exec "$@"', "sh"] if group else []
    subprocess.run([*joining, *line], env={}, capture_output=True, check=True)
    if group:
        group.remove()


def _ms(seconds: Sequence[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2] * 1e3:.1f}"


if __name__ == "__main__":
    print(table(run(lambda text: print(text, file=sys.stderr))))
