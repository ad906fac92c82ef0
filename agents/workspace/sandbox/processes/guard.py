"""The guardian as the bot sees it: a token to mark sandboxes with, and a process that knows when the bot has died."""

import os
import subprocess
import sys
from pathlib import Path

from agents.workspace.sandbox.processes.guardian import TOKEN

GUARDIAN = Path(__file__).with_name("guardian.py")


class Guard:
    """Started with the first sandbox. It needs no word to act: the end of its pipe is the end of us."""

    def __init__(self) -> None:
        self.token = f"overlord-{os.urandom(16).hex()}"
        self._process: subprocess.Popen[bytes] | None = None

    def stand(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={TOKEN: self.token},
            cwd="/",
            start_new_session=True,
        )
