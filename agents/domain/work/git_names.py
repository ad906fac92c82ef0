"""Names of branches and messages of commits: made of what anybody wrote, so that nothing in them is obeyed."""

import re
import unicodedata

from agents.domain.ids import TaskId
from agents.domain.text.sanitize import clean, one_line

LONGEST_SLUG = 60
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
_BRANCH = re.compile(rf"{_PART}(?:/{_PART})*")


def branch_for(task: TaskId, title: str, subtask: int | None = None) -> str:
    """`ai/t-14-let-links-expire` for a task, `ai/t-14.2-refuse-expired-links` for its second subtask."""
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


SUBJECT_MOST, BODY_MOST = 100, 10_000
GAP = "\u200b"  # seen by nobody, and enough to make plain text of what comes after
# What tells a forge to leave out its checks. The spellings that are known go; what only looks like one is defused.
_SKIPS = re.compile(
    r"\[\s*(?:skip[ -]*(?:ci|actions)|(?:ci|actions)[ -]*skip|no[ -]*ci|skip[ -]*travis|skip[ -]*netlify)\s*\]"
    r"|\*\*\*\s*NO_CI\s*\*\*\*|skip-checks\s*:\s*true",
    re.I,
)
_LIKE_SKIPS = re.compile(r"\[([^\[\]\n]*\b(?:skip|no)[\s_-]*(?:\w+)|[^\[\]\n]*\bskip)\s*\]", re.I)
_STARRED = re.compile(r"\*{2,}\s*(\w+)\s*\*{2,}")
# A line that a forge reads as saying who did it, who agrees, or that checks are left out.
_TRAILER = re.compile(r"^([ \t]*[A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:(?=[ \t]|$)", re.M)
_MENTION = re.compile(r"@(?=[A-Za-z0-9])")
_NUMBER = re.compile(r"(?i)(#|\bGH-)(?=\d)")
_CLOSES = re.compile(  # every repeat has its end, so that no text makes it slow
    r"(?i)\b(clos|fix|resolv)(?=(?:e|ed|es|s)?\b\s{0,9}:?\s{0,9}(?:#|\bGH-|https?:|[\w.-]{1,99}/[\w.-]{1,99}#))"
)


def commit_message(text: str, otherwise: str = "Work in progress") -> str:
    """The text, with nothing in it that a forge would obey: no leaving out of checks, no trailers, no closed issues."""
    subject, _, body = quiet(without_skips(clean(text)[:BODY_MOST])).strip().partition("\n")
    head = one_line(subject, SUBJECT_MOST) or otherwise
    told = _TRAILER.sub(r"\1 -", "\n".join(line.rstrip() for line in body.splitlines()).strip())
    return f"{head}\n\n{told}\n" if told else f"{head}\n"


def without_skips(text: str) -> str:
    return _STARRED.sub(r"\1", _LIKE_SKIPS.sub(r"(\1)", _SKIPS.sub("", text)))


def quiet(text: str) -> str:
    """GitHub reads these in commits as well: what closes issues, mentions people, refers to numbers."""
    for pattern, told in ((_CLOSES, rf"\1{GAP}"), (_MENTION, f"@{GAP}"), (_NUMBER, rf"\1{GAP}")):
        text = pattern.sub(told, text)
    return text
