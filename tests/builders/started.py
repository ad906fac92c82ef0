"""Helpers that the tests of cli up share with others."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.builders.shell import OVERLORD, Shell


@contextmanager
def up(shell: Shell, *flags: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The program, running, with the lines it said when it was ready."""
    process = subprocess.Popen(
        [OVERLORD, "up", "--port", "0", *flags],
        cwd=shell.folder,
        env={**shell.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines: list[str] = []
        assert process.stdout
        while not lines or not lines[-1].startswith("Stop with"):
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            lines.append(line.rstrip())
        yield process, lines
    finally:
        process.kill()
        process.communicate()


def said(lines: list[str], name: str) -> str:
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:"))
