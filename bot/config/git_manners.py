"""What `git:` may say, for everything or for one project: how branches are named, and commits are worded and signed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated

from pydantic import AfterValidator

from agents.catalog.validation import Odd
from agents.catalog.workflows import Flag
from agents.catalog.yaml import Where
from agents.domain.ids import Account
from agents.domain.work.git_names import IN_COMMIT, GitManners, is_identity, odd_branch_pattern, odd_pattern
from bot.config.accounts import account

EXAMPLE = "Ana Lima <ana@example.com>"


def _branch_pattern(written: str) -> str:
    if problem := odd_branch_pattern(written):
        raise ValueError(
            f"`{written[:80]}` names no branches: {problem}. Write one such as `ai/{{task_id}}-{{description}}`."
        )
    return written


def _commit_message(written: str) -> str:
    problem = odd_pattern(written, IN_COMMIT) or ("" if "{title}" in written else "it needs {title}")
    if problem:
        raise ValueError(f"`{written[:80]}` words no commits: {problem}. Write one such as `{{task_id}}: {{title}}`.")
    return written


def _identity(written: str) -> str:
    if not is_identity(written):
        raise ValueError(f"`{written[:80]}` is not what git takes for a person. Write `{EXAMPLE}`.")
    return written


def _branches_always(written: bool) -> bool:
    if not written:
        raise ValueError("work is always on a branch of its own. Remove it, or write true.")
    return written


def _commits_checked(written: bool) -> bool:
    if written:
        raise ValueError("work is joined to the task's branch only when its checks passed. Remove it, or write false.")
    return written


Identity = Annotated[str, AfterValidator(_identity)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GitPart:
    """What is not said is as the general part says it, or as the program does it by itself."""

    auto_branch: Annotated[Flag, AfterValidator(_branches_always)] | None = None
    branch_pattern: Annotated[str, AfterValidator(_branch_pattern)] | None = None
    auto_commit: Annotated[Flag, AfterValidator(_commits_checked)] | None = None
    commit_message: Annotated[str, AfterValidator(_commit_message)] | None = None
    author: Identity | None = None
    co_author: Flag | None = None
    sign_off: Flag | None = None
    dry_run_preview: Flag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSettings(GitPart):
    people: Mapping[Annotated[str, AfterValidator(account)], Identity] = field(default_factory=dict)  # for co_author

    def identity_of(self, accounts: Sequence[Account]) -> str:
        """How git is told of somebody; empty where nobody wrote it down."""
        return next((self.people[each] for each in accounts if each in self.people), "")


_MEANS = {"dry_run_preview": "preview"}  # names that the program has another word for
_KNOWN = {each.name for each in fields(GitManners)}


def manners_of(*parts: GitPart) -> GitManners:
    """The last one that says something counts."""
    said = {each.name: getattr(part, each.name) for part in parts for each in fields(GitPart) if _says(part, each.name)}
    known = any(isinstance(part, GitSettings) and part.people for part in parts)  # they are listed to be named
    named = {"co_author": known, **{_MEANS.get(name, name): value for name, value in said.items()}}
    return GitManners(**{name: value for name, value in named.items() if name in _KNOWN})


def _says(part: GitPart, name: str) -> bool:
    return getattr(part, name) is not None


def odd_manners(general: GitSettings, projects: Sequence[GitPart]) -> Iterator[Odd]:
    """A sign-off is a person's word, so somebody must be named; and a co-author needs an address."""
    places: list[tuple[Where, GitPart, GitManners]] = [(("git",), general, manners_of(general))]
    places += [(("projects", at, "git"), part, manners_of(general, part)) for at, part in enumerate(projects)]
    for where, part, manners in places:
        if manners.sign_off and not manners.author and (part.sign_off or part is general):
            step = f"Add `author: {EXAMPLE}`: whoever answers for the commits."
            yield (*where, "sign_off"), "nobody is named who signs off", step
        if part.co_author and not general.people:
            what = "nobody's address is known, so no commit could name whoever asked"
            yield (*where, "co_author"), what, f"Add `people: {{console:ana: {EXAMPLE}}}` under `git:`."
