"""A note on what a project has learnt, and a change to one that a supervisor wants written."""

import re
from collections.abc import Sequence

from agents.domain.knowledge.owners import (
    OWNER as OWNER,
    Carried as Carried,
    Confirmation as Confirmation,
    Folder as Folder,
    Move as Move,
    NoteChange as NoteChange,
    Supervisor as Supervisor,
)

RULES = 500  # characters of all rules of a note together, as they are written
LINE = 80  # of a title
PART = 600  # of an example, and of the rationale
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def faults(change: NoteChange) -> Sequence[str]:
    """Why it cannot be written, in words for whoever wrote it. Empty: it can."""
    checks = (
        (OWNER[change.folder] is not change.by, f"{change.by} does not own {change.folder}/"),
        (not _SLUG.fullmatch(change.slug), f"“{change.slug[:LINE]}” is no name: small letters, digits, - and _ only"),
        (not 0 < len(change.title.strip()) <= LINE, f"a title has 1 to {LINE} characters"),
        (any(c in change.title for c in "\r\n"), "a title is one line"),
        (not change.rules and not change.deprecates, "a note has at least one rule"),
        (any(not rule.strip() or "\n" in rule for rule in change.rules), "a rule is one line, and not empty"),
        (written_size(change.rules) > RULES, f"rules have at most {RULES} characters together"),
        (max(map(len, (change.good, change.bad, change.rationale))) > PART, f"a part has at most {PART} characters"),
    )
    return [words for wrong, words in checks if wrong]


def number_rules(rules: Sequence[str]) -> str:
    """The rules as a note has them."""
    return "\n".join(f"{number}. {rule.strip()}" for number, rule in enumerate(rules, 1))


def written_size(rules: Sequence[str]) -> int:
    return len(number_rules(rules))
