"""Who holds something, and whether they are gone: by the host, the process and when it was started."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from store.running.leases import is_dead

HOST = socket.gethostname()


def started(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are not known by /proc here")


def test_who_runs_is_alive_and_whoever_has_its_number_since_is_somebody_else() -> None:
    me = os.getpid()
    assert not is_dead(f"{HOST}/{me}/{started(me)}")
    assert is_dead(f"{HOST}/{me}/{int(started(me)) - 1}"), "another process had this number before"


@pytest.mark.parametrize("owner", ["elsewhere.example/1/1", HOST, f"{HOST}/", f"{HOST}/x/1", ""])
def test_of_whom_nothing_is_known_nobody_says_that_they_are_gone(owner: str) -> None:
    assert not is_dead(owner)


def test_who_ended_is_gone_also_before_anybody_took_notice() -> None:
    ended = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = f"{HOST}/{ended.pid}/{started(ended.pid)}"
    assert not is_dead(owner)
    assert ended.stdin
    ended.stdin.close()
    until = time.monotonic() + 60
    while not is_dead(owner) and time.monotonic() < until:  # nobody waited for it, so it is a zombie
        time.sleep(0.01)
    assert is_dead(owner)
    ended.wait()
    assert is_dead(owner), "its number is free"
