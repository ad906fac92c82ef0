"""What CI on GitHub says of a commit: every page of it, by whatever right the token has, with the end of its logs."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.remote import CheckState, RemoteCheck
from agents.ports import ForgeFailed, NoDrafts
from tests.fakes.github import FakeGitHub, Fault, Repo
from tests.workspace.forge_rig import PROJECT, SECRET, Rig, github

S = CheckState


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with github(tmp_path) as made:
        yield made


async def pushed(rig: Rig) -> tuple[FakeGitHub, Repo, str]:
    pull = rig.pull()
    await rig.forge.publish(PROJECT, pull.branch, pull.head)
    assert rig.fake
    repo = rig.fake.world.repos["acme/shop"]
    repo.ci.web = f"{rig.fake.web_url}/acme/shop"
    return rig.fake, repo, pull.head


async def read(rig: Rig, commit: str) -> list[RemoteCheck]:
    return list(await rig.forge.checks(PROJECT, commit))


async def test_each_conclusion_counts_as_what_it_is(rig: Rig) -> None:
    _, repo, commit = await pushed(rig)
    conclusions = {
        **{"success": S.PASSED, "neutral": S.PASSED, "skipped": S.SKIPPED, "action_required": S.WAITING},
        **{"failure": S.FAILED, "timed_out": S.FAILED, "cancelled": S.FAILED, "stale": S.FAILED, "new one": S.FAILED},
    }
    for conclusion in conclusions:
        repo.ci.run(commit, conclusion, conclusion)
    repo.ci.run(commit, "under way")
    assert {check.name: check.state for check in await read(rig, commit)} == {**conclusions, "under way": S.WAITING}


async def test_statuses_of_other_servers_are_checks_too(rig: Rig) -> None:
    fake, repo, commit = await pushed(rig)
    for context, state in (("a", "success"), ("b", "pending"), ("c", "failure"), ("d", "error")):
        repo.ci.status(commit, context, state, target_url="https://ci.elsewhere.test/1", description="as it is")
    found = await read(rig, commit)
    assert [check.state for check in found] == [S.PASSED, S.WAITING, S.FAILED, S.FAILED]
    assert {check.url for check in found} == {f"{fake.web_url}/acme/shop/commit/{commit}/checks"}, "a link to GitHub"
    assert found[2].why == "failure on GitHub: as it is"


async def test_a_run_that_was_repeated_counts_as_it_ended_last(rig: Rig) -> None:
    _, repo, commit = await pushed(rig)
    repo.ci.run(commit, "build", "failure")
    repo.ci.run(commit, "build", "success")
    assert [check.state for check in await read(rig, commit)] == [S.PASSED]


async def test_a_red_one_among_hundreds_is_seen(rig: Rig) -> None:
    _, repo, commit = await pushed(rig)
    for number in range(230):
        repo.ci.run(commit, f"job {number}", "failure" if number == 205 else "success")
        repo.ci.status(commit, f"other {number}", "error" if number == 150 else "success")
    found = await read(rig, commit)
    assert len(found) == 460
    assert [check.name for check in found if check.state is S.FAILED] == ["job 205", "other 150"]


async def test_the_end_of_a_log_is_handed_on_and_the_token_stays_with_the_api(rig: Rig) -> None:
    fake, repo, commit = await pushed(rig)
    log = "x" * 200_000 + f"\n\x1b[31mE assert 2 == 1 token={SECRET}\x1b[0m\n"
    repo.ci.run(commit, "build", "failure", log=log)
    repo.ci.run(commit, "scan", "failure", app="scanner", summary="A hole in line 3")
    repo.ci.run(commit, "no log", "failure")
    build, scan, none = await read(rig, commit)
    assert "E assert 2 == 1" in build.output and SECRET not in build.output and len(build.output) <= 4_000
    assert (scan.output, none.output) == ("A hole in line 3", "")
    assert build.url == f"{fake.web_url}/acme/shop/runs/1"
    assert fake.tokens_leaked == 0


async def test_what_did_not_change_is_not_asked_for_twice(rig: Rig) -> None:
    fake, repo, commit = await pushed(rig)
    repo.ci.run(commit, "build")
    first = await read(rig, commit)
    fake.calls.clear()
    assert await read(rig, commit) == first
    assert [call.status for call in fake.calls] == [304, 304]
    repo.ci.run(commit, "build", "success")
    assert [check.state for check in await read(rig, commit)] == [S.PASSED]


async def test_a_token_that_may_not_read_checks_reads_jobs(rig: Rig) -> None:
    """GitHub gives that right to no fine-grained token."""
    _, repo, commit = await pushed(rig)
    repo.ci.may_read_checks = False
    assert await read(rig, commit) == []
    repo.ci.run(commit, "build", "failure", log="E assert 2 == 1")
    repo.ci.status(commit, "other", "success")
    found = await read(rig, commit)
    assert [(check.name, check.state, check.output) for check in found] == [
        ("build", S.FAILED, "E assert 2 == 1"),
        ("other", S.PASSED, ""),
    ]


async def test_a_token_that_may_read_neither_is_told_what_it_needs(rig: Rig) -> None:
    _, repo, commit = await pushed(rig)
    repo.ci.may_read_checks = repo.ci.may_read_actions = False
    with pytest.raises(ForgeFailed, match="does not let me read the checks") as told:
        await rig.forge.checks(PROJECT, commit)
    assert "read Actions and commit statuses" in told.value.next_step


@pytest.mark.parametrize("fault", [Fault.LIMIT_429, Fault.LIMIT_PRIMARY, Fault.ERROR_BEFORE, Fault.RESET_BEFORE])
async def test_limits_and_outages_are_waited_for(rig: Rig, fault: Fault) -> None:
    fake, repo, commit = await pushed(rig)
    repo.ci.run(commit, "build", "success")
    fake.faults.plan(fault, "check-runs|status", times=2)
    assert [check.state for check in await read(rig, commit)] == [S.PASSED]


async def test_hostile_names_are_one_harmless_line(rig: Rig) -> None:
    _, repo, commit = await pushed(rig)
    repo.ci.run(commit, f"build\n\x1b[2J{'x' * 500} {SECRET}", "success", url="javascript:alert(1)")
    (check,) = await read(rig, commit)
    assert len(check.name) <= 80 and check.name.isprintable() and "\n" not in check.name
    assert check.url.startswith("http") and check.url.endswith("/checks")


async def test_a_commit_that_is_not_there_is_told(rig: Rig) -> None:
    with pytest.raises(ForgeFailed, match="No commit found"):
        await rig.forge.checks(PROJECT, "a" * 40)


async def test_where_there_are_no_drafts_nothing_is_opened(rig: Rig) -> None:
    assert rig.fake
    rig.fake.world.repos["acme/shop"].drafts = False
    draft = rig.pull(draft=True)
    with pytest.raises(NoDrafts, match="not supported in this repository"):
        await rig.forge.open(draft)
    assert rig.seen() == []
    assert not (
        await rig.forge.open(replace(draft, draft=False))
    ).draft  # the same commit: another second makes another
