"""What a kill can leave half done, one case at a time: it is seen, made anew or removed, and in nobody's way."""

import shutil

import pytest

from agents.workspace.git.folders import POOL
from agents.workspace.git.staging import MOST_FILES, _problems
from tests.workspace.yard import BRANCH, Yard, git, write

NAME = BRANCH.replace("/", "+")


@pytest.mark.parametrize("half", ["no files", "no index", "no record", "a file in its place", "a link in its place"])
async def test_half_a_folder_is_made_anew(yard: Yard, half: str) -> None:
    _, checkout = await yard.opened()
    path, kept = checkout.workspace.path, yard.mirror / "worktrees" / NAME
    if half == "no index":
        (kept / "index").unlink()
    elif half == "no record":
        shutil.rmtree(kept)
    else:
        shutil.rmtree(path)
    if half == "a file in its place":
        path.write_text("x")
    elif half == "a link in its place":
        path.symlink_to(yard.user)
    before = yard.seen()
    checkouts, again = await yard.opened()
    assert not again.found and (path / "README.md").is_file() and not path.is_symlink()
    assert await checkouts.unsaved_paths(again) == [] and again.base == checkout.base
    assert yard.folders() == [NAME] and yard.seen() == before


async def test_lock_files_that_a_killed_git_left_are_in_nobodys_way(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    for stale in (f"worktrees/{NAME}/index.lock", f"refs/heads/{BRANCH}.lock", "refs/overlord/head.lock"):
        (yard.mirror / stale).write_text("")
    write(checkout.workspace.path, {"a.txt": "1\n"})
    commit = await checkouts.commit(checkout, "one")
    assert git(yard.mirror, "rev-parse", BRANCH) == commit
    later = yard.people_commit({"later.txt": "1\n"})
    assert await checkouts.tip("links", "HEAD") == later
    assert list(yard.mirror.rglob("*.lock")) == []


async def test_a_kill_between_a_commit_and_its_note_in_the_folder_commits_nothing_twice(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"a.txt": "1\n"})
    commit = await checkouts.commit(checkout, "one")
    (yard.mirror / "worktrees" / NAME / "HEAD").write_text(f"{checkout.base}\n")
    again, found = await yard.opened()
    assert found.found and found.head == commit and await again.unsaved_paths(found) == []
    assert await again.commit(found, "again") == commit


async def test_what_was_staged_before_a_kill_is_still_unsaved_and_then_committed(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"a.txt": "1\n"})
    git(checkout.workspace.path, "add", "a.txt")
    assert await checkouts.unsaved_paths(checkout) == ["a.txt"]
    commit = await checkouts.commit(checkout, "one")
    assert [change.path for change in await checkouts.changes("links", checkout.base, commit)] == ["a.txt"]


async def test_a_sweep_takes_away_halves_and_what_is_ready_beyond_need(yard: Yard) -> None:
    checkouts, _ = await yard.opened()
    await checkouts.prepare("links")
    places = yard.home / "worktrees/links", yard.mirror / "worktrees"
    for place in places:
        (place / "@half-made").mkdir()
    (places[0] / "~gone").mkdir()
    (places[0] / f"%{NAME}").mkdir()
    (places[1] / "=lent").mkdir()
    spare = next(path for path in places[1].glob("@*") if (path / "ready").exists())
    (spare / "ready").unlink()
    assert await checkouts.sweep([("links", BRANCH)]) == 4, "two halves, one that was removed, one copied aside"
    assert yard.folders() == [NAME]
    assert len(list(places[0].glob("@*"))) == len(list(places[1].glob("@*"))) == POOL - 1


def test_too_many_files_are_told_by_their_number() -> None:
    told = _problems([f"{number}.txt" for number in range(MOST_FILES + 1)], [])
    assert told == ["100,001 files changed, more than 100,000; let .gitignore name what is generated"]
