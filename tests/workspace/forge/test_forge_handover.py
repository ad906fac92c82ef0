"""A branch goes to where a person works, and what they made of it comes back: the same at every forge."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.ports import ForgeFailed
from agents.workspace.forge.remotes import Clones, Pushing, Remote
from tests.fakes.github import Fault
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, RIGS, Rig, github

BRANCH = "ai/t-1.1-b"


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rig]:
    async with RIGS[request.param](tmp_path) as made:
        yield made


def minions_work(rig: Rig) -> str:
    head = repos.commit(rig.ours, {"src/b.py": "b = 1\n"}, on="main")
    repos.git(rig.ours, "update-ref", f"refs/heads/{BRANCH}", head)
    return head


async def test_a_branch_is_published_once_and_named_as_it_is_typed(rig: Rig) -> None:
    head, main = minions_work(rig), repos.tip(rig.far, "main")
    how = await rig.forge.publish(PROJECT, BRANCH, head)
    assert how.endswith(f"git switch {BRANCH}") and await rig.forge.publish(PROJECT, BRANCH, head) == how
    assert repos.tip(rig.far, BRANCH) == head and repos.tip(rig.far, "main") == main
    assert not rig.seen(), "no pull request comes of it"
    if rig.fake:
        assert rig.fake.world.count("push") == 1


async def test_what_a_person_commits_there_is_brought_here(rig: Rig) -> None:
    await rig.forge.publish(PROJECT, BRANCH, minions_work(rig))
    assert await rig.forge.fetch_branch(PROJECT, BRANCH) == repos.tip(rig.ours, BRANCH)
    made = repos.put_on(rig.far, BRANCH, {"src/b.py": "b = 2\n"})
    assert await rig.forge.fetch_branch(PROJECT, BRANCH) == made
    assert repos.git(rig.ours, "show", f"{made}:src/b.py") == "b = 2"
    assert repos.tip(rig.ours, BRANCH) == made, "the next minion goes on from there"


async def test_a_branch_that_lags_behind_does_not_take_ours_back(rig: Rig) -> None:
    first = minions_work(rig)
    await rig.forge.publish(PROJECT, BRANCH, first)
    second = repos.put_on(rig.ours, BRANCH, {"src/b.py": "b = 3\n"})
    assert await rig.forge.fetch_branch(PROJECT, BRANCH) == first
    assert repos.tip(rig.ours, BRANCH) == second


async def test_a_branch_that_was_made_anew_there_is_taken_as_it_is(rig: Rig) -> None:
    await rig.forge.publish(PROJECT, BRANCH, minions_work(rig))
    made = repos.commit(rig.far, {"src/b.py": "b = 9\n"}, on="main")
    repos.git(rig.far, "update-ref", f"refs/heads/{BRANCH}", made)
    assert await rig.forge.fetch_branch(PROJECT, BRANCH) == made == repos.tip(rig.ours, BRANCH)


async def test_a_branch_that_is_nowhere_is_none(rig: Rig) -> None:
    assert await rig.forge.fetch_branch(PROJECT, BRANCH) == ""


async def test_what_somebody_else_has_there_is_not_overwritten(rig: Rig) -> None:
    other = repos.commit(rig.far, {"src/b.py": "b = 7\n"}, on="main")
    repos.git(rig.far, "update-ref", f"refs/heads/{BRANCH}", other)
    with pytest.raises(ForgeFailed, match="commits that I did not make"):
        await rig.forge.publish(PROJECT, BRANCH, minions_work(rig))
    assert repos.tip(rig.far, BRANCH) == other


async def test_names_that_git_could_take_for_something_else_are_refused(rig: Rig) -> None:
    for odd in ("--upload-pack=evil", "../main", "a..b", "x.lock"):
        with pytest.raises(ForgeFailed):
            await rig.forge.publish(PROJECT, odd, minions_work(rig))
        with pytest.raises(ForgeFailed):
            await rig.forge.fetch_branch(PROJECT, odd)


# ── clones ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Rig]:
    async with github(tmp_path) as made:
        yield made


def clones(rig: Rig, place: Path) -> Clones:
    assert rig.api
    remote = Remote(owner="acme", name="shop", commits=place)
    return Clones({PROJECT: remote}, Pushing(rig.api.url, rig.api.token))


async def test_a_clone_is_made_and_follows_what_is_on_github(hub: Rig, tmp_path: Path) -> None:
    place = tmp_path / "clones" / "shop.git"
    kept = clones(hub, place)
    await kept.refresh(PROJECT)
    assert repos.git(place, "rev-parse", "HEAD") == repos.tip(hub.far, "main")
    made = repos.put_on(hub.far, "main", {"more.py": "1\n"})
    await kept.recent(PROJECT)
    assert repos.tip(place, "main") != made, "a list of files may be half a minute old"
    await kept.refresh(PROJECT)
    assert repos.tip(place, "main") == made
    await kept.refresh("elsewhere")


async def test_another_default_branch_is_followed(hub: Rig, tmp_path: Path) -> None:
    place = tmp_path / "shop.git"
    kept = clones(hub, place)
    await kept.refresh(PROJECT)
    repos.git(hub.far, "branch", "trunk", "main")
    made = repos.put_on(hub.far, "trunk", {"more.py": "1\n"})
    repos.git(hub.far, "symbolic-ref", "HEAD", "refs/heads/trunk")
    await kept.refresh(PROJECT)
    assert repos.git(place, "rev-parse", "HEAD") == made
    other = repos.put_on(hub.far, "main", {"still.py": "1\n"})
    await kept.refresh(PROJECT, "main")
    assert repos.tip(place, "main") == other, "the branch that some work is for is brought too"
    repos.git(hub.far, "update-ref", "-d", "refs/heads/main")
    await kept.refresh(PROJECT, "main")
    assert not repos.tip(place, "main") and repos.tip(place, "trunk") == made


async def test_history_that_was_rewritten_there_is_taken_as_it_is(hub: Rig, tmp_path: Path) -> None:
    place = tmp_path / "shop.git"
    kept = clones(hub, place)
    await kept.refresh(PROJECT)
    root = repos.tip(hub.far, "main")
    repos.put_on(hub.far, "main", {"a.py": "1\n"})
    await kept.refresh(PROJECT)
    other = repos.commit(hub.far, {"b.py": "1\n"}, on=root)
    repos.git(hub.far, "update-ref", "refs/heads/main", other)
    await kept.refresh(PROJECT)
    assert repos.tip(place, "main") == other


async def test_while_github_is_down_what_there_is_is_read_and_a_fresh_look_says_so(hub: Rig, tmp_path: Path) -> None:
    assert hub.fake
    with_code, without = clones(hub, tmp_path / "a.git"), clones(hub, tmp_path / "b.git")
    await clones(hub, tmp_path / "a.git").refresh(PROJECT)
    hub.fake.faults.plan(Fault.ERROR_BEFORE, "info/refs", times=20)
    await with_code.recent(PROJECT)
    with pytest.raises(ForgeFailed, match="could not read acme/shop"):
        await with_code.refresh(PROJECT)
    with pytest.raises(ForgeFailed):
        await without.recent(PROJECT)


async def test_the_token_is_in_no_file_of_a_clone(hub: Rig, tmp_path: Path) -> None:
    assert hub.api
    place = tmp_path / "shop.git"
    await clones(hub, place).refresh(PROJECT)
    token = hub.api.token.reveal().encode()
    assert not [path for path in place.rglob("*") if path.is_file() and token in path.read_bytes()]
