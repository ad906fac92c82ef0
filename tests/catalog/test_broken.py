"""What is said about broken settings, skills and specialists, message by message."""

import re

from tests.catalog.broken import BROKEN, GOLDEN, messages

SECRETS = re.compile(r"canary|88888888|sk-1|abcdefgh")


def test_each_message_is_as_it_was_reviewed() -> None:
    """After a change: `python -m tests.catalog.broken`, and read the difference."""
    assert messages() == GOLDEN.read_text(encoding="utf-8")


def test_each_broken_file_is_answered_and_no_secret_is_shown() -> None:
    sections = GOLDEN.read_text(encoding="utf-8").split("## ")[1:]
    assert len(sections) == len(BROKEN) == len({each.name for each in BROKEN}) >= 60
    for section in sections:
        name, *lines = section.strip().splitlines()
        assert lines, f"nothing is said about {name}"
        assert not SECRETS.search(section), name
