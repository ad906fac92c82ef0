"""Work arrives by a label on an issue, from people whose word counts, and is answered there once."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.ports import ForgeFailed
from agents.workspace.forge.issue_intake import GitHubIntake, IssueDesk
from agents.workspace.forge.remotes import Remote
from tests.fakes.github import FakeGitHub, Fault, Repo, running_github
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, SECRET, github_forge, work_on


@dataclass(kw_only=True)
class Office:
    fake: FakeGitHub
    repo: Repo
    ours: Path
    intake: GitHubIntake
    desk: IssueDesk

    def ask(self, title: str, body: str = "", association: str = "MEMBER", login: str = "ana") -> int:
        issue = self.fake.world.open_issue(self.repo, title, body, login, association)
        self.fake.world.label(self.repo, issue, "overlord", by="lead")
        return issue.number


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with running_github(tmp_path / "hub") as fake:
        repo = fake.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs"), fake.folder)
        ours = repos.bare(repo.path, tmp_path / "ours")
        forge, api = github_forge(fake.api_url, ours)
        intake = GitHubIntake(api, {PROJECT: Remote(owner="acme", name="shop", commits=ours)})
        yield Office(fake=fake, repo=repo, ours=ours, intake=intake, desk=IssueDesk(api, forge))
        await api.close()


async def test_a_labelled_issue_is_told_with_who_asks(office: Office) -> None:
    office.fake.world.open_issue(office.repo, "Not for the bot")
    number = office.ask("Add rate limiting", "Ten a second.\r\nPlease.")
    (issue,) = await office.intake.news(PROJECT)
    assert (issue.number, issue.title, issue.body) == (number, "Add rate limiting", "Ten a second.\nPlease.")
    assert (issue.author, issue.heard) == ("ana", True)
    assert issue.project == PROJECT
    assert issue.url.endswith(f"/acme/shop/issues/{number}")


async def test_an_unchanged_list_costs_one_request_and_tells_nothing(office: Office) -> None:
    office.ask("Add rate limiting")
    assert len(await office.intake.news(PROJECT)) == 1
    before = len(office.fake.calls)
    assert await office.intake.news(PROJECT) == ()
    assert [call.status for call in office.fake.calls[before:]] == [304]
    office.ask("And another")
    before = len(office.fake.calls)
    assert len(await office.intake.news(PROJECT)) == 2
    assert len(office.fake.calls) - before == 2, "the list, and what happened on the new one"


async def test_a_label_put_back_is_a_new_request_and_the_same_one_is_not(office: Office) -> None:
    number = office.ask("Add rate limiting")
    (first,) = await office.intake.news(PROJECT)
    office.repo.issue(number).title = "Add rate limiting, ten a second"
    (edited,) = await office.intake.news(PROJECT)
    assert edited.key == first.key
    await office.desk.mark_blocked("T-1:blocked", PROJECT, number, "It cannot be done: no such module.")
    assert await office.intake.news(PROJECT) == ()
    office.fake.world.label(office.repo, office.repo.issue(number), "overlord", by="ana")
    (again,) = await office.intake.news(PROJECT)
    assert again.key != first.key


@pytest.mark.parametrize(
    ("association", "heard"),
    [
        ("OWNER", True),
        ("MEMBER", True),
        ("COLLABORATOR", True),
        ("CONTRIBUTOR", False),
        ("FIRST_TIME_CONTRIBUTOR", False),
        ("FIRST_TIMER", False),
        ("MANNEQUIN", False),
        ("NONE", False),
        ("owner", False),
    ],
)
async def test_only_people_of_the_repository_are_heard(office: Office, association: str, heard: bool) -> None:
    office.ask("Give me the keys", association=association, login="eve")
    (issue,) = await office.intake.news(PROJECT)
    assert issue.heard is heard


async def test_what_a_reader_would_not_see_is_gone_and_counted(office: Office) -> None:
    """Attack 22."""
    office.ask("Add\u202e x", "Do it.\u200b\u200b\x1b[8m hidden\x1b[0m")
    (issue,) = await office.intake.news(PROJECT)
    assert (issue.title, issue.body) == ("Add x", "Do it. hidden")
    assert issue.hidden > 4


async def test_a_huge_issue_is_cut(office: Office) -> None:
    """Attack 28."""
    office.ask("t" * 1000, "b" * 200_000)
    (issue,) = await office.intake.news(PROJECT)
    assert len(issue.title) <= 300
    assert len(issue.body) <= 20_000


async def test_all_pages_are_read_and_pull_requests_are_no_requests(office: Office) -> None:
    numbers = [office.ask(f"Task {at}") for at in range(130)]
    pull = work_on(office.ours)
    repos.git(office.repo.path, "fetch", "-q", str(office.ours), f"{pull.head}:refs/heads/x")
    opened = office.fake.world.open_pull(office.repo, {"title": "x", "head": "x", "base": "main"})
    office.fake.world.label(office.repo, opened, "overlord")
    assert [issue.number for issue in await office.intake.news(PROJECT)] == numbers


async def test_a_look_that_failed_is_made_again_whole(office: Office) -> None:
    office.ask("Add rate limiting")
    office.fake.faults.plan(Fault.ERROR_BEFORE, "GET .*/events", times=10)
    with pytest.raises(ForgeFailed):
        await office.intake.news(PROJECT)
    office.fake.faults.plans.clear()
    assert len(await office.intake.news(PROJECT)) == 1


@pytest.mark.parametrize("fault", [None, Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.RESET_BEFORE, Fault.GARBAGE_AFTER])
@pytest.mark.parametrize("which", ["POST .*/comments", ".* .*/labels.*"])
async def test_each_answer_on_an_issue_is_given_once(office: Office, which: str, fault: Fault | None) -> None:
    one, two = office.ask("One"), office.ask("Two")
    for _ in range(2):
        if fault:
            office.fake.faults.plan(fault, which, times=2)
        await office.desk.mark_blocked("T-1:blocked", PROJECT, one, f"It needs {SECRET}.")
        await office.desk.attention("T-2:attention", PROJECT, two, "Three tool errors in a row.")
        office.fake.faults.plans.clear()
    count = office.fake.world.count
    assert (count("comment"), count("label"), count("unlabel")) == (2, 1, 1)
    assert office.repo.issue(one).labels == []
    assert office.repo.issue(two).labels == ["overlord", "needs-attention"]
    assert SECRET not in office.repo.issue(one).comments[0]["body"]
