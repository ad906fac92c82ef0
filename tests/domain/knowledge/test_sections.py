"""Sections of a page as its reader sees them."""

import pytest

from agents.domain.knowledge.sections import split_sections


def titles(text: str) -> list[tuple[str, int]]:
    return [(section.title, section.line) for section in split_sections(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Errors\nsaid\n## Rules\n- one\n", [("Errors", 1), ("Rules", 3)]),
        ("said first\n# Errors\n", [("Errors", 2)]),
        ("## Rules\n# Errors\n", [("", 0), ("Rules", 1), ("Errors", 2)]),
        ("# Errors\n# More\n", [("Errors", 1), ("More", 2)]),
        ("# Errors\n```\n## no heading\n```\n", [("Errors", 1)]),
        ("# Errors\n<!-- ## hidden\n## hidden too\n-->\n## Rules\n", [("Errors", 1), ("Rules", 5)]),
    ],
)
def test_the_title_comes_before_all_sections_or_is_one(text: str, found: list[tuple[str, int]]) -> None:
    assert titles(text) == found


def test_what_is_hidden_is_kept_and_not_shown() -> None:
    [first] = split_sections("# Errors\nseen <!-- unseen --> seen\n")
    assert first.text == "seen <!-- unseen --> seen" and "unseen" not in first.shown_text
