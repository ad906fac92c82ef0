"""What was joined onto a branch is taken back by commits on top of it, with real git."""

from agents.ports import Joined
from tests.workspace.yard import Yard, git, write, yard as yard

TASK = "ai/t-14-all"


async def work_on(yard: Yard, number: int, files: dict[str, str], start: str) -> Joined:
    """One subtask's branch, joined onto the task's."""
    checkouts = yard.checkouts()
    checkout = await checkouts.open("links", f"ai/t-14.{number}-x", start)
    write(checkout.workspace.path, files)
    commit = await checkouts.commit(checkout, f"work {number}")
    assert await checkouts.join("links", TASK, checkout.base, commit, f"Join {number}")
    return Joined(commit=commit, base=start, message=f"Revert {number}")


async def test_work_is_taken_back_by_commits_on_top_and_later_work_stays(yard: Yard) -> None:
    checkouts, first = await yard.opened()
    one = await work_on(yard, 1, {"one.txt": "1\n", "src/links.py": "def make():\n    return 2\n"}, first.base)
    two = await work_on(yard, 2, {"two.txt": "2\n"}, await checkouts.tip("links", TASK))
    three = await work_on(yard, 3, {"three.txt": "3\n"}, await checkouts.tip("links", TASK))
    before = await checkouts.tip("links", TASK)
    undone = await checkouts.undo("links", TASK, first.base, [one, two])
    assert len(undone.commits) == 2 and not undone.conflicts
    assert await checkouts.tip("links", TASK) == undone.tip == undone.commits[-1]
    log = git(yard.mirror, "log", "--first-parent", "--format=%s", f"{first.base}..{undone.tip}").splitlines()
    assert log == ["Revert 1", "Revert 2", "Join 3", "Join 2", "Join 1"], "the latest first, and nothing was rewritten"
    assert git(yard.mirror, "merge-base", before, undone.tip) == before
    left = await checkouts.changes("links", first.base, undone.tip)
    assert [change.path for change in left] == ["three.txt"]
    again = await checkouts.undo("links", TASK, first.base, [one, two])
    assert again.tip == undone.tip and not again.commits, "made again after a kill it changes nothing"
    assert (await checkouts.undo("links", TASK, first.base, [three])).commits
    assert await checkouts.tree("links", await checkouts.tip("links", TASK)) == await checkouts.tree(
        "links", first.base
    )


async def test_what_later_work_changed_again_conflicts_and_nothing_is_taken_back(yard: Yard) -> None:
    checkouts, first = await yard.opened()
    one = await work_on(yard, 1, {"one.txt": "1\n"}, first.base)
    two = await work_on(yard, 2, {"src/links.py": "def make():\n    return 2\n"}, await checkouts.tip("links", TASK))
    await work_on(yard, 3, {"src/links.py": "def make():\n    return 3\n"}, await checkouts.tip("links", TASK))
    before = await checkouts.tip("links", TASK)
    undone = await checkouts.undo("links", TASK, first.base, [one, two])
    assert (undone.conflicts, undone.stuck, undone.commits) == (("src/links.py",), two.commit, ())
    assert await checkouts.tip("links", TASK) == before


async def test_work_joined_by_an_older_version_and_work_that_was_never_joined(yard: Yard) -> None:
    checkouts, first = await yard.opened()
    write(first.workspace.path, {"old.txt": "1\n"})
    commit = await checkouts.commit(first, "before joins had commits of their own")
    git(yard.mirror, "update-ref", f"refs/heads/{TASK}", commit)
    await work_on(yard, 2, {"two.txt": "2\n"}, commit)
    elsewhere = await checkouts.open("links", "ai/t-14.9-x", first.base)
    write(elsewhere.workspace.path, {"never.txt": "9\n"})
    never = Joined(commit=await checkouts.commit(elsewhere, "x"), base=first.base, message="Revert 9")
    undone = await checkouts.undo(
        "links", TASK, first.base, [Joined(commit=commit, base=first.base, message="Revert 1"), never]
    )
    assert len(undone.commits) == 1
    left = await checkouts.changes("links", first.base, undone.tip)
    assert [change.path for change in left] == ["two.txt"]


async def test_a_branch_begun_before_keeps_what_was_taken_back_away(yard: Yard) -> None:
    """A minion at work began from what is taken back meanwhile: joining its work does not bring that in again."""
    checkouts, first = await yard.opened()
    one = await work_on(yard, 1, {"one.txt": "1\n"}, first.base)
    later = await checkouts.open("links", "ai/t-14.2-x", await checkouts.tip("links", TASK))
    write(later.workspace.path, {"two.txt": "2\n"})
    await checkouts.undo("links", TASK, first.base, [one])
    await checkouts.join("links", TASK, first.base, await checkouts.commit(later, "two"), "Join 2")
    left = await checkouts.changes("links", first.base, await checkouts.tip("links", TASK))
    assert [change.path for change in left] == ["two.txt"]


async def test_a_branch_moves_forward_to_what_has_all_that_is_on_it(yard: Yard) -> None:
    checkouts, one = await yard.opened()
    two = await checkouts.open("links", "ai/t-14.1-make-links", one.base)
    write(one.workspace.path, {"one.txt": "1\n"})
    write(two.workspace.path, {"two.txt": "2\n"})
    first, second = await checkouts.commit(one, "one"), await checkouts.commit(two, "two")
    assert await checkouts.forward("links", TASK, one.base, first) == first == await checkouts.tip("links", TASK)
    assert await checkouts.forward("links", TASK, one.base, first) == first, "once is enough"
    assert await checkouts.forward("links", TASK, one.base, second) == "", "it lacks what is there"
    assert await checkouts.tip("links", TASK) == first
