"""Attacks 43–48: a person's own checkout follows its branch where nothing can be lost, else it is left alone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.ports import ForgeFailed, Pull, Target
from agents.workspace.forge.local import LocalForge, Place
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import PullLog
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, REDACT, Rig, local_checkout


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with local_checkout(tmp_path) as made:
        yield made


async def merge(rig: Rig, pull: Pull) -> str | None:
    opened = await rig.forge.open(pull)
    return await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")


def state_of(folder: Path) -> tuple[str, str, dict[str, bytes]]:
    status = repos.git(folder, "status", "--porcelain", "--untracked-files=all")
    return repos.git(folder, "symbolic-ref", "HEAD"), status, repos.snapshot(folder)


async def test_opening_touches_neither_files_nor_index_nor_head(rig: Rig) -> None:
    repos.write(rig.far, {"src/a.py": "a = 'half done'\n", "new.txt": "mine\n"})
    repos.git(rig.far, "add", "new.txt")
    before, index = state_of(rig.far), (rig.far / ".git/index").read_bytes()
    await rig.forge.open(rig.pull())
    assert state_of(rig.far) == before
    assert (rig.far / ".git/index").read_bytes() == index


async def test_a_clean_checkout_follows_its_branch(rig: Rig) -> None:
    repos.write(rig.far, {"notes/mine.txt": "not committed, and not in the way\n"})
    (rig.far / "README.md").touch()  # looks changed until git looks again
    assert await merge(rig, rig.pull({"src/b.py": "b = 1\n", "README.md": None}))
    assert state_of(rig.far)[1] == "?? notes/mine.txt"
    assert (rig.far / "src/b.py").read_text() == "b = 1\n"
    assert not (rig.far / "README.md").exists()
    assert (rig.far / "notes/mine.txt").exists()


@pytest.mark.parametrize("how", ["edited", "staged", "untracked in the way", "deleted", "merging", "rebasing"])
async def test_a_checkout_with_somebodys_work_in_it_stops_the_merge(rig: Rig, how: str) -> None:
    main = repos.tip(rig.far, "main")
    if how == "edited":
        repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})
    elif how == "staged":
        repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})
        repos.git(rig.far, "add", ".")
    elif how == "untracked in the way":
        repos.write(rig.far, {"src/b.py": "mine, and never committed\n"})
    elif how == "deleted":
        (rig.far / "README.md").unlink()
    elif how == "merging":
        (rig.far / ".git/MERGE_HEAD").write_text(main)
    else:
        repos.git(rig.far, "checkout", "-q", "--detach")
        (rig.far / ".git/rebase-merge").mkdir()
        (rig.far / ".git/rebase-merge/head-name").write_text("refs/heads/main\n")
    before = repos.snapshot(rig.far)
    pull = rig.pull({"src/b.py": "b = 1\n", "src/a.py": "a = 2\n", "README.md": "# Other words\n"})
    with pytest.raises(ForgeFailed, match="git merge ai/t-1-1-b"):
        await merge(rig, pull)
    assert repos.snapshot(rig.far) == before
    assert repos.tip(rig.far, "main") == main
    assert rig.seen()[0].state == "open"


@pytest.mark.parametrize("how", ["edited", "staged", "deleted"])
async def test_somebodys_work_elsewhere_stays_and_stops_nothing(rig: Rig, how: str) -> None:
    """A merge is refused only if it would touch what is not committed."""
    if how == "deleted":
        (rig.far / "README.md").unlink()
    else:
        repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})
    if how == "staged":
        repos.git(rig.far, "add", ".")
    before = repos.git(rig.far, "status", "--porcelain")
    assert await merge(rig, rig.pull()) == repos.tip(rig.far, "main")
    assert repos.git(rig.far, "status", "--porcelain") == before
    assert (rig.far / "src/b.py").exists() and (how == "deleted" or "half done" in (rig.far / "src/a.py").read_text())


async def test_once_there_is_room_the_same_press_merges(rig: Rig) -> None:
    repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})
    pull = rig.pull({"src/a.py": "a = 2\n"})
    with pytest.raises(ForgeFailed, match=r"changes in src/a\.py that are not committed"):
        await merge(rig, pull)
    repos.git(rig.far, "stash", "-q")
    assert await merge(rig, pull) == repos.tip(rig.far, "main")
    assert (rig.far / "src/a.py").read_text() == "a = 2\n"


async def test_a_person_who_merges_it_themselves_is_understood(rig: Rig) -> None:
    repos.write(rig.far, {"README.md": "half done\n"})
    pull = rig.pull()
    (rig.far / ".git/index.lock").touch()
    with pytest.raises(ForgeFailed):
        await merge(rig, pull)
    (rig.far / ".git/index.lock").unlink()
    repos.git(rig.far, "merge", "-q", "--no-ff", pull.branch)
    assert await merge(rig, pull) == repos.tip(rig.far, "main")
    assert (rig.far / "README.md").read_text() == "half done\n"


async def test_a_branch_that_is_not_checked_out_moves_under_nobody(rig: Rig) -> None:
    opened = await rig.forge.open(pull := rig.pull())
    repos.git(rig.far, "switch", "-q", "-c", "mine")
    repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})
    before = state_of(rig.far)
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b") == repos.tip(rig.far, "main")
    assert state_of(rig.far) == before


async def test_a_checkout_elsewhere_follows_too(rig: Rig, tmp_path: Path) -> None:
    opened = await rig.forge.open(pull := rig.pull())
    repos.git(rig.far, "switch", "-q", "-c", "mine")
    repos.git(rig.far, "worktree", "add", "-q", str(tmp_path / "other place"), "main")
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert (tmp_path / "other place/src/b.py").exists()
    assert state_of(tmp_path / "other place")[1] == ""
    assert not (rig.far / "src/b.py").exists()


@pytest.mark.parametrize("where", ["committed", "deeper", "info", "settings", "the change"])
async def test_filters_are_never_run(rig: Rig, tmp_path: Path, where: str) -> None:
    """Attack 44: what a filter is set to would be executed by a plain checkout."""
    ran = tmp_path / "ran"
    line = "*.py filter=evil\n"
    files: dict[str, str | None] = {"src/b.py": "b = 1\n"}
    if where in ("committed", "deeper"):
        repos.write(rig.far, {".gitattributes" if where == "committed" else "src/.gitattributes": line})
        repos.git(rig.far, "add", ".")
        repos.git(rig.far, "commit", "-q", "-m", "Attributes")
    elif where == "info":
        repos.write(rig.far, {".git/info/attributes": line})
    elif where == "the change":
        files[".gitattributes"] = line
    else:
        for side in ("clean", "smudge", "process"):
            repos.git(rig.far, "config", f"filter.evil.{side}", f"touch {ran}")
    (rig.far / "src/a.py").write_text("a = 1\n")  # the same, but git would have to look, through the filter
    with pytest.raises(ForgeFailed, match="filters"):
        await merge(rig, rig.pull(files))
    assert not ran.exists()


@pytest.mark.parametrize(
    "hook", ["reference-transaction", "post-merge", "post-checkout", "pre-auto-gc", "post-index-change"]
)
async def test_nothing_that_the_repository_names_is_executed(rig: Rig, tmp_path: Path, hook: str) -> None:
    """Attack 43."""
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    (rig.far / ".git/hooks").mkdir(exist_ok=True)
    (rig.far / ".git/hooks" / hook).write_text(script.read_text())
    (rig.far / ".git/hooks" / hook).chmod(0o755)
    for name in ("core.fsmonitor", "core.editor", "gpg.program", "core.sshCommand", "diff.external", "core.pager",
                 "merge.evil.driver", "diff.evil.textconv", "core.alternateRefsCommand"):  # fmt: skip
        repos.git(rig.far, "config", name, str(script))
    repos.git(rig.far, "config", "commit.gpgSign", "true")
    pull = rig.pull({"src/b.py": "b = 1\n"})
    opened = await rig.forge.open(pull)
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert not ran.exists()
    assert (rig.far / "src/b.py").exists()


async def test_a_branch_of_ours_that_somebody_looks_at_is_not_moved_under_them(rig: Rig) -> None:
    pull = rig.pull()
    await rig.forge.open(pull)
    repos.git(rig.far, "switch", "-q", pull.branch)
    before = state_of(rig.far)
    better = rig.pull(head=repos.commit(rig.ours, {"src/b.py": "b = 2\n"}, on=pull.head))
    with pytest.raises(ForgeFailed, match="checked out"):
        await rig.forge.open(better)
    assert state_of(rig.far) == before


async def test_merges_at_once_follow_one_another(rig: Rig) -> None:
    pulls = [rig.pull({f"src/{name}.py": "x\n"}, key=name, branch=f"ai/{name}") for name in "abcd"[1:]]
    opened = [await rig.forge.open(pull) for pull in pulls]
    merges = (rig.forge.merge(PROJECT, one.number, one.head, "Add") for one in opened)
    assert all(await asyncio.gather(*merges))
    assert state_of(rig.far)[1] == ""
    assert {f"src/{name}.py" for name in "bcd"} <= set(repos.snapshot(rig.far))


@pytest.mark.parametrize("lock", ["refs/heads/main.lock", "index.lock"])
async def test_a_lock_that_a_dead_git_left_is_told_as_what_it_is(rig: Rig, lock: str) -> None:
    opened = await rig.forge.open(pull := rig.pull())
    (rig.far / ".git" / lock).touch()
    with pytest.raises(ForgeFailed) as told:
        await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert lock in str(told.value) and "left by one that died" in str(told.value)
    assert "keeps moving" not in str(told.value)
    (rig.far / ".git" / lock).unlink()
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b") == repos.tip(rig.far, "main")


async def test_a_lock_that_goes_in_a_moment_is_waited_for(rig: Rig) -> None:
    opened = await rig.forge.open(pull := rig.pull())
    (lock := rig.far / ".git/refs/heads/main.lock").touch()
    asyncio.get_running_loop().call_later(0.3, lock.unlink)
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b") == repos.tip(rig.far, "main")


async def test_files_that_cannot_follow_at_the_last_moment_are_told_of_also_after_a_kill(
    rig: Rig, tmp_path: Path
) -> None:
    """Somebody edits a file between our look and the merge: the branch has moved, and nothing of theirs is lost."""

    class SomebodyEdits(PullLog):
        async def merging(self, project: str, number: int, was: str, commit: str) -> None:
            await super().merging(project, number, was, commit)
            repos.write(rig.far, {"src/a.py": "a = 'half done'\n"})

    database = Database(f"sqlite:///{tmp_path / 'forge.db'}")
    places = {PROJECT: Place(repository=rig.far, commits=rig.ours)}
    forge = LocalForge(places, SomebodyEdits(database, SystemClock()), REDACT, lambda project, number: "")
    opened = await forge.open(pull := rig.pull({"src/a.py": "a = 2\n"}))
    for _ in range(2):
        told: list[str] = []
        assert await forge.merge(PROJECT, opened.number, pull.head, "Change a", Target(tell=told.append))
        assert len(told) == 1 and "git reset --soft" in told[0] and str(rig.far) in told[0]
    assert (rig.far / "src/a.py").read_text() == "a = 'half done'\n"
    database.close()


async def test_somebody_who_looks_at_a_branch_of_ours_does_not_ask_for_work_on_it(rig: Rig) -> None:
    """Whatever the settings call it: we know which branches we began."""
    for branch in ("ai/t-1-b", "bots/t-1/b", "theirs"):
        repos.git(rig.far, "switch", "-q", "-c", branch)
        if branch != "theirs":
            tip = repos.tip(rig.far, branch)
            repos.git(rig.ours, "update-ref", f"refs/overlord/base/{branch}", tip)
        assert await rig.forge.base(PROJECT) == ("theirs" if branch == "theirs" else "main")
