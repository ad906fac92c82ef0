"""Runs beside the bot as `python -IS …`, and when the bot has died ends what its sandboxes left running.

A sandbox dies with whoever started it, but for the few milliseconds in which it is being set up: a bot that is killed
just then leaves it behind. Every process that is first in its sandbox has the bot's token in its command line.
"""

import os
import signal
import sys
import time

TOKEN = "OVERLORD_TOKEN"  # in the environment, so that it is there from the first instruction on
QUIET = 1.0  # seconds without a find, after which nothing is being set up any more
PAUSE = 0.05


def main() -> None:
    token = os.environ.get(TOKEN, "")
    if not well_formed(token):
        raise SystemExit(f"{TOKEN} is not the token of a bot: it could match anything")
    sys.stdin.buffer.read()  # ends when the bot does, however that comes
    last = time.monotonic()
    while time.monotonic() - last < QUIET:
        if any([kill_if_ours(pid, token.encode()) for pid in os.listdir("/proc") if pid.isdigit()]):  # noqa: PTH208
            last = time.monotonic()
        time.sleep(PAUSE)


def well_formed(token: str) -> bool:
    """A short or empty one would be found in the command line of others."""
    name, _, digits = token.partition("-")
    return name == "overlord" and len(digits) == 32 and set(digits) <= set("0123456789abcdef")


def kill_if_ours(pid: str, token: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123  pathlib takes longer to load than all this
            if token not in file.read():
                return False
        os.kill(int(pid), signal.SIGKILL)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
