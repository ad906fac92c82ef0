"""Bad work never reaches GitHub: real gates and git, a strict GitHub; only models and minions are played."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Score
from agents.domain.events import WorkEvaluated
from agents.ports import Brief, Finished, Outcome, Watch
from tests.fakes.github.world import Issue
from tests.fakes.work import says
from tests.scenarios.github_stage import PLAN, PROVEN, TESTS, GitHubPlay, github_play, proves, writes
from tests.scenarios.plans import subtask
from tests.workspace import repositories as repos

pytestmark = pytest.mark.timeout(180)  # real programs are run, and machines are shared
SECRET = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"


@pytest.fixture
async def play(loaded: None, tmp_path: Path) -> AsyncIterator[GitHubPlay]:
    async with github_play(tmp_path) as opened:
        yield opened


def pushed(play: GitHubPlay) -> list[int]:
    return [play.fake.world.count(kind) for kind in ("push", "pull", "merge")]


async def refused(play: GitHubPlay, issue: Issue, *words: str) -> str:
    """No other attempt can mend it: a person is asked, the issue is told, and nothing is pushed."""
    thread = await play.approved()
    card = await play.sees("lead", thread, "needs you", "Another attempt would not fix this", *words)
    assert "I'll finish it myself" in card.buttons and "Kept: patch T-1.1-" in card.text
    await play.said_on(issue, words[0])
    await play.labels(issue, ["overlord", "needs-attention"])
    assert pushed(play) == [0, 0, 0]
    return thread


async def test_a_secret_stays_here_whoever_takes_the_branch(play: GitHubPlay, tmp_path: Path) -> None:
    play.minions.always = writes(f'KEY = "{SECRET}"\n')
    thread = await refused(play, play.opens("Give prices a currency"), "what looks like a secret in shop.py")
    await play.stage.press("lead", thread, "I'll finish it myself")
    await play.sees("lead", thread, "the branch could not be brought to you", "what looks like a secret")
    await play.silence("lead", thread)
    assert pushed(play) == [0, 0, 0] and not repos.tip(play.repo.path, (await play.task()).work.on(1).branch)
    kept = (tmp_path / "home" / "artefacts" / "T-1" / "T-1.1-1.patch").read_text()
    assert "+KEY = " in kept and SECRET not in kept


async def test_work_outside_its_scope_is_not_pushed_until_the_scope_is_widened(play: GitHubPlay) -> None:
    """Then the very same files are within it: to hand them in again is no loop."""
    fine = says(Finished(summary="It is fine as it is"))
    play.minions.scripts = {1: [writes("DEBUG = 1\n", path="settings.py"), fine]}
    issue = play.opens("Give prices a currency")
    thread = await refused(play, issue, "settings.py: outside what this subtask may write")
    await play.stage.press("lead", thread, "Expand scope", words="settings.py")
    await play.sees("lead", thread, "may it write more?", "settings.py")
    await play.stage.press("lead", thread, "Allow these paths")
    await play.sees("lead", thread, "review step ", "Medium risk")
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1 is ready to merge", "settings.py (+1 −0)")
    assert pushed(play) == [1, 1, 0]


SETTINGS = {**PLAN, "subtasks": [subtask("Add a currency", files=["settings.py"])]}


async def test_attack_19_what_only_time_let_pass_is_not_pushed_until_somebody_lets_it(
    loaded: None, tmp_path: Path
) -> None:
    async with github_play(tmp_path, plan=SETTINGS, limits=", medium_gate: 20") as play:
        play.minions.always = writes("DEBUG = 1\n", path="settings.py")
        play.opens("Give prices a currency")
        thread = await play.approved()
        card = await play.sees("lead", thread, "T-1.1 passed only because the time ran out", "leaves this machine")
        assert "Continue" in card.buttons and "Wait for me" not in card.buttons, "it has no clock"
        assert pushed(play) == [0, 0, 0]
        await play.stage.press("lead", thread, "Continue")
        await play.sees("lead", thread, "T-1 is ready to merge", "settings.py (+1 −0)")
        assert pushed(play) == [1, 1, 0]


async def test_the_same_work_again_is_never_pushed(play: GitHubPlay) -> None:
    """The first attempt breaks a test; the second hands in the very same files."""
    play.minions.scripts = {1: [writes("PRICE = 2\n"), says(Finished(summary="It is fine as it is"))]}
    await refused(play, play.opens("Give prices a currency"), "the same files as attempt 1", "goes round in circles")
    assert (await play.task()).work.on(1).attempt == 2


async def cheats(brief: Brief, watch: Watch) -> Outcome:
    place = brief.checkout.workspace.path
    (place / "shop.py").write_text("PRICE = 2\n")
    (place / "test_shop.py").write_text(TESTS.replace("== 1", "== 2"))
    return Finished(summary="All tests pass")


async def test_tests_edited_to_pass_are_seen_and_put_right_before_anything_is_pushed(play: GitHubPlay) -> None:
    play.minions.scripts = {1: [cheats, proves]}
    play.opens("Give prices a currency")
    thread = await play.approved()
    await play.sees("lead", thread, "T-1 is ready to merge", "passed at attempt 2")
    first = next(r.event.evaluation for r in await play.log() if isinstance(r.event, WorkEvaluated))
    rows = {gate.name: gate for gate in first.gates}
    assert rows["tests"].score is Score.PASS, "by its own tests it is fine"
    assert rows["original tests"].score is Score.NEEDS_REVISION and "as they were" in rows["original tests"].why
    assert rows["original tests"].why in play.minions.briefs[1].work.feedback[0]
    assert pushed(play) == [1, 1, 0]
    assert (
        repos.git(play.repo.path, "show", f"{(await play.task()).delivery.head}:test_shop.py").strip() == PROVEN.strip()
    )
