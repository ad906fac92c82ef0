"""Somebody else moves a branch at the worst moment: nothing of theirs is lost, and only what was approved is merged."""

from pathlib import Path

import pytest

from agents.ports import ForgeFailed
from agents.workspace.forge.local import LocalForge, Place
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import PullLog
from tests.fakes.github import running_github
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, REDACT, github_forge, work_on


class Meddling(PullLog):
    """Between the making of a merge and its putting in place somebody else pushes, so many times."""

    far: Path
    times = 1
    made: list[str]

    async def merging(self, project: str, number: int, was: str, commit: str) -> None:
        await super().merging(project, number, was, commit)
        if len(self.made) < self.times:
            self.made.append(repos.put_on(self.far, "main", {f"theirs{len(self.made)}.py": "x\n"}))


@pytest.mark.parametrize("times", [1, 3, 99])
async def test_a_branch_that_moved_meanwhile_is_never_moved_back(tmp_path: Path, times: int) -> None:
    far = repos.bare(repos.somebodys(tmp_path / "theirs"), tmp_path / "far")
    ours = repos.bare(far, tmp_path / "ours")
    database = Database(f"sqlite:///{tmp_path / 'forge.db'}")
    book = Meddling(database, SystemClock())
    book.far, book.times, book.made = far, times, []
    forge = LocalForge({PROJECT: Place(repository=far, commits=ours)}, book, REDACT, lambda project, number: "")
    pull = work_on(ours)
    opened = await forge.open(pull)
    if times == 99:
        with pytest.raises(ForgeFailed, match="keeps moving"):
            await forge.merge(PROJECT, opened.number, pull.head, "Add b")
        assert repos.tip(far, "main") == book.made[-1]
    else:
        merged = await forge.merge(PROJECT, opened.number, pull.head, "Add b")
        assert merged == repos.tip(far, "main")
        assert repos.git(far, "show", "-s", "--format=%P", merged).split() == [book.made[-1], pull.head]
    history = repos.git(far, "rev-list", "main").split()
    assert set(book.made) <= set(history)
    database.close()


async def test_github_is_told_which_head_was_approved(tmp_path: Path) -> None:
    """Somebody pushes onto the branch after we looked and before the merge arrives."""
    async with running_github(tmp_path / "hub") as fake:
        repo = fake.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs"), fake.folder)
        ours = repos.bare(repo.path, tmp_path / "ours")
        forge, api = github_forge(fake.api_url, ours)
        pull = work_on(ours)
        opened = await forge.open(pull)
        fake.world.before_merge = lambda: str(repos.put_on(repo.path, pull.branch, {"evil.py": "x\n"}))
        assert await forge.merge(PROJECT, opened.number, pull.head, "Add b") is None
        assert fake.world.count("merge") == 0
        await api.close()


async def test_what_somebody_pushed_a_moment_ago_is_not_overwritten(tmp_path: Path) -> None:
    """After we saw that the branch is not there, and before our push arrives."""
    async with running_github(tmp_path / "hub") as fake:
        repo = fake.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs"), fake.folder)
        ours = repos.bare(repo.path, tmp_path / "ours")
        forge, api = github_forge(fake.api_url, ours)
        pull = work_on(ours)
        theirs = repos.commit(repo.path, {"theirs.py": "x\n"}, on=repos.tip(repo.path, "main"), who="Bob")
        fake.world.before_push = lambda: repos.git(repo.path, "update-ref", f"refs/heads/{pull.branch}", theirs)
        with pytest.raises(ForgeFailed, match="did not make"):
            await forge.open(pull)
        assert repos.tip(repo.path, pull.branch) == theirs
        assert fake.world.count("pull") == 0
        await api.close()
