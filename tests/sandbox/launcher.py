"""A program that runs a command in a sandbox and waits to be killed: KIND SANDBOX FOLDER MARK are its arguments."""

import asyncio
import sys
from pathlib import Path

from agents.ports import Workspace
from tests.conformance.sandbox_rig import RIGS
from tests.sandbox.yard import SMALL


async def main(kind: str, name: str, folder: str, mark: str) -> None:
    sandbox, workspace = RIGS[name](), Workspace(path=Path(folder))
    command = ["sh", "-c", f"(setsid sleep 600 &); echo up; sleep 600; : {mark}"]
    sys.stdout.write("starting\n")
    sys.stdout.flush()
    if kind == "once":
        await sandbox.once(workspace, SMALL, command, _say)
    else:
        async with sandbox.open(workspace, SMALL) as room:
            await room.run(command, on_output=_say)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
