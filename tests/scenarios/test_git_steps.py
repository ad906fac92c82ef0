"""What each step of a task is in git, seen from outside in real repositories."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agents.domain.work.work import Ending
from agents.ports import Brief, Candidate, GaveUp, Judged, Outcome, Show, Watch, show_nothing
from agents.workspace.git.checkouts import copy_of
from tests.fakes.work import ScriptedGates
from tests.scenarios.github_stage import PLAN, GitHubPlay, github_play, writes
from tests.scenarios.plans import subtask
from tests.workspace import repositories as repos


@dataclass
class HeldGates(ScriptedGates):
    """Judges when it is let."""

    judging: asyncio.Event = field(default_factory=asyncio.Event)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        self.judging.set()
        await self.may_go_on.wait()
        return await super().judge(candidate, show)


@pytest.fixture
def gates() -> HeldGates:
    return HeldGates()


@pytest.fixture
async def play(loaded: None, tmp_path: Path, gates: HeldGates) -> AsyncIterator[GitHubPlay]:
    async with github_play(tmp_path, gates) as opened:
        yield opened


async def test_start_is_a_branch_done_is_staged_approved_is_committed_and_a_person_merges(
    play: GitHubPlay, gates: HeldGates, tmp_path: Path
) -> None:
    ours, theirs = copy_of(tmp_path / "home", "shop"), play.repo.path
    main = repos.tip(theirs, "main")
    play.opens("Give prices a currency")
    thread = await play.approved()
    await asyncio.wait_for(gates.judging.wait(), 30)
    task = await play.task()
    assert task.work.branch.startswith("ai/t-1-") and task.work.base == main, (
        "start: a branch has a name and where it begins"
    )

    done = repos.tip(ours, task.work.on(1).branch)
    assert task.work.on(1).branch.startswith("ai/t-1.1-") and done != main, (
        "implemented: staged on the subtask's branch"
    )
    assert not repos.tip(ours, task.work.branch), "and on no other before it is approved"
    assert repos.git(ours, "show", "-s", "--format=%an <%ae>%n%P", done).split("\n")[:2] == [
        "Overlord <overlord@localhost>",
        main,
    ]
    assert "EUR" in repos.git(ours, "show", f"{done}:shop.py")

    gates.may_go_on.set()
    await play.sees("lead", thread, "T-1 is ready to merge")
    task = await play.task()
    assert repos.git(ours, "merge-base", done, task.work.branch).strip() == done, "approved: on the task's branch"
    assert repos.tip(theirs, task.work.branch) == task.delivery.head and repos.tip(theirs, "main") == main, (
        "complete: not merged yet"
    )

    await play.stage.press("lead", thread, "Merge it")
    await play.sees("lead", thread, "T-1 is merged", "on main")
    assert repos.git(theirs, "merge-base", task.delivery.head, "main").strip() == task.delivery.head, (
        "merged, as a person confirmed"
    )


async def test_failed_is_a_kept_patch_and_nothing_is_reset(play: GitHubPlay, tmp_path: Path) -> None:
    """In place of a stash: the folder goes, patch and branch stay, also after a person let it go."""

    async def gives_up(brief: Brief, watch: Watch) -> Outcome:
        await writes()(brief, watch)
        return GaveUp(ending=Ending.TURNS, problem="50 turns were not enough")

    play.minions.always = gives_up
    ours, home = copy_of(tmp_path / "home", "shop"), tmp_path / "home"
    main = repos.tip(play.repo.path, "main")
    play.opens("Give prices a currency")
    thread = await play.approved()
    card = await play.sees("lead", thread, "needs you", "50 turns were not enough", "Kept: patch T-1.1-1.patch")
    task = await play.task()
    done = repos.tip(ours, task.work.on(1).branch)
    assert f"Kept: branch {task.work.on(1).branch}" in card.text and done != main
    assert '+CURRENCY = "EUR"' in (home / "artefacts" / "T-1" / "T-1.1-1.patch").read_text()
    assert not [path for path in (home / "worktrees").rglob("shop.py") if "EUR" in path.read_text()], (
        "its folder is gone"
    )

    await play.stage.press("mallory", thread, "Drop subtask")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Drop subtask")
    await play.happened("SubtaskDropped")
    await play.silence("lead", thread)
    assert repos.tip(ours, task.work.on(1).branch) == done and repos.tip(play.repo.path, "main") == main


MANNERS = """
git:
  branch_pattern: bots/{task_id}/{description}
  commit_message: "{type}: {title} [{task_id}]"
  author: Team Shop <shop@example.com>
  sign_off: true
  co_author: true
  people: {github:mia: Mia Ray <mia@example.com>}
"""
SETTINGS = {**PLAN, "subtasks": [subtask("Add a currency", files=["requirements.txt"])]}  # a step of medium risk
TYPE = "feat"
TRAILERS = "Co-authored-by: Mia Ray <mia@example.com>\nSigned-off-by: Team Shop <shop@example.com>"


async def test_manners_are_shown_before_anything_is_done_and_then_kept(loaded: None, tmp_path: Path) -> None:
    async with github_play(tmp_path, ScriptedGates(), plan=SETTINGS, more=MANNERS) as play:
        play.minions.always = writes("attrs\n", path="requirements.txt")
        play.opens("Give prices a currency")
        thread = await play.thread()
        branch = "bots/t-1/prices-have-a-currency"
        await play.sees(
            "lead", thread, "please look at the plan", f"{branch}", "from `main`", "Team Shop", "signed off"
        )
        await play.stage.press("lead", thread, "Approve plan")
        await play.sees(
            "lead", thread, "review step 1 of 2", f"{TYPE}: Add a currency [T-1.1]", f"goes onto `{branch}`", "main"
        )
        await play.stage.press("lead", thread, "Continue")
        card = await play.sees(
            "lead", thread, "T-1 is ready to merge", f"{TYPE}: Prices have a currency [T-1]", "requirements.txt (+1"
        )
        assert all(line in card.text for line in ("Merges into: main", *TRAILERS.splitlines()))
        await play.stage.press("lead", thread, "Merge it")
        await play.sees("lead", thread, "T-1 is merged")
        task, theirs = await play.task(), play.repo.path
        assert (task.work.branch, task.work.on(1).branch) == (branch, "bots/t-1.1/add-a-currency")
        head = repos.tip(theirs, branch)
        assert repos.git(theirs, "show", "-s", "--format=%an <%ae>|%cn|%s", head) == (
            "Team Shop <shop@example.com>|Overlord|feat: Add a currency [T-1.1]"
        )
        assert repos.git(theirs, "show", "-s", "--format=%(trailers)", head).strip() == TRAILERS
        merged = repos.git(theirs, "show", "-s", "--format=%s%n%(trailers)", "main").strip()
        assert merged == f"{TYPE}: Prices have a currency [T-1]\n{TRAILERS}"
