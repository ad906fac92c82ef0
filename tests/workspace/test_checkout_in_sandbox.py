"""A checkout as a minion and a gate see it: behind the real walls of the sandbox."""

import os
from pathlib import Path

import pytest

from agents.ports import CheckoutFailed
from agents.workspace.files.safe_open import Tree
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.sandbox import walls
from tests.sandbox.yard import SMALL, bubblewrap
from tests.workspace.yard import BRANCH, Yard, git

CHANGE = """
set -e
git status --porcelain && git log --format=%s && git diff --stat HEAD
echo changed >> src/links.py; echo new > new.txt; rm src/old.py; mkdir -p deep/er; echo x > deep/er/x
! git add -A 2>/dev/null
! rm -f .git 2>/dev/null
! sh -c 'echo x > .git' 2>/dev/null
! touch "$(git rev-parse --git-common-dir)/x" 2>/dev/null
git status --porcelain
"""


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("mask", [0o022, 0o077])
async def test_a_minion_works_in_its_folder_and_the_host_commits(yard: Yard, prepared: bool, mask: int) -> None:
    before = os.umask(mask)
    try:
        checkouts = GitCheckouts({"links": yard.user}, yard.home, owner=walls.find_tools().user if prepared else None)
        if prepared:
            await checkouts.prepare("links")
            yard.people_commit({"src/later.py": "written after it was prepared\n"})
        checkout = await checkouts.open("links", BRANCH, await checkouts.tip("links", "HEAD"))
        ran = await bubblewrap().once(checkout.workspace, SMALL, ["sh", "-c", CHANGE])
        assert ran.exit_code == 0, ran.output
        assert "first" in ran.output and "?? new.txt" in ran.output
        assert await checkouts.unsaved_paths(checkout) == ["deep/er/x", "new.txt", "src/links.py", "src/old.py"]
        commit = await checkouts.commit(checkout, "work")
        assert {change.path for change in await checkouts.changes("links", checkout.base, commit)} == {
            *("deep/er/x", "new.txt", "src/links.py", "src/old.py"),
        }
        again = await checkouts.open("links", BRANCH, checkout.base)
        ran = await bubblewrap().once(again.workspace, SMALL, ["sh", "-c", "git status --porcelain; echo y >> new.txt"])
        assert (ran.exit_code, ran.output.strip()) == (0, "")
        await checkouts.close(checkout)
        assert yard.folders() == []
    finally:
        os.umask(before)


async def test_every_file_of_a_prepared_folder_may_be_written_inside(yard: Yard) -> None:
    checkouts = GitCheckouts({"links": yard.user}, yard.home, owner=walls.find_tools().user)
    await checkouts.prepare("links")
    yard.people_commit({"src/later.py": "1\n", "src/links.py": "changed since\n"})
    checkout = await checkouts.open("links", BRANCH, await checkouts.tip("links", "HEAD"))
    write = "find . -name .git -prune -o -type f -exec sh -c 'echo x >> \"$1\"' _ {} \\; && touch src/x"
    ran = await bubblewrap().once(checkout.workspace, SMALL, ["sh", "-ec", write])
    assert (ran.exit_code, ran.output) == (0, "")
    assert len(await checkouts.unsaved_paths(checkout)) == 6


async def test_what_the_host_writes_for_a_minion_may_be_changed_inside(yard: Yard) -> None:
    checkouts = GitCheckouts({"links": yard.user}, yard.home, owner=walls.find_tools().user)
    checkout = await checkouts.open("links", BRANCH, await checkouts.tip("links", "HEAD"))
    tree = Tree(checkout.workspace.path)
    tree.write("src/links.py", b"written by the host\n")
    tree.write("new/deep/file.py", b"written by the host\n")
    tree.close()
    change = "echo more >> src/links.py && echo more >> new/deep/file.py && touch new/x new/deep/x"
    ran = await bubblewrap().once(checkout.workspace, SMALL, ["sh", "-ec", change])
    assert (ran.exit_code, ran.output) == (0, "")
    commit = await checkouts.commit(checkout, "both")
    assert yard.show(commit, "new/deep/file.py") == "written by the host\nmore"


async def test_a_repository_that_a_minion_makes_is_refused_and_told(yard: Yard, tmp_path: Path) -> None:
    checkouts, checkout = await yard.opened()
    nest = "mkdir lib && cd lib && git init -q && git -c user.name=x -c user.email=x commit -q --allow-empty -m x"
    ran = await bubblewrap().once(checkout.workspace, SMALL, ["sh", "-c", nest])
    assert ran.exit_code == 0, ran.output
    with pytest.raises(CheckoutFailed, match=r"lib/.*repository of its own"):
        await checkouts.commit(checkout, "x")
    assert git(yard.mirror, "rev-parse", BRANCH) == checkout.base
