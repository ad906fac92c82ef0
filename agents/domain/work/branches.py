"""Names of branches: made of what anybody wrote, so nothing in them may mean more."""

import re
import unicodedata

from agents.domain.ids import TaskId

LONGEST_SLUG = 60
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
_BRANCH = re.compile(rf"{_PART}(?:/{_PART})*")


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


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
