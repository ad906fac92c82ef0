"""Attacks 43–47: whatever is planted in a folder or a repository, the host's git runs nothing of it (P21)."""

import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agents.ports import CheckoutFailed, Uncommittable
from agents.workspace.files.untrusted import remove
from tests.workspace.traps import ATTRIBUTES, HOOKS, SETTINGS, Traps
from tests.workspace.yard import BRANCH, Yard, git, write

TASK = "ai/t-14-let-links-expire"


@pytest.fixture
def traps(tmp_path: Path) -> Traps:
    return Traps(tmp_path / "traps")


async def the_whole_walk(yard: Yard, mark: str) -> str:
    """All that the host does with git, on files that every driver would be asked about. The last commit."""
    checkouts, checkout = await yard.opened()
    path = checkout.workspace.path
    write(path, {"src/links.py": f"# {mark}\ndef make():\n    return 1\n", f"new-{mark}.py": "1\n", "a.slow": mark})
    assert await checkouts.unsaved_paths(checkout)
    commit = await checkouts.commit(checkout, mark)
    assert await checkouts.changes("links", checkout.base, commit)
    assert mark in await checkouts.patch("links", checkout.base, commit)
    await checkouts.tree("links", commit)
    other = await checkouts.open("links", f"ai/t-14.9-{mark}", checkout.base)
    write(other.workspace.path, {"src/links.py": "def make():\n    return 1\n# end\n", "src/old.py": f"{mark}\n"})
    second = await checkouts.commit(other, "other")
    await checkouts.join("links", f"{TASK}-{mark}", checkout.base, commit, "Join it")
    joined = await checkouts.join("links", f"{TASK}-{mark}", checkout.base, second, "Join it")
    assert joined is not None and mark in yard.show(joined, "src/links.py")
    await checkouts.prepare("links")
    async with checkouts.lend("links", joined):
        pass
    await checkouts.close(other)
    await checkouts.sweep([("links", BRANCH)])
    return commit


GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c")  # whoever runs this may have told git no name


def test_the_traps_work_on_a_careless_git(yard: Yard, traps: Traps, tmp_path: Path) -> None:
    """Else a canary that stays silent would say nothing."""
    (yard.user / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    sprung = []
    for name in ("fsmonitor", "clean", "textconv", "command", "external", "hookspath", "include", "gpg"):
        each = Traps(tmp_path / "each" / name)
        each.config()
        text = SETTINGS[name].format(
            run=each.program(name), hooks=each.place / "hooks", included=each.place / "included", attributes=""
        )
        before = (yard.user / ".git/config").read_text()
        (yard.user / ".git/config").write_text(before + text + "\n")
        (yard.user / "README.md").write_text(f"changed for {name}\n")
        for line in ("diff", "status", "add README.md", "diff HEAD", "commit -m x --allow-empty"):
            subprocess.run([*GIT, "-C", str(yard.user), *line.split()], capture_output=True, timeout=20)
        (yard.user / ".git/config").write_text(before)
        sprung += each.sprung
    sprung = [name.partition("-")[0] for name in sprung]
    assert set(sprung) == {"fsmonitor", "clean", "textconv", "command", "external", "hook", "included", "gpg"}


def test_enough_ways_are_tried() -> None:
    assert len(SETTINGS) + len(HOOKS) >= 27


async def test_settings_and_hooks_of_the_users_own_repository_run_nothing(yard: Yard, traps: Traps) -> None:
    traps.hooks(yard.user / ".git/hooks")
    yard.people_commit({".gitattributes": ATTRIBUTES, "b.slow": "x\n"})
    config = (yard.user / ".git/config").read_text()
    before = traps.sprung
    (yard.user / ".git/config").write_text(config + traps.config())
    (yard.user / ".git/info/attributes").write_text(ATTRIBUTES)
    await the_whole_walk(yard, "users")
    assert traps.sprung == before


async def test_settings_of_the_machine_and_its_environment_run_nothing(
    yard: Yard, traps: Traps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.people_commit({".gitattributes": ATTRIBUTES})
    home = tmp_path / "persons-home"
    (home / ".config/git").mkdir(parents=True)
    (home / ".gitconfig").write_text(traps.config())
    (home / ".config/git/attributes").write_text(ATTRIBUTES)
    checkouts, checkout = await yard.opened()
    run = str(traps.program("environment"))
    evil = traps.repository(tmp_path / "elsewhere", commit=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", run)
    monkeypatch.setenv("GIT_DIR", str(evil))
    monkeypatch.setenv("GIT_EXEC_PATH", str(traps.place / "bin"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(traps.place))
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_EDITOR", "EDITOR", "PAGER", "GIT_PAGER", "GIT_ASKPASS"):
        monkeypatch.setenv(name, run)
    write(checkout.workspace.path, {"src/links.py": "changed\n"})
    assert await checkouts.unsaved_paths(checkout) == ["src/links.py"]
    commit = await checkouts.commit(checkout, "x")
    assert "changed" in await checkouts.patch("links", checkout.base, commit)
    assert await yard.checkouts().join("links", TASK, checkout.base, commit, "Join it")
    await checkouts.prepare("links")
    assert traps.sprung == []


@pytest.mark.parametrize(
    "way", ["a repository", "a pointer inside", "a pointer outside", "a link", "nothing", "a pipe"]
)
async def test_a_replaced_git_file_is_not_believed_and_is_put_right(
    yard: Yard, traps: Traps, tmp_path: Path, way: str
) -> None:
    _, checkout = await yard.opened()
    path = checkout.workspace.path
    right = (path / ".git").read_text()
    (path / ".git").unlink()
    if way == "a repository":
        traps.repository(path)
    elif way == "a pointer inside":
        (path / ".git").write_text(f"gitdir: {traps.repository(path / 'hidden')}\n")
    elif way == "a pointer outside":
        (path / ".git").write_text(f"gitdir: {traps.repository(tmp_path / 'outside')}\n")
    elif way == "a link":
        (path / ".git").symlink_to(traps.repository(tmp_path / "outside"))
    elif way == "a pipe":
        os.mkfifo(path / ".git")
    write(path, {".gitattributes": ATTRIBUTES, ".gitignore": "hidden\n"})
    before = traps.sprung
    commit = await the_whole_walk(yard, "replaced")
    assert traps.sprung == before
    assert (path / ".git").read_text() == right
    assert git(yard.mirror, "rev-parse", BRANCH) == commit
    if way == "a link":
        assert (tmp_path / "outside/.git/config").exists(), "what it pointed to stays"


@pytest.mark.parametrize("place", ["src", "new/inner", "vendor/lib"])
async def test_a_nested_repository_is_refused_or_passed_over_and_never_entered(
    yard: Yard, traps: Traps, place: str
) -> None:
    lib = git(yard.user, "rev-parse", "HEAD")
    git(yard.user, "update-index", "--add", "--cacheinfo", f"160000,{lib},vendor/lib")
    modules = '[submodule "lib"]\n path = vendor/lib\n url = ext::sh -c true\n update = !sh\n ignore = none\n'
    (yard.user / "vendor/lib").mkdir(parents=True)
    yard.people_commit({".gitmodules": modules})
    checkouts, checkout = await yard.opened()
    assert list((checkout.workspace.path / "vendor/lib").iterdir()) == [], "a submodule is not fetched"
    assert await checkouts.unsaved_paths(checkout) == []
    traps.repository(checkout.workspace.path / place)
    before = traps.sprung
    write(checkout.workspace.path, {f"{place}/links.py": "nested\n"})
    if place == "src":
        commit = await checkouts.commit(checkout, "x")
        changed = await checkouts.changes("links", checkout.base, commit)
        assert [change.path for change in changed] == ["src/links.py"], "nothing under .git is committed"
    else:
        with pytest.raises(CheckoutFailed, match=r"repository of its own"):
            await checkouts.commit(checkout, "x")
        assert await checkouts.tip("links", BRANCH) == checkout.base
    await checkouts.unsaved_paths(checkout)
    assert (await checkouts.open("links", BRANCH, checkout.base)).found
    await checkouts.close(checkout)
    assert traps.sprung == before


async def test_a_bare_repository_in_the_tree_is_files_like_others(yard: Yard, traps: Traps) -> None:
    checkouts, checkout = await yard.opened()
    traps.repository(checkout.workspace.path / "bare", bare=True)
    before = traps.sprung
    commit = await checkouts.commit(checkout, "x")
    changed = await checkouts.changes("links", checkout.base, commit)
    assert {"bare/HEAD", "bare/config"} <= {change.path for change in changed}
    assert not any(change.mode == "160000" for change in changed)
    async with checkouts.lend("links", commit):
        pass
    assert traps.sprung == before


async def test_links_committed_where_tools_keep_their_folders_lead_nowhere(yard: Yard, tmp_path: Path) -> None:
    """Attack 47."""
    (tmp_path / "outside").mkdir()
    for name in (".worktrees", ".overlord", "worktrees", "repos", "home"):
        (yard.user / name).symlink_to(tmp_path / "outside")
    yard.people_commit({})
    await the_whole_walk(yard, "links")
    assert list((tmp_path / "outside").iterdir()) == []


async def test_a_file_swapped_for_a_link_while_it_is_committed_gives_nothing_away(yard: Yard, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the host's secret\n")
    checkouts, checkout = await yard.opened()
    file, ended = checkout.workspace.path / "src/links.py", threading.Event()

    def swap() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            fresh = checkout.workspace.path / ".fresh"
            fresh.unlink(missing_ok=True)
            if number % 2:
                fresh.symlink_to(secret)
            else:
                fresh.write_text(f"{number}\n")
            fresh.rename(file)

    swapping = threading.Thread(target=swap)
    swapping.start()
    commits, tries = set[str](), 0
    try:
        while tries < 25 or (len(commits) < 4 and tries < 600):  # often it is refused, as it should be
            tries += 1
            with suppress(CheckoutFailed):
                commits.add(await checkouts.commit(checkout, str(tries)))
    finally:
        ended.set()
        swapping.join()
    assert len(commits) > 3, f"only {len(commits)} in {tries} tries"
    assert b"the host's secret" not in yard.all_objects()


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "src/.gitignore", "new/deep/.gitattributes"])
async def test_a_pipe_where_git_reads_its_own_files_stops_nothing(yard: Yard, name: str) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {"new/deep/x": "x\n"})
    os.mkfifo(checkout.workspace.path / name)
    with pytest.raises(CheckoutFailed, match="no plain file"):
        await checkouts.commit(checkout, "x")
    yard.people_commit({"later.txt": "x\n"})
    later = await checkouts.tip("links", "HEAD")
    joined = await checkouts.join("links", BRANCH, checkout.base, later, "Join it")
    assert joined is not None and await checkouts.tree("links", joined) == await checkouts.tree("links", later)
    assert (await checkouts.open("links", BRANCH, checkout.base)).head == checkout.base, "it stays where it was"
    await checkouts.close(checkout)


async def test_a_pipe_in_the_tree_is_passed_over(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    os.mkfifo(checkout.workspace.path / "pipe")
    (checkout.workspace.path / "src/links.py").unlink()
    os.mkfifo(checkout.workspace.path / "src/links.py")
    with pytest.raises(CheckoutFailed, match=r"src/links\.py"):
        await checkouts.commit(checkout, "x")
    (checkout.workspace.path / "src/links.py").unlink()
    commit = await checkouts.commit(checkout, "x")
    assert [change.path for change in await checkouts.changes("links", checkout.base, commit)] == ["src/links.py"]


@pytest.mark.parametrize(
    "name", ["-rf", "a\nb", "back\\slash", "e\u0301.txt", "zero\u200bwidth", "con", "GIT~1/x", ".git:x", "b\udcff"]
)
async def test_a_name_that_means_something_else_is_refused_by_name(yard: Yard, name: str) -> None:
    checkouts, checkout = await yard.opened()
    write(checkout.workspace.path, {name: "x\n", "fine.txt": "x\n"})
    with pytest.raises(CheckoutFailed) as told:
        await checkouts.commit(checkout, "x")
    assert repr(name) in str(told.value)
    assert await checkouts.tip("links", BRANCH) == checkout.base


async def test_what_is_too_large_is_refused_by_name(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    with (checkout.workspace.path / "huge.bin").open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    with pytest.raises(CheckoutFailed, match=r"huge\.bin.*bytes"):
        await checkouts.commit(checkout, "x")
    os.link(checkout.workspace.path / "src/old.py", checkout.workspace.path / "second")
    (checkout.workspace.path / "huge.bin").unlink()
    with pytest.raises(CheckoutFailed, match="another name"):
        await checkouts.commit(checkout, "x")


def nest(folder: Path) -> None:
    """As `cargo new` makes it."""
    write(folder, {"lib/src/main.rs": "fn main() {}\n"})
    git(folder, "init", "-q", str(folder / "lib"))


def huge(folder: Path) -> None:
    with (folder / "huge.bin").open("wb") as file:
        file.truncate(60 * 1024 * 1024)


UNCOMMITTABLE: dict[str, tuple[Callable[[Path], object], Callable[[Path], object], str]] = {
    "a repository": (nest, lambda folder: remove(folder / "lib/.git"), "remove the .git in it"),
    "a huge file": (huge, lambda folder: (folder / "huge.bin").unlink(), "huge.bin"),
    "an odd name": (
        lambda folder: write(folder, {"a\nb": "x"}),
        lambda folder: (folder / "a\nb").unlink(),
        repr("a\nb"),
    ),
    "a pipe": (
        lambda folder: os.mkfifo(folder / ".gitattributes"),
        lambda folder: (folder / ".gitattributes").unlink(),
        "no plain file",
    ),
}


@pytest.mark.parametrize("what", UNCOMMITTABLE)
async def test_what_cannot_be_committed_is_told_and_stays_until_it_is_mended(yard: Yard, what: str) -> None:
    make, mend, said = UNCOMMITTABLE[what]
    checkouts, checkout = await yard.opened()
    path = checkout.workspace.path
    write(path, {"src/links.py": "better\n"})
    assert await checkouts.why_uncommittable(checkout) == ""
    make(path)
    assert said in await checkouts.why_uncommittable(checkout)
    with pytest.raises(Uncommittable):
        await checkouts.commit(checkout, "x")
    assert await checkouts.tip("links", BRANCH) == checkout.base, "asking and failing commit nothing"
    again = await checkouts.open("links", BRANCH, checkout.base)
    assert again.found and (path / "src/links.py").read_text() == "better\n"
    mend(path)
    assert await checkouts.why_uncommittable(again) == ""
    changed = await checkouts.changes("links", checkout.base, await checkouts.commit(again, "x"))
    assert "src/links.py" in {change.path for change in changed}
    assert ("lib/src/main.rs" in {change.path for change in changed}) is (what == "a repository")
