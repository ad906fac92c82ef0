"""The running program beside a strict GitHub with real git: the console is where people talk about its issues."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agents.ports import Brief, Finished, Gates, Outcome, Progress, Watch
from tests.fakes.clock import ScaledClock
from tests.fakes.github import TOKEN, FakeGitHub, Repo, running_github
from tests.fakes.github.world import Issue
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Play as Run, ScriptedMinions
from tests.scenarios import console_stage
from tests.scenarios.conftest import Play
from tests.scenarios.plans import GO, OK, Says, means, subtask
from tests.scenarios.stage import OPERATOR, Setup, Stage, until
from tests.workspace import repositories as repos

TESTS = "import shop\n\n\ndef test_price() -> None:\n    assert shop.PRICE == 1\n"
PROVEN = f'{TESTS}\n\ndef test_currency() -> None:\n    assert shop.CURRENCY == "EUR"\n'
FILES = {"README.md": "A shop\n", "shop.py": "PRICE = 1\n", "test_shop.py": TESTS}
PLAN: Says = {
    "status": "COMPLETE",
    "goal": "Prices have a currency",
    "subtasks": [subtask("Add a currency", files=["shop.py", "test_shop.py"])],
}
ANSWERS: dict[str, Says] = {
    "decompose": PLAN,
    "critic": GO,
    "custodiet": OK,
    "code_review": {"status": "approved"},
    "intent": means("other"),
}
CONFIG = """
groups: {{approver: [{lead}], tech_lead: [{lead}]}}
limits: {{issues_apart: 2{limits}}}
projects:
  - {{name: shop, url: {url}}}
{more}
"""


def writes(text: str = 'CURRENCY = "EUR"\n', path: str = "shop.py") -> Run:
    """A minion that really writes; the host commits."""

    async def run(brief: Brief, watch: Watch) -> Outcome:
        await watch(Progress(turns=brief.work.turns + 1, seconds=1, doing="writing", changed=1))
        with (brief.checkout.workspace.path / path).open("a") as file:
            file.write(text)
        return Finished(summary="It has a currency")

    return run


async def proves(brief: Brief, watch: Watch) -> Outcome:
    """A minion that writes a test with it, one that fails without its work: that is low risk, and nobody is asked."""
    place = brief.checkout.workspace.path
    (place / "shop.py").write_text(f'{FILES["shop.py"]}CURRENCY = "EUR"\n')
    (place / "test_shop.py").write_text(PROVEN)
    return Finished(summary="It has a currency, and a test")


@dataclass
class GitHubPlay(Play):
    fake: FakeGitHub
    repo: Repo
    minions: ScriptedMinions
    llm: ScriptedLlm

    def opens(self, title: str, association: str = "MEMBER", login: str = "mia") -> Issue:
        """Somebody writes an issue, and a member gives it the label."""
        issue = self.fake.world.open_issue(self.repo, title, "Please.", login, association)
        self.fake.world.label(self.repo, issue, "overlord", by="ana")
        return issue

    async def thread(self) -> str:
        """Where the newest task is talked about."""

        async def look() -> str | None:
            tasks = await self.program.queries.tasks(OPERATOR, ended=True)
            return tasks[0].request.thread if tasks else None

        return await until(look, "a task")

    async def approved(self) -> str:
        """Where the newest task is talked about, once its plan is approved."""
        thread = await self.thread()
        await self.sees("lead", thread, "please look at the plan")
        await self.stage.press("lead", thread, "Approve plan")
        return thread

    async def labels(self, issue: Issue, labels: list[str]) -> None:
        """Wait until the issue has these."""

        async def look() -> bool:
            return issue.labels == labels

        await until(look, f"labels {labels}")

    async def said_on(self, issue: Issue, words: str) -> str:
        async def look() -> str | None:
            return next((str(c["body"]) for c in issue.comments if words in str(c["body"])), None)

        return await until(look, f"{words!r} on the issue")


@asynccontextmanager
async def github_play(
    place: Path, gates: Gates | None = None, plan: Says = PLAN, limits: str = "", more: str = ""
) -> AsyncIterator[GitHubPlay]:
    """`gates`: in place of real ones in the sandbox. `limits`, `more`: of them, and of other settings, as written."""
    async with AsyncExitStack() as stack:
        fake = await stack.enter_async_context(running_github(place / "hub"))
        repo = fake.world.add("acme", "shop", repos.somebodys(place / "theirs", FILES), fake.folder)
        llm, minions = ScriptedLlm(always={**ANSWERS, "decompose": plan}), ScriptedMinions(always=writes())

        def config(stage: Stage) -> str:
            url = fake.web_url.replace("http:", "https:") + "/acme/shop"
            return CONFIG.format(lead=stage.account("lead"), url=url, limits=limits, more=more)

        environ = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": fake.api_url}
        setup = Setup(
            home=place / "home",
            config=config,
            clock=ScaledClock(10, since=time.time()),
            swap=lambda ports: replace(ports, llm=llm, minions=minions, gates=gates or ports.gates),
            environ=environ,
        )
        stage, host = await console_stage.open_stage(stack, setup)
        yield GitHubPlay(stage, host, fake=fake, repo=repo, minions=minions, llm=llm)
