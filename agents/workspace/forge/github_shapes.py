"""What GitHub answers with, as far as it is used; and words for GitHub that call nobody and start nothing."""

import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agents.domain.models.failure import ErrorClass
from agents.domain.text.sanitize import MOST, clean, cut, one_line
from agents.domain.work.git_names import GAP, quiet, without_skips
from agents.ports import ForgeFailed

Number = Annotated[int, Field(ge=1, le=MOST)]  # of an issue or a pull request
TITLE_MOST = 200
BODY_MOST = 60_000  # GitHub takes 65,536
_COMMAND = re.compile(r"(?m)^(?=[ \t]*/[A-Za-z])")  # bots obey lines such as /approve
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"(!)(?=\[)|(\])(?=[(:\[])")
_URL = re.compile(r"(?i)\b(https?|ftp):(?=//)(?://([^/\s?#@:]*)([/\s?#:]|$))?|\b(mailto|xmpp):|\b(www)(?=\.)")


class User(BaseModel):
    login: str
    type: str = "User"


class Label(BaseModel):
    name: str


class Repo(BaseModel):
    full_name: str
    default_branch: str = ""
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    has_issues: bool = True
    permissions: dict[str, bool] = Field(default_factory=dict)  # of whoever asks; an app is told none

    @property
    def method(self) -> str:
        """How work may be merged here; by a merge commit where it may be."""
        allowed = {"merge": self.allow_merge_commit, "squash": self.allow_squash_merge}
        return next((method for method, may in allowed.items() if may), "rebase")


class Head(BaseModel):
    ref: str
    sha: str
    repo: Repo | None = None  # None: the fork is gone


class Base(BaseModel):
    ref: str


class PullShown(BaseModel):
    number: Number
    state: str
    html_url: str
    head: Head
    base: Base
    body: str | None = None
    user: User | None = None
    merged_at: str | None = None
    merge_commit_sha: str | None = None
    draft: bool = False
    node_id: str = ""  # its name for GraphQL

    @property
    def standing(self) -> str:
        return "merged" if self.merged_at else self.state


class IssueShown(BaseModel):
    number: Number
    title: str
    html_url: str
    body: str | None = None
    user: User | None = None
    author_association: str = "NONE"
    updated_at: str = ""
    labels: list[Label] = Field(default_factory=list)
    pull_request: dict[str, Any] | None = None  # an issue that is a pull request


class CommentShown(BaseModel):
    body: str | None = None
    user: User | None = None


class EventShown(BaseModel):
    id: int
    label: Label | None = None


class Merged(BaseModel):
    sha: str


class App(BaseModel):
    slug: str | None = None


class Output(BaseModel):
    title: str | None = None
    summary: str | None = None


class RunShown(BaseModel):
    """A check run, or a job of GitHub Actions: the two look alike."""

    id: int
    name: str
    status: str
    conclusion: str | None = None
    html_url: str | None = None
    app: App | None = None
    output: Output | None = None


class StatusShown(BaseModel):
    """A commit status, by which other CI servers speak."""

    context: str
    state: str
    description: str | None = None
    target_url: str | None = None


class WorkflowRun(BaseModel):
    id: int


Shape = TypeVar("Shape")


def read(shape: type[Shape], data: object, what: str) -> Shape:
    try:
        return TypeAdapter(shape).validate_python(data)
    except ValidationError as error:
        raise ForgeFailed(
            f"What GitHub answers about {what} cannot be read ({error.error_count()} problems)",
            next_step="Check that GITHUB_API_URL is the address of GitHub's API.",
            error=ErrorClass.VALIDATION,
        ) from error


def title(text: str) -> str:
    return one_line(quiet(without_skips(clean(text)[:BODY_MOST])), TITLE_MOST) or "Work of a minion"


def harmless(text: str, own_host: str = "") -> str:
    """Markdown that mentions nobody, closes nothing, shows no picture and links only to the forge itself."""
    text = quiet(cut(clean(text), BODY_MOST))
    for pattern, told in ((_TAG, f"<{GAP}"), (_LINK, rf"\1\2{GAP}"), (_COMMAND, GAP)):
        text = pattern.sub(told, text)
    return cut(_URL.sub(lambda found: _url(found, own_host), text), BODY_MOST)


def _url(found: re.Match[str], own_host: str) -> str:
    whole = found[0]
    if own_host and found[2] and found[2].casefold() == own_host.casefold() and found[1].casefold() == "https":
        return whole
    at = len(found[1]) + 1 if found[1] else len(whole)
    return whole[:at] + GAP + whole[at:]
