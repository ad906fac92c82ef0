"""Processes of other users of this machine. Only root can have them: a process is started, and becomes another's."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

STRANGER, OTHER = 54_321, 54_322  # nobody has these
ROOT = Path(__file__).parents[2]

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can have processes of other users")

# Sends one request for each line of input, headers between "|", and prints the status of each answer.
ASK = """
import encodings.idna, os, socket, sys
port, path, user = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
os.setgroups([]), os.setresgid(user, user, user), os.setresuid(user, user, user)
for line in sys.stdin.read().split("\\n"):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as to:
        head = [f"GET {path} HTTP/1.1", f"Host: localhost:{port}", "Connection: close", *filter(None, line.split("|"))]
        to.sendall("\\r\\n".join([*head, "", ""]).encode("latin-1"))
        answer = b""
        while piece := to.recv(65536):
            answer += piece
        print(answer.split(b" ", 2)[1].decode() if answer else "closed")
"""


def become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def start(*words: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    piped = subprocess.PIPE
    return subprocess.Popen([sys.executable, *words], env=environ, text=True, stdin=piped, stdout=piped, stderr=piped)


def ask(user: int, port: int, lines: Sequence[str], path: str = "/needs") -> list[str]:
    """The status of each answer that a process of this user gets."""
    asking = start("-I", "-S", "-c", ASK, str(port), path, str(user))
    out, err = asking.communicate("\n".join(lines), timeout=60)
    assert asking.returncode == 0, err
    return out.split()
