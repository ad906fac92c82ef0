"""Projects, people and models are named from chat by those who may, without a restart; a bad file changes nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.decisions.authority import Group
from agents.domain.errors import OverlordError
from tests.fakes.llm import ScriptedLlm
from tests.scenarios.conftest import BY_TURNS, THREE, Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.working import ONE
from tests.workspace import repositories as repos

STAGES = BY_TURNS


def given() -> Given:
    return Given(llm=ScriptedLlm(always={"decompose": ONE, "critic": GO, "custodiet": OK, "intent": means("other")}))


@on(*THREE)
async def test_a_project_is_added_from_chat_and_the_next_request_is_for_it(opened: Opened, tmp_path: Path) -> None:
    billing = repos.somebodys(tmp_path / "billing", {"a.py": "x = 1\n"})
    play = await opened(given())
    thread = await play.stage.say("lead", f"projects add billing {billing}", mention=True)
    await play.sees("lead", thread, "This is not yours to decide")
    make_admin(play)
    thread = await play.stage.say("lead", f"projects add billing {billing}", mention=True)
    await play.sees("lead", thread, "Project billing was added", "Taken over: projects")
    assert [name for name, *_ in play.program.services.named.projects][-1] == "billing"
    acts = await play.program.services.database.read(lambda tx: tx.acts.latest(5))
    assert [(act.actor, act.words.split()[:2], act.state) for act in acts] == [
        (play.stage.account("lead"), ["projects", "add"], "done")
    ], "who did it is recorded"


@on("console")
async def test_a_file_with_errors_leaves_the_old_settings_in_force(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    play = await opened(replace(given(), config="projects:\n  - name: api\n    path: {home}/api\n"))
    reloading = play.program.reloading
    assert reloading and reloading.settings.config
    file, name = reloading.settings.config, reloading.settings.projects[0].name
    before = file.read_text()
    make_admin(play)
    file.write_text(before + "\nsandbox: chroot\n")
    thread = await play.stage.say("lead", "reload settings", mention=True)
    await play.sees("lead", thread, "chroot")
    assert (await reloading.services.database.read(lambda tx: tx.acts.latest(1)))[0].state == "refused"
    file.write_text(before + "\nlog_level: debug\n")
    assert await reloading.reload() == "Nothing that counts at once has changed. A restart is needed for: log_level."
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    file.write_text(before.replace(f"name: {name}", "name: another"))
    with pytest.raises(OverlordError, match="T-1 still works on"):
        await reloading.reload()
    assert [each[0] for each in reloading.services.named.projects] == [name], "what is worked on stays"


def make_admin(play: Play) -> None:
    settings = play.program.reloading.settings  # type: ignore[union-attr]
    groups = {**settings.groups, Group.ADMIN: frozenset({play.stage.account("lead")})}
    play.program.services.permissions.replace(groups, settings.operators, settings.channels)
