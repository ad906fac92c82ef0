"""An issue is talked about in its project's own channel, the same on every platform."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.ports import Ports
from tests.fakes.github import TOKEN, FakeGitHub, running_github
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import ScriptedGates, ScriptedMinions
from tests.scenarios.conftest import THREE, Given, Opened
from tests.scenarios.github_stage import ANSWERS, FILES, writes
from tests.scenarios.stage import OPERATOR, until
from tests.workspace import repositories as repos

STAGES = THREE


@dataclass(frozen=True, kw_only=True)
class OnGitHub(Given):
    """Models, minions and gates are played; git, GitHub and the chat are spoken to for real."""

    def swap(self, ports: Ports) -> Ports:
        minions = ScriptedMinions(always=writes())
        return replace(ports, llm=ScriptedLlm(always=ANSWERS), minions=minions, gates=ScriptedGates())


@pytest.fixture
async def fake(tmp_path: Path) -> AsyncIterator[FakeGitHub]:
    async with running_github(tmp_path / "hub") as running:
        running.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs", FILES), running.folder)
        yield running


async def test_an_issue_begins_a_thread_in_its_projects_channel_and_is_merged_from_there(
    opened: Opened, fake: FakeGitHub
) -> None:
    url = fake.web_url.replace("http:", "https:") + "/acme/shop"
    more = "limits: {{issues_apart: 2}}\nprojects:\n  - {{name: shop, url: " + url + ', channel: "{channel}"}}\n'
    environ = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": fake.api_url}
    play = await opened(OnGitHub(config=more, environ=environ))
    repo = fake.world.repos["acme/shop"]
    fake.world.label(repo, fake.world.open_issue(repo, "Give prices a currency", login="mia"), "overlord")

    async def begun() -> str | None:
        tasks = await play.program.queries.tasks(OPERATOR, ended=True)
        return tasks[0].request.thread if tasks else None

    thread = await until(begun, "a task")
    assert thread.startswith(f"{play.stage.channel}:")
    first = (await play.stage.shown("lead", thread))[0]
    assert "Give prices a currency" in first.text
    await play.sees("lead", thread, "please look at the plan")
    await play.host.restart()
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("lead", thread, "T-1 is merged")
    assert len(await play.program.queries.tasks(OPERATOR, ended=True)) == 1
    assert "EUR" in repos.git(repo.path, "show", "main:shop.py") and fake.world.count("merge") == 1
