"""Git as the host runs it: a few at once, asked nothing, and not cut short in somebody's files."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from agents.workspace.git.git import AT_ONCE, TRIES, Git, git

# Says how many of its kind there are, itself among them.
GIT = """#!/bin/sh
mkdir "$(dirname "$0")/running/$$"
ls "$(dirname "$0")/running" | wc -l
sleep 0.05
rmdir "$(dirname "$0")/running/$$"
"""


async def test_many_who_want_git_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "running").mkdir()
    _stands_in(tmp_path, GIT, monkeypatch)
    said = await asyncio.gather(*(git(tmp_path, "status") for _ in range(4 * AT_ONCE)))
    assert max(int(count) for count in said) <= AT_ONCE


SLOW = """#!/bin/sh
touch "$(dirname "$0")/begun"
while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.02; done
touch "$(dirname "$0")/ended"
"""
FAR = """#!/bin/sh
case "$*" in *push*) while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.02; done;; esac
"""


def _stands_in(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def _until(there: Path) -> None:
    end = time.monotonic() + 60
    while not there.exists():
        assert time.monotonic() < end, f"there is no {there.name}"
        time.sleep(0.01)


@pytest.mark.parametrize("grace", [0.0, 60.0])
async def test_called_off_it_ends_at_once_unless_it_may_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grace: float
) -> None:
    _stands_in(tmp_path, SLOW, monkeypatch)
    running = asyncio.create_task(Git(directory=tmp_path, grace=grace).ask("read-tree"))
    await asyncio.to_thread(_until, tmp_path / "begun")
    running.cancel()
    if grace:
        await asyncio.sleep(0)
        (tmp_path / "go").touch()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (tmp_path / "ended").exists() is bool(grace)


async def test_a_server_that_does_not_answer_holds_up_nobody_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stands_in(tmp_path, FAR, monkeypatch)
    pushes = [asyncio.create_task(Git(directory=tmp_path, far=True).ask("push")) for _ in range(2 * AT_ONCE)]
    async with asyncio.timeout(60):
        assert (await Git(directory=tmp_path).ask("status")).code == 0
    assert not any(push.done() for push in pushes)
    (tmp_path / "go").touch()
    assert [(await push).code for push in pushes] == [0] * len(pushes)


async def test_what_takes_too_long_is_an_answer_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _stands_in(tmp_path, SLOW, monkeypatch)
    said = await Git(directory=tmp_path, seconds=0.2).ask("status")
    assert said.code == -1 and "no answer within 0.2 s" in said.err


SWEPT = """#!/bin/sh
echo tried >> "$(dirname "$0")/tries"
if [ "$(wc -l < "$(dirname "$0")/tries")" -le %d ]; then
    echo "error: unable to create temporary file: No such file or directory" >&2; exit 128
fi
cat
"""


@pytest.mark.parametrize("times", [1, 100])
async def test_an_object_whose_folder_upkeep_removed_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    _stands_in(tmp_path, SWEPT % times, monkeypatch)
    said = await Git(directory=tmp_path).ask("hash-object", stdin=b"given each time")
    tries = len((tmp_path / "tries").read_text().splitlines())
    assert (said.code, said.out, tries) == ((0, b"given each time", 2) if times == 1 else (128, b"", TRIES))
