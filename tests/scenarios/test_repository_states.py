"""A project that nothing can be planned for is told in the thread, before any model is asked."""

import shutil
from pathlib import Path

from tests.fakes.llm import ScriptedLlm
from tests.scenarios.conftest import BY_TURNS, Given, Opened
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.working import ONE
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
