"""`overlord demo`: what can be rehearsed, and a walk that plays by itself."""

from pathlib import Path

import pytest

from tests.bot.test_cli_entry import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_the_rehearsed_requests_are_listed_one_a_line(shell: Shell) -> None:
    lines = shell.run("demo", "--list").out.splitlines()
    assert len(lines) == 5 and lines[0] == "Let links expire after a chosen number of days"
    told = shell.run("demo", "--list", "--json").json
    assert [each["request"] for each in told] == lines and all(each["shows"] for each in told)


def test_the_first_request_plays_up_to_an_approved_plan_and_leaves_nothing(shell: Shell) -> None:
    said = shell.run("demo").out
    story = [
        "You: @overlord Let links",
        "Drafted plan 1",
        "The reviewers let plan 1 through",
        "please look at the plan",
        "Approve plan",
        "Accepted the plan",
        "The plan is approved",
    ]
    places = [said.index(words) for words in story]
    assert places == sorted(places)
    assert "rehearsal" in said
    assert not shell.home.exists(), "it plays in a folder of its own"


def test_a_request_that_is_stopped_is_changed_and_comes_back(shell: Shell) -> None:
    said = shell.run("demo", "5").out
    assert said.index("the custodiet says stop") < said.index("please look at the plan, version 2")
    assert "The plan is approved" in said


def test_a_number_that_is_not_there_says_how_many_there_are(shell: Shell) -> None:
    assert "There are 5 requests" in shell.run("demo", "9", code=1).err
