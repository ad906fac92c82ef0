"""Names of branches, messages of commits and whose they are: what anybody wrote is obeyed by nobody in them."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.domain.ids import TaskId
from agents.domain.text.sanitize import clean, one_line
from agents.domain.work.commit_style import CommitStyle

LONGEST_SLUG = 60
BRANCH = "ai/{task_id}-{description}"
_PLACE = re.compile(r"\{(\w+)\}")
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?"
_BRANCH = re.compile(rf"{_PART}(?:/{_PART})*")


def branch_for(task: TaskId, title: str, subtask: int | None = None, pattern: str = BRANCH) -> str:
    """`ai/t-14-let-links-expire` for a task, `ai/t-14.2-refuse-expired-links` for its second subtask."""
    number = "" if subtask is None else f".{abs(subtask)}"
    return fill(pattern, {"task_id": f"{_slug(task) or 'task'}{number}", "description": _slug(title) or "work"})


def fill(pattern: str, values: Mapping[str, str]) -> str:
    """Each known name in braces, by its value. What a value says is not filled in again."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), pattern)


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


SUBJECT_MOST, BODY_MOST = 72, 10_000
GAP = "\u200b"  # seen by nobody, and enough to make plain text of what comes after
# What tells a forge to leave out its checks. The spellings that are known go; what only looks like one is defused.
_SKIPS = re.compile(
    r"\[\s*(?:skip[ -]*(?:ci|actions)|(?:ci|actions)[ -]*skip|no[ -]*ci|skip[ -]*travis|skip[ -]*netlify)\s*\]"
    r"|\*\*\*\s*NO_CI\s*\*\*\*|skip-checks\s*:\s*true",
    re.I,
)
_LIKE_SKIPS = re.compile(r"\[([^\[\]\n]*\b(?:skip|no)[\s_-]*(?:\w+)|[^\[\]\n]*\bskip)\s*\]", re.I)
_STARRED = re.compile(r"(?<!\*)\*{2,}+\s*(\w+)\s*\*{2,}")
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
    head = shorten(subject, SUBJECT_MOST) or otherwise
    told = _TRAILER.sub(r"\1 -", "\n".join(line.rstrip() for line in body.splitlines()).strip())
    return f"{head}\n\n{told}\n" if told else f"{head}\n"


def shorten(text: str, most: int) -> str:
    """On one line, without a full stop, and cut after a word where it is too long."""
    line = " ".join(text.split()).rstrip(".")
    if len(line) <= most:
        return line
    at = line.rfind(" ", most // 2, most)
    return f"{line[: at if at > 0 else most - 1].rstrip(' ,;:.')}…"


def without_skips(text: str) -> str:
    return _STARRED.sub(r"\1", _LIKE_SKIPS.sub(r"(\1)", _SKIPS.sub("", text)))


def quiet(text: str) -> str:
    """GitHub reads these in commits as well: what closes issues, mentions people, refers to numbers."""
    for pattern, told in ((_CLOSES, rf"\1{GAP}"), (_MENTION, f"@{GAP}"), (_NUMBER, rf"\1{GAP}")):
        text = pattern.sub(told, text)
    return text


COMMIT = "{task_id}: {title}"
IN_BRANCH, IN_COMMIT = ("task_id", "description"), ("task_id", "title", "type")
PATTERN_MOST, TITLE_LEAST = 80, 20
# Set apart from what is around it, so that no other task's number can be read there.
_APART = re.compile(r"(?:^|[/_-])\{task_id\}(?:[/_-]|$)")
_IDENTITY = re.compile(r"[^<>\n@\"]{1,80} <[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,190}>")
_SAMPLES = ("let links expire", "lock", "x" * 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who a commit is by, and the last lines of its message: from settings alone, whatever anybody wrote."""

    author: str = ""  # `Name <address>`; empty: the program itself
    trailers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.author.rpartition(" <")[0]

    @property
    def address(self) -> str:
        return self.author.rpartition(" <")[2].removesuffix(">")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A commit's message, and whose it is."""

    text: str
    signature: Signature = field(default_factory=Signature)

    def finish(self, harmless: str) -> str:
        """The text, once nothing in it can be obeyed, with its last lines."""
        lines = self.signature.trailers
        return f"{harmless.rstrip()}\n\n" + "".join(f"{line}\n" for line in lines) if lines else harmless


Message = str | Signed


def as_signed(message: Message) -> Signed:
    return message if isinstance(message, Signed) else Signed(text=message)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitManners:
    branch_pattern: str = BRANCH
    commit_message: str = COMMIT  # the first line
    author: str = ""  # `Name <address>`, of whoever answers for the commits; the program stays the committer
    co_author: bool = False  # whoever asked for the work is named, where their address is known
    sign_off: bool | None = None  # by the author; None: where the project's commits are signed off
    lower: bool = False  # titles begin with a small letter
    preview: bool = True  # cards show what git will do

    def branch(self, task: TaskId, title: str, subtask: int | None = None) -> str:
        return branch_for(task, title, subtask, self.branch_pattern)

    def subject(self, name: str, title: str, kind: str) -> str:
        """The first line of a commit. `name`: T-14, or T-14.2; `kind`: feat, fix."""
        values = {"task_id": name, "title": "", "type": kind}
        room = max(TITLE_LEAST, SUBJECT_MOST - len(fill(self.commit_message, values)))
        said = shorten(_begin_small(title) if self.lower else title, room)
        return one_line(fill(self.commit_message, {**values, "title": said}), SUBJECT_MOST)

    def adopt(self, style: CommitStyle) -> "GitManners":
        """With the project's own habit where the settings say nothing. Nobody signs off who is not named."""
        own = style.conventional and self.commit_message == COMMIT
        return replace(
            self,
            commit_message="{type}: {title}" if own else self.commit_message,
            lower=own and style.lower,
            sign_off=style.signed_off if self.sign_off is None else self.sign_off,
        )

    def signature(self, co_author: str) -> Signature:
        lines = (
            f"Co-authored-by: {co_author}" if self.co_author and co_author else "",
            f"Signed-off-by: {self.author}" if self.sign_off and self.author else "",
        )
        return Signature(author=self.author, trailers=tuple(line for line in lines if line))


def _begin_small(title: str) -> str:
    """A name such as GitHub or README stays as it is."""
    first, _, _ = title.partition(" ")
    return f"{title[:1].lower()}{title[1:]}" if first[1:].islower() or len(first) == 1 else title


PLAIN = GitManners()


def odd_pattern(pattern: str, known: Sequence[str]) -> str:
    """Why this cannot be filled in; empty if it can."""
    if not pattern.strip() or not pattern.isprintable() or len(pattern) > PATTERN_MOST:
        return f"it must be one line of at most {PATTERN_MOST} characters"
    left = fill(pattern, dict.fromkeys(known, ""))
    if "{" in left or "}" in left:
        return f"only {' and '.join(f'{{{name}}}' for name in known)} can stand in braces"
    return ""


def odd_branch_pattern(pattern: str) -> str:
    """Why branches cannot be named like this; empty if they can, whatever words are filled in."""
    if problem := odd_pattern(pattern, IN_BRANCH):
        return problem
    if not _APART.search(pattern):
        return "it needs {task_id}, set apart by slashes, dashes or underscores, or two tasks could share a branch"
    names = (branch_for(TaskId("T-999999999"), title, 99, pattern) for title in _SAMPLES)
    return next(filter(None, map(odd_branch, names)), None) or ""


def is_identity(written: str) -> bool:
    """Whether git can be told that somebody is this: `Ana Lima <ana@example.com>`."""
    return bool(_IDENTITY.fullmatch(written)) and written.isprintable() and written == written.strip()
