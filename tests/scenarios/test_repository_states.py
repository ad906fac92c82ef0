"""A project that nothing can be planned for is told in the thread, before any model is asked."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.ports import ForgeFailed
from agents.workspace.forge.repository import missing_branch, rewritten_branch
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.scenarios.conftest import BY_TURNS, Given, Opened
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.working import ONE, at_work, given
from tests.workspace import repositories as repos

STAGES = BY_TURNS


async def test_a_repository_without_a_commit_is_told_before_a_model_is_asked(opened: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "bare-start"
    folder.mkdir()
    repos.git(folder, "init", "-q", "-b", "main")
    llm = ScriptedLlm(always={"decompose": ONE, "critic": GO, "custodiet": OK, "intent": means("other")})
    play = await opened(Given(llm=llm, config=f"projects:\n  - name: fresh\n    path: {folder}\n"))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "has no commit yet", "Commit something there")
    assert not [ask for ask in llm.asked if ask.question == "decompose"]
    repos.write(folder, {"README.md": "# Fresh\n"})
    repos.git(folder, "add", ".")
    repos.git(folder, "commit", "-q", "-m", "first")
    await play.stage.press("ana", thread, "Retry step")
    await play.sees("ana", thread, "please look at the plan")
    shutil.rmtree(folder)


@pytest.mark.parametrize("happens", [rewritten_branch, missing_branch])
async def test_a_branch_that_is_force_pushed_or_deleted_while_a_task_runs_is_told_and_put_right(
    opened: Opened, happens: Callable[[str], ForgeFailed]
) -> None:
    """What the forge does then is tried with real git in tests/workspace/forge/test_forge.py."""
    work = Workshop()
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    work.forge.problem = happens("main")
    await play.stage.press("lead", thread, "Merge it")
    told = (work.forge.problem.what, work.forge.problem.next_step.partition(",")[0])
    await play.sees("lead", thread, *told, offers="Try the merge again")
    assert work.forge.merged == []
    work.forge.problem = None
    await play.stage.press("lead", thread, "Try the merge again")
    await play.sees("ana", thread, "Done")
    assert len(work.forge.merged) == 1
