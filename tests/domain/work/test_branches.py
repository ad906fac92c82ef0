"""Attacks 49, 50: names of branches and messages of commits, whatever a title or a minion says."""

import re
import subprocess

import pytest
from hypothesis import given, settings, strategies as st

from agents.domain.ids import TaskId
from agents.domain.work.git_names import GAP, branch_for, commit_message, odd_branch

HOSTILE = [
    "--upload-pack=x",
    "$(x)",
    "..",
    ".lock",
    "x" * 300,
    "",
    "a/../../b",
    "@{-1}",
    "a.lock",
    "\x00\n",
    "refs/heads/x",
]
SHAPE = re.compile(r"ai/[a-z0-9-]{1,60}(\.\d+)?-[a-z0-9-]{1,60}")


def test_a_branch_says_what_it_is_of() -> None:
    assert branch_for(TaskId("T-14"), "Let links expire") == "ai/t-14-let-links-expire"
    assert branch_for(TaskId("T-14"), "Refuse expired links!", 2) == "ai/t-14.2-refuse-expired-links"
    assert branch_for(TaskId("T-1"), "Öffne die Tür") == "ai/t-1-offne-die-tur"
    assert branch_for(TaskId("T-1"), "修复") == "ai/t-1-work"


@pytest.mark.parametrize("title", HOSTILE)
def test_no_title_makes_a_name_that_means_more(title: str) -> None:
    for name in (branch_for(TaskId("T-1"), title), branch_for(TaskId(title), title, 3)):
        assert SHAPE.fullmatch(name) and odd_branch(name) is None
        assert subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"]).returncode == 0


@given(st.text(max_size=400), st.text(max_size=80), st.none() | st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_git_takes_every_name_we_make(title: str, task: str, subtask: int | None) -> None:
    name = branch_for(TaskId(task), title, subtask)
    assert SHAPE.fullmatch(name) and odd_branch(name) is None
    assert subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True).returncode == 0


@given(st.text(alphabet=st.sampled_from("ab./-_@{}~^:?*[\\ \nAl.ock"), max_size=30) | st.sampled_from(HOSTILE))
@settings(max_examples=150, deadline=None)
def test_a_name_that_git_refuses_is_odd(name: str) -> None:
    if odd_branch(name) is None:
        assert subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"]).returncode == 0
        assert not name.startswith("-")


@pytest.mark.parametrize(
    "name", [*HOSTILE[:-1], "HEAD", "-x", "a/-x", "a//b", "/a", "a/", "a b", "a~1", "a:b", ".a", "a."]
)
def test_odd_names_are_told(name: str) -> None:
    assert odd_branch(name)


@pytest.mark.parametrize(
    "skip",
    [
        *("[skip ci]", "[ci skip]", "[no ci]", "[Skip CI]", "[skip actions]", "[actions skip]", "[ skip  ci ]"),
        *("***NO_CI***", "[skip\u200b ci]", "[skip-ci]", "[ci-skip]", "[skip travis]", "[azurepipelines skip]"),
    ],
)
def test_no_message_leaves_out_checks(skip: str) -> None:
    said = commit_message(f"Mend links {skip}\n\nAs asked {skip}\n")
    assert not re.search(r"\[[^\]]*(skip|no)[^\]]*\]|\*\*\*", said, re.IGNORECASE), said
    assert said.startswith("Mend links")


@pytest.mark.parametrize("token", ["Signed-off-by", "Co-authored-by", "skip-checks", "Reviewed-by", "Change-Id", "x"])
def test_no_message_has_trailers(token: str) -> None:
    said = commit_message(f"Mend links\n\nWhy: because\n\n{token}: Ana <ana@example.org>\n {token}:true\n{token} : y")
    found = subprocess.run(["git", "interpret-trailers", "--parse"], input=said, capture_output=True, text=True)
    assert found.stdout == ""
    assert "Ana <ana@example.org>" in said.replace(GAP, ""), "the words stay"


def test_a_message_is_plain_and_never_empty() -> None:
    assert commit_message("") == commit_message(" \n\x1b[31m\n") == "Work in progress\n"
    assert commit_message("Add a list [of links] and so on") == "Add a list [of links] and so on\n"
    assert commit_message("fix: mend\r\n\r\n- one\r\n- two") == "fix: mend\n\n- one\n- two\n"
    assert len(commit_message("x" * 100_000)) < 10_200
