"""Git as the host runs it: a few at once."""

import asyncio
import os
from pathlib import Path

import pytest

from agents.workspace.git import AT_ONCE, git

# Says how many of its kind there are, itself among them.
GIT = """#!/bin/sh
mkdir "$(dirname "$0")/running/$$"
ls "$(dirname "$0")/running" | wc -l
sleep 0.05
rmdir "$(dirname "$0")/running/$$"
"""


async def test_many_who_want_git_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "running").mkdir()
    (tmp_path / "git").write_text(GIT)
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    said = await asyncio.gather(*(git(tmp_path, "status") for _ in range(4 * AT_ONCE)))
    assert max(int(count) for count in said) <= AT_ONCE
