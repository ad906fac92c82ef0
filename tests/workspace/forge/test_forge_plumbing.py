"""Git as the forge runs it, when nobody waits for it any more: it may end, and nothing of it is left."""

import asyncio
import os
from pathlib import Path

import pytest

from agents.workspace.forge.repository import Repository
from tests.sandbox.yard import left
from tests.scenarios.stage import until
from tests.workspace import repositories as repos


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(repos.somebodys(tmp_path / "theirs"))


def in_place_of_git(folder: Path, script: str) -> dict[str, str]:
    """An environment in which git is this script."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


async def test_what_is_under_way_when_we_are_stopped_is_not_ended_halfway(
    repository: Repository, tmp_path: Path
) -> None:
    begun, done = tmp_path / "begun", tmp_path / "done"
    environ = in_place_of_git(tmp_path / "bin", f"touch {begun}; sleep 0.5; touch {done}")
    asked = asyncio.create_task(repository.ask("push", env=environ))

    async def has_begun() -> bool:
        return begun.exists()

    await until(has_begun, "git")
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert done.exists()


async def test_what_takes_too_long_is_ended_with_all_that_it_started(repository: Repository, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}"
    environ = in_place_of_git(tmp_path / "bin", f"sh -c 'sleep 600; : {mark}' & sleep 600; : {mark}")
    said = await repository.ask("push", env=environ, most=0.5)
    assert (said.code, said.err) == (-1, "no answer within 0.5 s")
    assert left(mark) == []
