"""Branches and their folders: made, left, found again, committed, joined, removed; people's own stay as they are."""

import asyncio
import os
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Change
from agents.ports import CheckoutFailed, Checkouts
from agents.workspace.git.checkouts import READ_MOST, GitCheckouts
from tests.workspace.yard import BRANCH, FILES, Yard, git, write

OTHER = "ai/t-14.1-make-links"
TASK = "ai/t-14-let-links-expire"


def test_it_keeps_the_port(yard: Yard) -> None:
    kept: Checkouts = yard.checkouts()
    assert isinstance(kept, GitCheckouts)


async def test_a_branch_begins_where_it_was_told_in_a_folder_of_its_own(yard: Yard) -> None:
    before = yard.seen()
    checkouts, checkout = await yard.opened()
    head = git(yard.user, "rev-parse", "HEAD")
    path = checkout.workspace.path
    assert (checkout.project, checkout.branch, checkout.base, checkout.head) == ("links", BRANCH, head, head)
    assert not checkout.found
    assert path.is_relative_to(yard.home) and checkout.workspace.git == yard.mirror
    assert checkout.workspace.environ == {"PROJECT": "links"}
    assert {name: (path / name).read_text() for name in FILES} == FILES, "as committed, not as a person is writing it"
    assert not (path / "draft.txt").exists()
    assert await checkouts.tip("links", BRANCH) == head
    assert yard.seen() == before


async def test_new_commits_of_people_are_seen(yard: Yard) -> None:
    checkouts, _ = await yard.opened()
    later = yard.people_commit({"later.py": "later = 1\n"})
    assert await checkouts.tip("links", "HEAD") == later
    checkout = await checkouts.open("links", OTHER, later)
    assert (checkout.workspace.path / "later.py").exists()
    assert checkout.base == checkout.head == later


async def test_a_branch_of_the_project_is_brought_whatever_is_checked_out(yard: Yard) -> None:
    checkouts, began = yard.checkouts(), git(yard.user, "rev-parse", "HEAD")
    branch = git(yard.user, "symbolic-ref", "--short", "HEAD")
    git(yard.user, "branch", "elsewhere")
    git(yard.user, "symbolic-ref", "HEAD", "refs/heads/elsewhere")
    later = yard.people_commit({"later.py": "later = 1\n"})
    assert await checkouts.tip("links", "HEAD") == later
    assert (await checkouts.source("links", branch), await checkouts.source("links", "elsewhere")) == (began, later)
    git(yard.user, "update-ref", "-d", f"refs/heads/{branch}")
    assert await checkouts.source("links", branch) == "", "what is gone is not taken from our own copy"
    with pytest.raises(CheckoutFailed, match="no name for a branch"):
        await checkouts.source("links", "--upload-pack=x")


async def test_what_does_not_exist_has_no_tip_and_cannot_be_opened(yard: Yard) -> None:
    checkouts = yard.checkouts()
    assert await checkouts.tip("links", BRANCH) == ""
    with pytest.raises(CheckoutFailed, match="no commit"):
        await checkouts.open("links", BRANCH, "1" * 40)
    for start in ("HEAD", "main", "--help", "", "$(touch x)"):
        with pytest.raises(CheckoutFailed, match="no commit's id"):
            await checkouts.open("links", BRANCH, start)
    with pytest.raises(CheckoutFailed, match="no project"):
        await checkouts.tip("elsewhere", "HEAD")


async def test_a_repository_without_a_commit_says_so(yard: Yard, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    checkouts = GitCheckouts({"empty": tmp_path / "empty", "none": tmp_path / "none"}, yard.home)
    assert await checkouts.tip("empty", "HEAD") == ""
    await checkouts.prepare("empty")
    with pytest.raises(CheckoutFailed, match="cannot be read as a repository"):
        await checkouts.tip("none", "HEAD")


async def test_a_folder_is_found_as_it_was_left_also_by_a_new_process(yard: Yard) -> None:
    _, checkout = await yard.opened()
    write(checkout.workspace.path, {"src/links.py": "half done\n", "notes.md": "new\n"})
    (checkout.workspace.path / "src/old.py").unlink()
    again, found = await yard.opened()
    assert found.found and found.workspace == checkout.workspace and found.base == checkout.base
    assert (found.workspace.path / "src/links.py").read_text() == "half done\n"
    assert await again.unsaved_paths(found) == ["notes.md", "src/links.py", "src/old.py"]


async def test_all_that_changed_is_committed_by_the_host(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    path = checkout.workspace.path
    write(path, {"src/links.py": "def make():\n    return 2\n", "tool.sh": "#!/bin/sh\n", ".gitignore": "*.log\n"})
    write(path, {"noise.log": "ignored\n", "sub/deep/a.txt": "a\nb\n"})
    (path / "tool.sh").chmod(0o755)
    (path / "src/old.py").unlink()
    (path / "README.md").unlink()
    write(path, {"README.md/now": "a folder\n"})
    (path / "link").symlink_to("/etc/passwd")
    commit = await checkouts.commit(checkout, "Let links expire")
    assert await checkouts.tip("links", BRANCH) == commit
    assert set(await checkouts.changes("links", checkout.base, commit)) == {
        Change(path=".gitignore", status="A", added=1, mode="100644"),
        Change(path="README.md", status="D", removed=1),
        Change(path="README.md/now", status="A", added=1, mode="100644"),
        Change(path="link", status="A", added=1, mode="120000"),
        Change(path="src/links.py", status="M", added=1, removed=1, mode="100644"),
        Change(path="src/old.py", status="D", removed=1),
        Change(path="sub/deep/a.txt", status="A", added=2, mode="100644"),
        Change(path="tool.sh", status="A", added=1, mode="100755"),
    }
    assert yard.show(commit, "link") == "/etc/passwd", "the link itself, not what it points to"
    assert git(yard.mirror, "log", "-1", "--format=%an <%ae> %cn %s", commit) == (
        "Overlord <overlord@localhost> Overlord Let links expire"
    )
    assert await checkouts.unsaved_paths(checkout) == []
    assert await checkouts.commit(checkout, "Again") == commit, "nothing changed, so nothing is committed"


async def test_a_second_commit_stands_on_the_first_and_the_same_files_are_the_same_tree(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"a.txt": "1\n"})
    first = await checkouts.commit(checkout, "one")
    write(checkout.workspace.path, {"a.txt": "2\n"})
    second = await checkouts.commit(checkout, "two")
    write(checkout.workspace.path, {"a.txt": "1\n"})
    third = await checkouts.commit(checkout, "three")
    assert git(yard.mirror, "rev-list", third).split()[:3] == [third, second, first]
    trees = [await checkouts.tree("links", commit) for commit in (first, second, third)]
    assert trees[0] == trees[2] != trees[1]


async def test_a_change_that_keeps_size_and_time_is_seen(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    file = checkout.workspace.path / "src/old.py"
    times = file.stat()
    file.write_text("old = Fals\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert await checkouts.unsaved_paths(checkout) == ["src/old.py"]


async def test_a_folder_that_became_a_link_is_committed_as_a_link(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    path = checkout.workspace.path
    (path / "src").rename(path / "moved")
    (path / "src").symlink_to("moved")
    commit = await checkouts.commit(checkout, "moved")
    listed = git(yard.mirror, "ls-tree", "-r", "--name-only", commit).split()
    assert listed == ["README.md", "moved/links.py", "moved/old.py", "src"]


async def test_a_patch_is_readable_and_whole_and_what_a_reviewer_gets_of_it_says_what_is_left_out(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    (checkout.workspace.path / "picture.bin").write_bytes(bytes(range(256)) * 40)
    write(checkout.workspace.path, {"a.txt": "hello\n"})
    small = await checkouts.commit(checkout, "small")
    patch = await checkouts.patch("links", checkout.base, small)
    assert "+hello" in patch and "Binary files /dev/null and b/picture.bin differ" in patch
    write(checkout.workspace.path, {"big.txt": "a line of text\n" * 200_000})
    big = await checkouts.commit(checkout, "big")
    patch = await checkouts.patch("links", small, big)
    assert patch.count("+a line of text\n") == 200_000, "people page through all of it"
    text, left = await checkouts.difference("links", small, big)
    assert len(text) == READ_MOST and left == len(patch) - READ_MOST


async def test_work_is_joined_without_a_folder_and_once_is_enough(yard: Yard) -> None:
    checkouts, one = await yard.opened()
    two = await checkouts.open("links", OTHER, one.base)
    write(one.workspace.path, {"one.txt": "1\n"})
    write(two.workspace.path, {"two.txt": "2\n"})
    first, second = await checkouts.commit(one, "one"), await checkouts.commit(two, "two")
    alone = await checkouts.join("links", TASK, one.base, first, "Join it")
    assert git(yard.mirror, "log", "-1", "--format=%P", alone or "") == f"{one.base} {first}", (
        "a join can be taken back"
    )
    joined = await checkouts.join("links", TASK, one.base, second, "Join it")
    assert joined is not None and await checkouts.tip("links", TASK) == joined
    assert {change.path for change in await checkouts.changes("links", one.base, joined)} == {"one.txt", "two.txt"}
    assert git(yard.mirror, "log", "-1", "--format=%P %an: %s", joined) == f"{alone} {second} Overlord: Join it"
    assert await checkouts.join("links", TASK, one.base, second, "Join it") == joined
    assert await checkouts.join("links", TASK, one.base, one.base, "Join it") == joined
    assert (await checkouts.open("links", TASK, joined)).base == one.base


async def test_joined_again_after_a_kill_it_is_the_same_commit(yard: Yard) -> None:
    checkouts, one = await yard.opened()
    two = await checkouts.open("links", OTHER, one.base)
    write(one.workspace.path, {"one.txt": "1\n"})
    write(two.workspace.path, {"two.txt": "2\n"})
    first, second = await checkouts.commit(one, "one"), await checkouts.commit(two, "two")
    told = "T-4.2: Add the login form\n\nPart of T-4: Let people sign in\nAsked for by Ana"
    joined = [await checkouts.join("links", name, first, second, told) for name in (TASK, f"{TASK}-again")]
    assert joined[0] == joined[1] and joined[0] is not None
    assert git(yard.mirror, "log", "-1", "--format=%B", joined[0]) == told
    times = git(yard.mirror, "log", "--no-walk", "--format=%ct", first, second).split()
    assert git(yard.mirror, "log", "-1", "--format=%at %ct", joined[0]) == f"{max(times)} {max(times)}"


async def test_what_people_wrote_of_their_commits_is_read_without_merges_and_our_own(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    yard.people_commit({"a.py": "a = 1\n"}, "fix: one\n\nWith a body.")
    last = yard.people_commit({"b.py": "b = 1\n"}, "fix: two")
    write(checkout.workspace.path, {"ours.txt": "1\n"})
    await checkouts.commit(checkout, "T-1.1: ours")
    head = await checkouts.tip("links", "HEAD")
    assert head == last and (await checkouts.messages("links", head, 2)) == ["fix: two", "fix: one\n\nWith a body."]
    assert "T-1.1: ours" not in await checkouts.messages("links", await checkouts.tip("links", BRANCH), 9)


async def test_what_does_not_fit_is_not_joined(yard: Yard) -> None:
    checkouts, one = await yard.opened()
    two = await checkouts.open("links", OTHER, one.base)
    for number, checkout in enumerate((one, two)):
        write(checkout.workspace.path, {"src/links.py": f"version = {number}\n"})
        commit = await checkouts.commit(checkout, "mine")
        joined = await checkouts.join("links", TASK, one.base, commit, "Join it")
        assert (joined is None) == (number == 1)
    tip = await checkouts.tip("links", TASK)
    assert await checkouts.tree("links", tip) == await checkouts.tree("links", await checkouts.tip("links", BRANCH))


async def test_many_joins_at_once_lose_nothing(yard: Yard) -> None:
    checkouts, first = await yard.opened()
    commits = []
    for number in range(6):
        checkout = await checkouts.open("links", f"ai/t-14.{number}-x", first.base)
        write(checkout.workspace.path, {f"{number}.txt": "x\n"})
        commits.append(await checkouts.commit(checkout, str(number)))
    others = yard.checkouts()
    await asyncio.gather(
        *(
            (checkouts, others)[n % 2].join("links", TASK, first.base, commit, "Join it")
            for n, commit in enumerate(commits)
        )
    )
    tip = await checkouts.tip("links", TASK)
    assert {change.path for change in await checkouts.changes("links", first.base, tip)} == {
        f"{number}.txt" for number in range(6)
    }


async def test_a_folder_follows_its_branch_when_work_was_joined_to_it(yard: Yard) -> None:
    checkouts, task = await yard.opened(TASK)
    piece = await checkouts.open("links", BRANCH, task.base)
    write(piece.workspace.path, {"piece.txt": "1\n"})
    await checkouts.join("links", TASK, task.base, await checkouts.commit(piece, "piece"), "Join it")
    again = await checkouts.open("links", TASK, task.base)
    assert again.found and again.head == await checkouts.tip("links", TASK)
    assert (again.workspace.path / "piece.txt").exists() and await checkouts.unsaved_paths(again) == []


async def test_a_commit_on_a_branch_that_went_on_keeps_both(yard: Yard) -> None:
    checkouts, task = await yard.opened(TASK)
    piece = await checkouts.open("links", BRANCH, task.base)
    write(piece.workspace.path, {"piece.txt": "1\n"})
    write(task.workspace.path, {"own.txt": "1\n"})
    await checkouts.join("links", TASK, task.base, await checkouts.commit(piece, "piece"), "Join it")
    tip = await checkouts.commit(task, "own")
    assert tip == await checkouts.tip("links", TASK)
    assert {change.path for change in await checkouts.changes("links", task.base, tip)} == {"own.txt", "piece.txt"}
    assert await checkouts.unsaved_paths(task) == [] and (task.workspace.path / "piece.txt").exists()


async def test_a_closed_folder_is_gone_and_its_branch_stays(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"a.txt": "1\n"})
    commit = await checkouts.commit(checkout, "one")
    await checkouts.close(checkout)
    await checkouts.close(checkout)
    assert not checkout.workspace.path.exists() and yard.folders() == []
    assert await checkouts.tip("links", BRANCH) == commit
    with pytest.raises(CheckoutFailed, match="not there"):
        await checkouts.commit(checkout, "late")
    again = await checkouts.open("links", BRANCH, checkout.base)
    assert not again.found and again.head == commit and again.base == checkout.base
    assert (again.workspace.path / "a.txt").exists()


async def test_a_sweep_leaves_what_is_wanted_and_what_is_ready(yard: Yard) -> None:
    checkouts, wanted = await yard.opened()
    await checkouts.open("links", OTHER, wanted.base)
    await checkouts.prepare("links")
    assert await checkouts.sweep([("links", BRANCH), ("elsewhere", OTHER)]) == 1
    assert yard.folders() == [BRANCH.replace("/", "+")]
    assert len(list((yard.home / "worktrees/links").glob("@*"))) == 2
    assert await checkouts.sweep([]) == 1


async def test_a_ready_folder_is_taken_and_brought_to_the_commit_asked_for(yard: Yard) -> None:
    checkouts = yard.checkouts()
    first = await checkouts.tip("links", "HEAD")
    await checkouts.prepare("links")
    ready = {path.stat().st_ino for path in (yard.home / "worktrees/links").glob("@*")}
    later = yard.people_commit({"src/links.py": "later\n", "src/new/x.py": "x\n"})
    taken = await checkouts.open("links", BRANCH, later)
    assert taken.workspace.path.stat().st_ino in ready
    assert (taken.workspace.path / "src/new/x.py").exists() and await checkouts.unsaved_paths(taken) == []
    old = await checkouts.open("links", OTHER, first)
    assert old.workspace.path.stat().st_ino in ready and not (old.workspace.path / "src/new").exists()
    assert await checkouts.unsaved_paths(old) == []
    third = await checkouts.open("links", TASK, later)
    assert third.workspace.path.stat().st_ino not in ready and (third.workspace.path / "src/new/x.py").exists()


async def test_ready_folders_are_kept_at_the_projects_head(yard: Yard) -> None:
    checkouts = yard.checkouts()
    await checkouts.prepare("links")
    later = yard.people_commit({"later.py": "1\n"})
    await asyncio.gather(checkouts.prepare("links"), yard.checkouts().prepare("links"))
    spares = list((yard.mirror / "worktrees").glob("@*"))
    assert len(spares) == 2 and {(spare / "HEAD").read_text().strip() for spare in spares} == {later}


async def test_the_files_of_a_commit_are_lent_clean_and_taken_back(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"a.txt": "1\n"})
    commit = await checkouts.commit(checkout, "one")
    write(checkout.workspace.path, {"conftest.py": "not committed\n"})
    async with checkouts.lend("links", commit) as workspace:
        assert (workspace.path / "a.txt").exists() and not (workspace.path / "conftest.py").exists()
        assert await yard.checkouts().sweep([("links", BRANCH)]) == 0, "it is in use"
    assert not workspace.path.exists() and len(yard.folders()) == 1


async def test_git_can_be_read_in_a_folder_as_a_minion_does(yard: Yard) -> None:
    _, checkout = await yard.opened()
    write(checkout.workspace.path, {"README.md": "# New\n"})
    assert git(checkout.workspace.path, "status", "--porcelain") == "M README.md"
    assert git(checkout.workspace.path, "log", "--format=%s") == "first"


async def test_a_repository_of_the_newer_kind_of_hash_works(tmp_path: Path) -> None:
    user = tmp_path / "newer"
    user.mkdir()
    git(user, "init", "-q", "--object-format=sha256")
    write(user, {"a.txt": "1\n"})
    git(user, "add", ".")
    git(user, "commit", "-q", "-m", "first")
    checkouts = GitCheckouts({"newer project!": user}, tmp_path / "home")
    checkout = await checkouts.open("newer project!", BRANCH, await checkouts.tip("newer project!", "HEAD"))
    write(checkout.workspace.path, {"b.txt": "2\n"})
    assert len(await checkouts.commit(checkout, "second")) == 64


@pytest.mark.parametrize("kind", ["a shallow clone", "a worktree", "a bare repository", "somebody else's"])
async def test_whatever_kind_of_repository_the_user_has_is_served(yard: Yard, tmp_path: Path, kind: str) -> None:
    yard.people_commit({"second.txt": "2\n"})
    other = tmp_path / "other"
    if kind == "a shallow clone":
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{yard.user}", str(other))
    elif kind == "a worktree":
        git(yard.user, "worktree", "add", "-q", "-b", "side", str(other))
    elif kind == "a bare repository":
        git(tmp_path, "clone", "-q", "--bare", str(yard.user), str(other))
    else:
        git(tmp_path, "clone", "-q", str(yard.user), str(other))
        if os.geteuid() == 0:  # nobody else can give a folder away
            give(other, 65534)
    checkouts = GitCheckouts({"other": other}, tmp_path / "home-of-other")
    checkout = await checkouts.open("other", BRANCH, await checkouts.tip("other", "HEAD"))
    assert (checkout.workspace.path / "second.txt").exists()
    write(checkout.workspace.path, {"third.txt": "3\n"})
    assert await checkouts.commit(checkout, "third") == await checkouts.tip("other", BRANCH)


def give(folder: Path, user: int) -> None:
    for above, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            os.chown(Path(above, name), user, user, follow_symlinks=False)


async def test_a_full_disk_is_told_like_any_other_reason(yard: Yard) -> None:
    yard.home.mkdir()
    (yard.home / "worktrees").write_text("in the way")
    with pytest.raises(CheckoutFailed, match="could not be used") as told:
        await yard.opened()
    assert told.value.next_step


async def test_what_a_person_removed_from_their_history_stays_for_the_branch_that_began_there(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    git(yard.user, "commit", "-q", "--amend", "-m", "rewritten")
    git(yard.user, "reflog", "expire", "--expire=now", "--all")
    git(yard.user, "gc", "-q", "--prune=now")
    head = await checkouts.tip("links", "HEAD")
    assert head != checkout.base
    write(checkout.workspace.path, {"a.txt": "1\n"})
    assert await checkouts.commit(checkout, "still here") == await checkouts.tip("links", BRANCH)
    assert (await checkouts.open("links", OTHER, head)).base == head
    assert git(yard.mirror, "fsck", "--no-dangling") == ""
