"""Names of branches and messages of commits: made of what anybody wrote, so nothing in them may mean more."""

import re
import unicodedata

from agents.domain.ids import TaskId
from agents.domain.text import clean, one_line

LONGEST_SLUG = 60
LONGEST_MESSAGE = 10_000
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
_BRANCH = re.compile(rf"{_PART}(?:/{_PART})*")
# What tells a forge to leave out its checks, in any of the spellings they know.
_SKIPS = re.compile(r"\[([^\[\]\n]*\b(?:skip|no)[\s_-]*(?:\w+)|[^\[\]\n]*\bskip)\s*\]", re.IGNORECASE)
_STARRED = re.compile(r"\*{2,}\s*(\w+)\s*\*{2,}")
# A line that a forge reads as saying who did it, who agrees, or that checks are left out.
_TRAILER = re.compile(r"^([ \t]*[A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:(?=[ \t]|$)", re.MULTILINE)


def branch_for(task: TaskId, title: str, subtask: int | None = None) -> str:
    """M225: `ai/t-14-let-links-expire` for a task, `ai/t-14.2-refuse-expired-links` for its second subtask."""
    number = "" if subtask is None else f".{abs(subtask)}"
    return f"ai/{_slug(task) or 'task'}{number}-{_slug(title) or 'work'}"


def odd_branch(name: str) -> str | None:
    """Why this is no name that a branch of ours could have; None if it could."""
    if len(name) > 200:
        return "it is longer than 200 characters"
    if not _BRANCH.fullmatch(name) or ".." in name or name == "HEAD":
        return "only letters, digits and single dots, dashes and slashes between them are allowed"
    if any(part.lower().endswith(".lock") for part in name.split("/")):
        return "git keeps names that end in .lock for itself"
    return None


def commit_message(text: str) -> str:
    """The text, with nothing in it that a forge would obey: no leaving out of checks, no trailers (attack 50)."""
    lines = clean(text)[:LONGEST_MESSAGE].strip().splitlines()
    subject = one_line(_harmless(lines[0]), 100) if lines else "Work in progress"
    body = _TRAILER.sub(r"\1 -", _harmless("\n".join(line.rstrip() for line in lines[1:]).strip()))
    return f"{subject}\n\n{body}\n" if body else f"{subject}\n"


def _harmless(text: str) -> str:
    return _STARRED.sub(r"\1", _SKIPS.sub(r"(\1)", text))


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
