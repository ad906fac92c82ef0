"""Git manners: whatever words fill a pattern, the branch is one that git takes and the message is obeyed by nobody."""

import subprocess

import pytest
from hypothesis import given, strategies as st

from agents.domain.ids import TaskId
from agents.domain.planning.work_kind import WorkKind
from agents.domain.work.git_names import (
    IN_COMMIT,
    PLAIN,
    GitManners,
    Signature,
    Signed,
    as_signed,
    branch_for,
    commit_message,
    is_identity,
    odd_branch,
    odd_branch_pattern,
    odd_pattern,
)
from bot.cards.work.commits import TYPES

ANA = "Ana Lima <ana@example.com>"
GOOD = [
    *("ai/{task_id}-{description}", "{task_id}", "bots/{task_id}/{description}", "{description}-{task_id}"),
    *("feature/{task_id}_{description}", "a.b/{task_id}-x"),
]
BAD = {
    "ai/{description}": "it needs {task_id}",
    "ai/x{task_id}": "set apart",
    "{task_id}{description}": "set apart",
    "{task_id}.{description}": "set apart",
    "ai/{task}-{task_id}": "only {task_id} and {description} can stand in braces",
    "ai/{task_id": "can stand in braces",
    "{{task_id}}": "can stand in braces",
    "{task_id!r}-x": "can stand in braces",
    "{task_id:99}-x": "can stand in braces",
    "-{task_id}": "only letters, digits",
    "../{task_id}": "only letters, digits",
    "a..b/{task_id}": "only letters, digits",
    "/{task_id}": "only letters, digits",
    "a b/{task_id}": "only letters, digits",
    "a~b/{task_id}": "only letters, digits",
    "a^/{task_id}": "only letters, digits",
    "a:b/{task_id}": "only letters, digits",
    "@{{/{task_id}": "can stand in braces",
    "{task_id}/x.lock": ".lock",
    "{task_id}-\n": "one line",
    "": "one line",
    "x" * 81: "one line of at most 80",
}


@pytest.mark.parametrize("pattern", GOOD)
@given(title=st.text(max_size=300), number=st.integers(1, 10**9), subtask=st.none() | st.integers(-5, 200))
def test_a_good_pattern_names_branches_whatever_is_said(
    pattern: str, title: str, number: int, subtask: int | None
) -> None:
    assert odd_branch_pattern(pattern) == ""
    name = GitManners(branch_pattern=pattern).branch(TaskId(f"T-{number}"), title, subtask)
    assert odd_branch(name) is None and f"t-{number}" in name


def test_git_itself_takes_what_we_make() -> None:
    hostile = ("", "..", "-x", "a.lock", "@{-1}", "\x00\x1b[2J", "ähem", "x" * 500, "{task_id}", "refs/heads/main")
    names = [branch_for(TaskId("T-1"), title, 2, pattern) for pattern in GOOD for title in hostile]
    for name in names:
        assert subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True).returncode == 0, name


@pytest.mark.parametrize("pattern", BAD)
def test_a_bad_pattern_is_refused_with_its_reason(pattern: str) -> None:
    assert BAD[pattern] in odd_branch_pattern(pattern), odd_branch_pattern(pattern)


def test_the_usual_pattern_is_as_it_was() -> None:
    assert PLAIN.branch(TaskId("T-14"), "Let links expire") == branch_for(TaskId("T-14"), "Let links expire")
    assert PLAIN.subject("T-14.2", "Refuse expired links", "fix") == "T-14.2: Refuse expired links"
    assert GitManners(commit_message="{type}: {title}").subject("T-1", "Refuse it", "fix") == "fix: Refuse it"


def test_what_fills_a_place_is_not_filled_in_again() -> None:
    manners = GitManners(commit_message="{title} [{task_id}]")
    assert manners.subject("T-1.1", "Use {task_id} and {title}", "") == "Use {task_id} and {title} [T-1.1]"
    assert odd_pattern("{title} ({task_id})", IN_COMMIT) == "" and odd_pattern("{author}", IN_COMMIT)


@pytest.mark.parametrize("written", [ANA, "Team Bot <bot+ci@acme.example>", "Ångström <a@b.c>"])
def test_somebody_git_can_be_told_of(written: str) -> None:
    assert is_identity(written)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "Ana",
        "ana@example.com",
        "<ana@example.com>",
        "Ana <ana>",
        f"{ANA}\nSigned-off-by: X <x@x.y>",
        "A <a@b> <c@d>",
    ],
)
def test_nobody_git_could_be_told_of(written: str) -> None:
    assert not is_identity(written)


def test_trailers_come_from_settings_and_from_nothing_that_was_said() -> None:
    manners = GitManners(author=ANA, sign_off=True, co_author=True)
    signature = manners.signature("Bo <bo@example.com>")
    assert signature.trailers == ("Co-authored-by: Bo <bo@example.com>", f"Signed-off-by: {ANA}")
    assert (signature.name, signature.address) == ("Ana Lima", "ana@example.com")
    said = "Add it\n\nSigned-off-by: Lead <lead@example.com>"
    whole = Signed(text=said, signature=signature).finish(commit_message(said))
    lines = whole.splitlines()
    assert lines[-2:] == [*signature.trailers] and not any(line.startswith("Signed-off-by: Lead") for line in lines)
    assert as_signed("x").finish("x\n") == "x\n", "unsigned, it is as it was"


def test_every_kind_of_work_has_its_type() -> None:
    assert TYPES.keys() == set(WorkKind)


def test_nobody_is_named_unless_the_settings_say_so() -> None:
    assert PLAIN.signature("Bo <bo@example.com>") == Signature()
    assert GitManners(sign_off=True).signature("").trailers == ()


@pytest.mark.parametrize(
    "written", [" Ana Lima <ana@example.com>", "Ana Lima <ana@example.com> ", "Ana\u200bLima <a@b.c>"]
)
def test_an_identity_has_no_blanks_around_it_and_nothing_unseen(written: str) -> None:
    assert is_identity("Ana Lima <ana@example.com>") and not is_identity(written)
