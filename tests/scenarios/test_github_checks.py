"""Draft pull requests and GitHub's own checks, beside a strict GitHub with real git; models and minions are played."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.domain.events import ChecksAwaited, DraftOpened, StepRefused
from tests.fakes.github.ci import Ci, every_push
from tests.fakes.work import ScriptedGates
from tests.scenarios.github_stage import GitHubPlay, github_play, writes
from tests.workspace import repositories as repos

pytestmark = pytest.mark.timeout(180)
EARLY = "workflow: {template: open_source, overrides: {create_pr: {config: {draft: early}}}}"
LIMITS = ", checks_apart: 1, checks_grace: 2, checks_wait: 600"
LOG = "E assert PRICE == 1"


@pytest.fixture
async def play(loaded: None, tmp_path: Path) -> AsyncIterator[GitHubPlay]:
    async with github_play(tmp_path, gates=ScriptedGates(), limits=LIMITS, more=EARLY) as opened:
        yield opened


def counted(play: GitHubPlay) -> dict[str, int]:
    return {kind: play.fake.world.count(kind) for kind in ("push", "pull", "ready", "merge")}


async def merge(play: GitHubPlay, thread: str) -> None:
    await play.sees("lead", thread, "T-1 waits for the review by people outside", offers="Review is over")
    assert not play.repo.pull(2).pull["draft"], "all that we check has passed"  # type: ignore[index]
    await play.stage.press("lead", thread, "Review is over")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("lead", thread, "T-1 is merged")


async def test_a_red_check_on_the_draft_is_worked_in_and_a_green_one_lets_it_be_merged(play: GitHubPlay) -> None:
    def first_red(ci: Ci, commit: str) -> None:
        red = len(ci.commits) == 1
        ci.run(commit, "build", "failure" if red else "success", LOG if red else "")

    play.repo.ci.on_push = first_red
    play.minions.scripts = {2: [writes('NOTE = "mended"\n')]}
    play.opens("Give prices a currency")
    thread = await play.approved()
    await play.sees("lead", thread, "Pushed early", "draft pull request as soon as")
    await merge(play, thread)
    facts = [recorded.event for recorded in await play.log()]
    (refused,) = [fact for fact in facts if isinstance(fact, StepRefused)]
    assert refused.step == "ci" and [gate.name for gate in refused.checked.gates] == ["remote build"]
    assert refused.checked.gates[0].url.endswith("/runs/1")
    assert LOG in "\n".join(play.minions.briefs[-1].work.feedback)
    drafts = [fact.head for fact in facts if isinstance(fact, DraftOpened)]
    assert drafts and [fact.commit for fact in facts if isinstance(fact, ChecksAwaited)] == play.repo.ci.commits
    assert counted(play) == {"push": 2, "pull": 1, "ready": 1, "merge": 1}
    assert "mended" in repos.git(play.repo.path, "show", "main:shop.py")


async def test_no_checks_on_github_are_not_run(play: GitHubPlay) -> None:
    play.opens("Give prices a currency")
    thread = await play.approved()
    await merge(play, thread)
    assert counted(play) == {"push": 1, "pull": 1, "ready": 1, "merge": 1}
    await play.sees("lead", thread, "T-1 is ready to merge", "Merge approved")


async def test_without_a_draft_its_branch_is_pushed_for_the_checks(loaded: None, tmp_path: Path) -> None:
    more = "workflow: {overrides: {ci: {config: {remote: true}}}}"
    async with github_play(tmp_path, gates=ScriptedGates(), limits=LIMITS, more=more) as play:
        play.repo.ci.on_push = every_push(None)
        play.opens("Give prices a currency")
        thread = await play.approved()
        await play.sees("lead", thread, "Pushed early", "its branch, for remote checks")
        await play.sees("lead", thread, "waits for remote checks: build (0 ended)")
        assert counted(play) == {"push": 1, "pull": 0, "ready": 0, "merge": 0}
        (commit,) = play.repo.ci.commits
        play.repo.ci.run(commit, "build", "success")
        await play.sees("lead", thread, "T-1 is ready to merge", "Remote build")
        assert counted(play) == {"push": 1, "pull": 1, "ready": 0, "merge": 0}
