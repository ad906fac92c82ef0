"""Words that leave for a commit or for GitHub: they can be read, and do nothing (attacks 50, 58, 60)."""

import re

import pytest
from hypothesis import given, strategies as st

from agents.domain.work.git_names import commit_message
from agents.workspace.forge.github_shapes import BODY_MOST, TITLE_MOST, harmless, title

GAP = "\u200b"


SKIPS = ("[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[Actions Skip]", "[SKIP  CI]", "***NO_CI***")


@pytest.mark.parametrize("written", [*SKIPS, "skip-checks: true"])
def test_no_commit_tells_ci_to_look_away(written: str) -> None:
    for message in (f"Add b {written}", f"Add b\n\n{written}\nmore", f"Add b [skip {GAP}ci]"):
        assert not re.search(r"(?i)skip[ -]*(ci|actions)|no.ci|(ci|actions).skip|skip-checks", commit_message(message))


def test_a_message_of_nothing_else_still_has_a_title() -> None:
    assert commit_message("[skip ci]", "Merge") == "Merge\n"
    assert title("") == "Work of a minion"
    assert commit_message("One\n\n\nTwo\n") == "One\n\nTwo\n"


def test_ordinary_words_stay_as_they_are() -> None:
    plain = (
        "## What\n\nIt adds *b* to `src/b.py`, so that a < b & b > 1.\n\n- one\n- two (50 %)\n\n| a | b |\n|---|---|"
    )
    assert harmless(plain) == plain
    assert commit_message("Add b\n\nIt was fixed at last; the closing bell.") == (
        "Add b\n\nIt was fixed at last; the closing bell.\n"
    )


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://github.com/acme/shop/pull/1", True),
        ("https://github.com.evil.example/x", False),
        ("https://github.com@evil.example/x", False),
        ("https://github.com:443@evil.example/x", False),
        ("http://github.com/x", False),
        ("https://evil.example/github.com", False),
        ("HTTPS://evil.example", False),
        ("ftp://evil.example/x", False),
        ("mailto:eve@evil.example", False),
    ],
)
def test_only_links_to_the_forge_itself_stay_links(url: str, kept: bool) -> None:
    assert (harmless(url, "github.com") == url) is kept
    assert harmless(url, "github.com").replace(GAP, "") == url


def test_no_gap_hides_in_the_middle_of_what_closes_an_issue() -> None:
    for word in ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved", "Fixes:"):
        for what in ("#1", "acme/shop#1", "GH-1", "https://github.com/acme/shop/issues/1"):
            for told in (harmless(f"{word} {what}", "github.com"), commit_message(f"{word} {what}")):
                assert not re.search(r"(?i)\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b:?\s", told), told


@given(st.text(max_size=400))
def test_whatever_is_written_calls_nobody_and_shows_no_markup(text: str) -> None:
    shown = harmless(text, "github.com")
    for sign in (r"@[A-Za-z0-9]", r"#\d", r"<[A-Za-z!/?]", r"!\[", r"\]\(", "\u202e"):
        assert not re.search(sign, shown)
    assert "\n" not in title(text)
    assert len(title(text)) <= TITLE_MOST
    head, _, rest = commit_message(text).partition("\n")
    assert head.strip()
    assert not re.search(r"(?m)^[A-Za-z0-9-]+: ", rest)


@pytest.mark.parametrize(
    "unit", ["<!@#1 ", "closes ", "fix.", "[skip ", "a.b/c", "https://x", "![](", "\n/x", "fix      "]
)
def test_long_and_nasty_words_are_cut(unit: str) -> None:
    assert len(harmless(unit * BODY_MOST)) <= BODY_MOST
    assert len(commit_message(unit * BODY_MOST)) <= TITLE_MOST + BODY_MOST + 3
