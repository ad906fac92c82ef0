"""GitHub as a forge when answers get lost, limits are reached, others are quicker, and words are hostile."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.domain.text.redact import Secret
from agents.ports import ForgeFailed, Target
from agents.workspace.forge.github import GitHubForge
from agents.workspace.forge.github_api import GitHubApi
from agents.workspace.forge.remotes import Remote, owner_and_name, web_of
from tests.fakes.github import TOKEN, FakeGitHub, Fault, Repo, running_github
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, REDACT, github_forge, shown_on, work_on


@dataclass(kw_only=True)
class Hub:
    fake: FakeGitHub
    repo: Repo
    ours: Path
    forge: GitHubForge
    api: GitHubApi

    def counts(self) -> dict[str, int]:
        kinds = ("push", "pull", "comment", "ready", "merge")
        return {kind: self.fake.world.count(kind) for kind in kinds}


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Hub]:
    async with running_github(tmp_path / "hub") as fake:
        repo = fake.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs"), fake.folder)
        ours = repos.bare(repo.path, tmp_path / "ours")
        forge, api = github_forge(fake.api_url, ours)
        yield Hub(fake=fake, repo=repo, ours=ours, forge=forge, api=api)
        await api.close()


ONCE = {"push": 1, "pull": 1, "comment": 1, "ready": 1, "merge": 1}
WRITES = ["POST .*/pulls", "POST .*/comments", "POST .*/graphql", "PUT .*/merge"]


async def whole(hub: Hub) -> str | None:
    pull = work_on(hub.ours, draft=True)
    opened = await hub.forge.open(pull)
    await hub.forge.comment("k", PROJECT, opened.number, "The gates pass.")
    await hub.forge.ready(PROJECT, opened.number)
    return await hub.forge.merge(PROJECT, opened.number, pull.head, "Add b")


@pytest.mark.parametrize("which", ["GET .*", *WRITES, ".*receive-pack"])
@pytest.mark.parametrize("fault", list(Fault))
async def test_whatever_goes_wrong_on_the_way_each_effect_happens_once(hub: Hub, fault: Fault, which: str) -> None:
    if "receive-pack" in which and fault.startswith("limit"):
        fault = Fault.ERROR_BEFORE  # git knows no such limits
    hub.fake.faults.plan(fault, which, times=2 if "GET" in which else 1)
    assert await whole(hub) == repos.tip(hub.repo.path, "main")
    assert hub.counts() == ONCE
    assert hub.fake.faults.met > 0


async def test_many_processes_at_once_have_each_effect_once(hub: Hub) -> None:
    """Comments apart, which GitHub cannot be asked to compare: the job's lease keeps those to one process."""
    pull = work_on(hub.ours)
    made = [github_forge(hub.fake.api_url, hub.ours) for _ in range(4)]
    opened = await asyncio.gather(*(forge.open(pull) for forge, _ in made))
    assert {one.number for one in opened} == {1}
    merged = await asyncio.gather(*(forge.merge(PROJECT, 1, pull.head, "Add b") for forge, _ in made))
    assert set(merged) == {repos.tip(hub.repo.path, "main")}
    assert hub.counts() == {**ONCE, "comment": 0, "ready": 0}
    for _, api in made:
        await api.close()


async def test_a_pull_request_that_somebody_opened_for_the_branch_is_taken(hub: Hub) -> None:
    pull = work_on(hub.ours)
    repos.git(hub.repo.path, "fetch", "-q", str(hub.ours), f"{pull.head}:refs/heads/{pull.branch}")
    hub.fake.world.open_pull(hub.repo, {"title": "By hand", "head": pull.branch, "base": "main", "body": ""})
    assert (await hub.forge.open(pull)).number == 1
    assert hub.counts()["pull"] == 1


async def test_one_that_a_person_closed_stays_closed(hub: Hub) -> None:
    pull = work_on(hub.ours)
    opened = await hub.forge.open(pull)
    hub.repo.issues[0].state = "closed"
    assert (await hub.forge.open(pull)).state == "closed"
    with pytest.raises(ForgeFailed, match="closed on GitHub"):
        await hub.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert hub.counts() == {"push": 1, "pull": 1, "comment": 0, "ready": 0, "merge": 0}


@pytest.mark.parametrize("when", ["before", "meanwhile", "after"])
async def test_one_that_somebody_turns_to_another_branch_is_told_as_what_it_is(hub: Hub, when: str) -> None:
    pull, start = work_on(hub.ours, into="main"), repos.tip(hub.repo.path, "main")
    repos.git(hub.repo.path, "update-ref", "refs/heads/release", start)
    opened = await hub.forge.open(pull)

    def turn() -> None:
        found = hub.repo.issues[0].pull
        assert found
        found["base"] = "release"

    if when == "meanwhile":  # nobody can ask GitHub to compare: it is told truly afterwards
        hub.fake.world.before_merge = turn
    else:
        turn()
    if when == "after":
        hub.fake.world.merge(hub.repo, hub.repo.issues[0], {})
    said = "is for the branch release, but main was shown" if when == "before" else "was merged into release"
    with pytest.raises(ForgeFailed, match=said):
        await hub.forge.merge(PROJECT, opened.number, pull.head, "Add b", Target(branch="main", start=start))
    assert repos.tip(hub.repo.path, "main") == start
    assert (repos.tip(hub.repo.path, "release") == start) is (when == "before")


async def test_a_copied_mark_does_not_silence_us(hub: Hub) -> None:
    """T3: somebody posts our hidden mark before we do."""
    pull = work_on(hub.ours)
    opened = await hub.forge.open(pull)
    await hub.forge.comment("k", PROJECT, opened.number, "The gates pass.")
    said = hub.repo.issues[0].comments
    hub.fake.world.comment(hub.repo, hub.repo.issues[0], said.pop()["body"], login="eve")
    await hub.forge.comment("k", PROJECT, opened.number, "The gates pass.")
    assert [comment["user"]["login"] for comment in said] == ["eve", "overlord-bot"]


async def test_our_comment_is_found_on_a_later_page(hub: Hub) -> None:
    opened = await hub.forge.open(work_on(hub.ours))
    for at in range(230):
        hub.fake.world.comment(hub.repo, hub.repo.issues[0], f"chatter {at}", login="ana")
    for _ in range(2):
        await hub.forge.comment("k", PROJECT, opened.number, "The gates pass.")
    assert hub.counts()["comment"] == 1


async def test_a_repository_that_allows_no_merge_commits_is_merged_its_way(hub: Hub) -> None:
    hub.repo.allow = ("squash",)
    assert await whole(hub) == repos.tip(hub.repo.path, "main")


async def test_a_long_wait_is_told_and_not_slept(hub: Hub) -> None:
    """Attack 71."""
    hub.fake.faults.plan(Fault.LIMIT_SECONDARY, seconds=86_400)
    with pytest.raises(ForgeFailed, match="wait 1440 minutes") as raised:
        await hub.forge.base(PROJECT)
    assert raised.value.error == "resource"


async def test_a_limit_is_waited_out_for_as_long_as_github_asks(hub: Hub) -> None:
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        hub.api._not_before = 0

    hub.api.wait = wait
    for fault in (Fault.LIMIT_SECONDARY, Fault.LIMIT_429, Fault.LIMIT_PRIMARY):
        hub.fake.faults.plan(fault, seconds=30)
    assert await hub.forge.base(PROJECT) == "main"
    assert [round(seconds / 30) for seconds in waited] == [1, 1, 1]


@pytest.mark.parametrize(
    ("token", "told", "error"),
    [("github_pat_wrong_" + "x" * 30, "GITHUB_TOKEN", "resource"), (TOKEN, "does not know acme/gone", "")],
)
async def test_a_refusal_says_what_to_do(hub: Hub, token: str, told: str, error: str) -> None:
    api = GitHubApi(hub.fake.api_url, Secret(token))
    remotes = {PROJECT: Remote(owner="acme", name="gone" if token == TOKEN else "shop", commits=hub.ours)}
    with pytest.raises(ForgeFailed, match=told) as raised:
        await GitHubForge(api, remotes, REDACT).base(PROJECT)
    assert token not in str(raised.value) and raised.value.error == error
    await api.close()


async def test_a_server_that_is_not_there_is_told(hub: Hub) -> None:
    api = GitHubApi("http://127.0.0.1:9/api/v3", Secret(TOKEN))
    forge = GitHubForge(api, {PROJECT: Remote(owner="acme", name="shop", commits=hub.ours)}, REDACT)
    with pytest.raises(ForgeFailed, match="GITHUB_API_URL") as raised:
        await forge.base(PROJECT)
    assert raised.value.error == "network"
    with pytest.raises(ForgeFailed, match="git could not read acme/shop") as raised:
        await forge._pushing.at(forge.remote(PROJECT), "main")
    assert raised.value.error == "network", "as git says it"
    await api.close()


async def test_an_answer_of_another_shape_is_no_answer(hub: Hub) -> None:
    hub.repo.default_branch = "--upload-pack=x"
    with pytest.raises(ForgeFailed, match="name of a branch"):
        await hub.forge.base(PROJECT)


async def test_the_token_is_in_no_argument_no_address_and_no_file(hub: Hub, tmp_path: Path) -> None:
    """Attack 61. A git that writes down how it was called stands in front of the real one."""
    calls, real = tmp_path / "calls", os.environ["PATH"]
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {calls}\nPATH="{real}" exec git "$@"\n')
    shim.chmod(0o755)
    os.environ["PATH"] = f"{shim.parent}:{real}"
    try:
        assert await whole(hub)
    finally:
        os.environ["PATH"] = real
    assert "push" in calls.read_text()
    kept = [calls.read_bytes(), *(path.read_bytes() for path in hub.ours.rglob("*") if path.is_file())]
    assert not any(TOKEN.encode() in text or b"x-access-token" in text for text in kept)


async def test_a_push_that_is_sent_elsewhere_does_not_follow(hub: Hub) -> None:
    hub.fake.tokens.clear()
    with pytest.raises(ForgeFailed) as raised:
        await hub.forge._pushing.push(hub.forge.remote(PROJECT), "ai/x", work_on(hub.ours).head)
    assert raised.value.error == "resource"
    assert hub.counts()["push"] == 0


async def test_hostile_words_call_nobody_close_nothing_and_fetch_nothing(hub: Hub) -> None:
    """Attacks 22, 58, 60: in a title, a body and a comment."""
    hostile = (
        "@lead please see #12, closes #3, fixes acme/shop#4, resolves https://github.com/acme/shop/issues/5\n"
        "![x](https://evil.example/?d=1) <img src=https://evil.example/2> [Approve](https://evil.example)\n"
        "<!-- hidden: approve --> \u202egnp.exe @acme/admins www.evil.example [x]: https://evil.example/3\n"
        "/approve\n```\ncode with <b> and @you\n```\n"
    )
    pull = work_on(hub.ours, title=f"Add b, closes #3 {hostile}", body=hostile)
    opened = await hub.forge.open(pull)
    await hub.forge.comment("k", PROJECT, opened.number, hostile)
    (seen,) = shown_on(hub.fake)
    for text in (seen.body, *seen.comments):
        own = re.sub(r"<!-- overlord:[\w-]{22} -->", "", text)
        for sign in (
            r"@\w",
            r"#\d",
            r"<[A-Za-z!/]",
            r"!\[",
            r"\]\(",
            r"\]:",
            r"https?://",
            r"www\.",
            r"^/\w",
            "\u202e",
        ):
            assert not re.search(sign, own, re.M), (sign, own)
        assert not re.search(r"(?i)\b(closes|fixes|resolves)\b", own)
        assert "please see" in own
    assert not re.search(r"#\d", seen.title)
    assert "\n" not in seen.title
    assert len(seen.title) <= 256


async def test_very_long_words_are_cut_to_what_github_takes(hub: Hub) -> None:
    opened = await hub.forge.open(work_on(hub.ours, title="t" * 5000, body="<b>@x #1 " * 30_000))
    await hub.forge.comment("k", PROJECT, opened.number, "@x" * 100_000)
    assert hub.counts() == {"push": 1, "pull": 1, "comment": 1, "ready": 0, "merge": 0}


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://github.com/acme/shop", ("acme", "shop")),
        ("https://github.com/acme/shop.git", ("acme", "shop")),
        ("git@github.com:acme/shop.git", ("acme", "shop")),
        ("ssh://git@github.com/acme/shop.git", ("acme", "shop")),
        ("https://ana@github.com/acme/my.site/", ("acme", "my.site")),
        ("https://gitlab.com/acme/shop", None),
        ("https://github.com.evil.example/acme/shop", None),
        ("https://github.com/acme/shop/../../x", None),
        ("https://github.com/acme/..", None),
        ("https://github.com/acme", None),
        ("file:///acme/shop", None),
    ],
)
def test_a_project_is_on_github_if_its_address_is(url: str, named: tuple[str, str] | None) -> None:
    assert owner_and_name(url, "https://api.github.com") == named


def test_where_git_goes_follows_from_where_the_api_is() -> None:
    assert web_of("https://api.github.com") == "https://github.com"
    assert web_of("https://git.example.com/api/v3") == "https://git.example.com"
    assert owner_and_name("https://git.example.com/a/b", "https://git.example.com/api/v3") == ("a", "b")


async def test_a_label_is_there_once_however_often_the_pull_request_is_asked_for(hub: Hub) -> None:
    pull = replace(work_on(hub.ours), labels=("skill-change",))
    opened = await hub.forge.open(pull)
    await hub.forge.open(pull)
    assert hub.repo.issue(opened.number).labels == ["skill-change"]
