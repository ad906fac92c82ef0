"""A project's own way to word commits is found from its history, and settings count before it."""

import pytest

from agents.domain.work.commit_style import CommitStyle, style_of
from agents.domain.work.git_names import PLAIN, SUBJECT_MOST, GitManners

ANA = "Ana Lima <ana@example.com>"
TYPED = ["fix: refuse expired links", "feat(api)!: drop v1", "docs: say how", "chore: bump", "test: more", "ci: cache"]
PLAIN_LOG = ["Refuse expired links", "Say how", "Merge it", "console: show the diff", "tests: more", "docs: why"]
SIGNED = [f"{each}\n\nBody.\n\nSigned-off-by: {ANA}" for each in PLAIN_LOG]


@pytest.mark.parametrize(
    ("log", "style"),
    [
        ([], CommitStyle()),
        (TYPED[:4], CommitStyle()),
        (TYPED, CommitStyle(conventional=True, lower=True)),
        ([*TYPED, *PLAIN_LOG[:3]], CommitStyle(conventional=True, lower=True)),
        ([*TYPED[:3], *PLAIN_LOG], CommitStyle()),
        ([each.replace(": ", ": T") for each in TYPED], CommitStyle(conventional=True)),
        (PLAIN_LOG, CommitStyle()),
        (SIGNED, CommitStyle(signed_off=True)),
        ([*SIGNED, *PLAIN_LOG], CommitStyle()),
        ([f"{each}\n\nnot Signed-off-by: {ANA}" for each in PLAIN_LOG], CommitStyle()),
    ],
)
def test_a_habit_is_what_most_commits_share(log: list[str], style: CommitStyle) -> None:
    assert style_of(log) == style


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Refuse expired links.", "fix: refuse expired links"),
        ("A link expires", "fix: a link expires"),
        ("README says how", "fix: README says how"),
        ("GitHub is asked once", "fix: GitHub is asked once"),
        ("", "fix:"),
    ],
)
def test_where_commits_have_types_ours_have_them_too(title: str, subject: str) -> None:
    manners = PLAIN.adopt(CommitStyle(conventional=True, lower=True))
    assert manners.subject("T-1.2", title, "fix").strip() == subject


def test_what_the_settings_say_counts_before_the_habit() -> None:
    style = CommitStyle(conventional=True, lower=True, signed_off=True)
    own = GitManners(commit_message="[{task_id}] {title}", author=ANA, sign_off=False)
    assert own.adopt(style).subject("T-1", "Refuse it", "fix") == "[T-1] Refuse it"
    assert own.adopt(style).signature("").trailers == ()


def test_only_somebody_who_is_named_signs_off() -> None:
    signed = CommitStyle(signed_off=True)
    assert PLAIN.adopt(signed).signature("").trailers == ()
    assert GitManners(author=ANA).adopt(signed).signature("").trailers == (f"Signed-off-by: {ANA}",)
    assert GitManners(author=ANA).adopt(CommitStyle()).signature("").trailers == ()


@pytest.mark.parametrize("pattern", ["{task_id}: {title}", "{type}: {title}", "{title}", f"{'x' * 60} {{title}}"])
@pytest.mark.parametrize("title", ["Short", "word " * 60, "x" * 300])
def test_no_first_line_is_longer_than_git_shows(pattern: str, title: str) -> None:
    subject = GitManners(commit_message=pattern).subject("T-123.45", title, "refactor")
    assert len(subject) <= SUBJECT_MOST == 72 and "  " not in subject
