"""`overlord demo`: what can be rehearsed, and a walk that plays by itself."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.builders.shell import Shell
from tests.store.room import FULL

pytestmark = pytest.mark.timeout(300)  # real work is done, and machines are shared


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def told_in_order(said: str, story: Iterable[str]) -> None:
    at = 0
    for words in story:
        assert words in said[at:], f"{words!r} comes not, or too early, in:\n{said}"
        at = said.index(words, at)


def test_the_rehearsed_requests_are_listed_with_their_numbers(shell: Shell) -> None:
    lines = shell.run("demo", "--list").out.splitlines()
    assert len(lines) == 8 and lines[0] == "1  Let links expire after a chosen number of days"
    assert [line.rpartition(", use ")[2] for line in lines[5:]] == [
        "with_test_engineer",
        "enterprise",
        "security_critical",
    ]
    told = shell.run("demo", "--list", "--json").json
    assert [f"{number}  {each['request']}" for number, each in enumerate(told, 1)] == lines
    assert all(each["shows"] for each in told)


def test_without_a_sandbox_it_ends_at_once_with_an_error_and_the_reason(shell: Shell) -> None:
    bare = shell.folder / "bin"
    bare.mkdir()
    (bare / "git").symlink_to("/usr/bin/git")
    told = shell.run("demo", code=1, PATH=str(bare))
    assert "bubblewrap: not installed" in told.err and "apt install bubblewrap" in told.err
    assert "You: @overlord" not in told.out


def test_the_first_request_plays_from_words_to_merge_and_leaves_nothing(shell: Shell) -> None:
    said = shell.run("demo").out
    story = [
        "You: @overlord Let links",
        "Drafted plan 1",
        "The reviewers approved plan 1",
        "please look at the plan",
        "Approve plan",
        "Accepted the plan",
        "Began the work on branch ai/t-1-",
        "the minion asks:",
        "checked: needs another try",
        "checked: passed",
        "Opened pull request #1",
        "T-1 is ready to merge",
        "Merged into main",
        "The work is merged into main",
    ]
    told_in_order(said, story)
    assert "rehearsal" in said
    assert not shell.home.exists(), "it plays in a folder of its own"


STORIES = {
    "2": (
        "Sent plan 1 back: Nobody asked for a dashboard",
        "please look at the plan, version 2",
        "Accepted the plan",
        "T-1: may it write more?",
        "tests/test_cli.py",
        "Decided more scope: Allow these paths",
    ),
    "3": (
        "The reviewers disagree",
        "the critic gives way",
        "Accepted the plan",
        "T-1.3: checked: passed, medium risk",
        "review step ",
        "If nobody decides, I take “Continue”",
        "Decided a step of medium risk: Continue",
    ),
    "4": (
        "Round 2 of the debate",
        "the plan needs your judgement",
        "Proceed as proposed",
        "T-1.3: checked: needs another try",
        "T-1.3: attempt 2 may start",
        "T-1.3: checked: passed",
    ),
    "5": (
        "the scope guard says stop",
        "Asked for changes",
        "please look at the plan, version 2",
        "Accepted the plan",
        "T-1.1 asks: Which database may links use?",
        "answered: An SQLite file of their own",
        "T-1.1: passed its step gate",
    ),
    "6": (
        "under the workflow with_test_engineer",
        "T-1.1: test passed",
        "T-1.1: the next worker may start",
        "T-1.1: integration test gate passed",
        "T-1.1: review passed",
    ),
    "7": (
        "under the workflow enterprise",
        "T-1.1: interface check passed",
        "review step 1 of 3: Prepare: interface definition",
        "T-1.2: drift check passed",
        "T-1.2: integration test gate passed",
        "T-1.2: security review passed",
        "T-1.2: code review passed",
    ),
    "8": (
        "under the workflow security_critical",
        "Prepare: threat modeling, interface definition",
        "T-1.2: integration test gate passed",
        "T-1.2: penetration test gate passed",
        "T-1.2: security review passed",
    ),
}


@pytest.mark.timeout(300)  # each walk runs some fifty real programs
@pytest.mark.parametrize("number", STORIES if FULL else ["2"])  # `make bench` plays them all
def test_each_other_request_plays_to_a_merge_with_a_case_of_its_own(shell: Shell, number: str) -> None:
    said = shell.run("demo", number).out
    told_in_order(
        said, (*STORIES[number], "T-1 is ready to merge", "Medium risk", "Merged into main", "is merged into")
    )


def test_a_number_that_is_not_there_says_how_many_there_are(shell: Shell) -> None:
    assert "There are 8 requests" in shell.run("demo", "9", code=1).err


def test_learning_is_shown_from_a_proposal_to_a_skill_that_is_used(shell: Shell) -> None:
    said = shell.run("demo", "learn").out
    story = [
        "You: @overlord Say in the README what a link file holds",
        "gave rise to a proposal",
        "Approve proposal",
        "please look at a skill “write-readme”",
        "Approve skill",
        "approved the skill write-readme",
        "Code Style Supervisor: found 1 thing, created 1 note",
        "Label: skill-change",
        "docs/knowledge/conventions/readme.md` (new, unconfirmed)",
        "Merged into rehearsal-2",
        "You: @overlord Say in the README how a link is removed",
        "created 1 cleanup directive",
        "Clean up now",
        "Cleaned up: 1 of 1",
        "Merged into rehearsal-2",
        "(implemented)",
        "write-readme (merged, so minions may use it)",
        "(became a subtask of this task)",
        "- The README (merged, unconfirmed)",
        "Runs of supervisors:",
        "used the skill write-readme, and was shown the note conventions/readme.",
    ]
    told_in_order(said, story)
    assert "cannot be read" not in said
    assert not shell.home.exists()
