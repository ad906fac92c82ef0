"""The local forge: a pull request is a record, its branch is in the user's repository, a merge moves theirs."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.checks.remote import RemoteCheck
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, cut, one_line
from agents.domain.work.git_names import Message, as_signed, commit_message
from agents.ports import Forge, ForgeFailed, Pull, PullBook, PullRecord, PullRequest, Target
from agents.ports.judging import ANYWHERE
from agents.workspace.forge import github_shapes
from agents.workspace.forge.repository import (
    Repository,
    checkout_of,
    missing_branch,
    require_branch,
    require_commit,
    require_target,
    rewritten_branch,
)
from agents.workspace.git.git import EMAIL
from agents.workspace.git.mirror import BASE

TRIES = 5  # at moving a branch that others move too
OURS = "ai/"  # how minions' branches begin, unless the settings say otherwise
_TRUNKS = ("main", "master", "trunk")
DRAFT = "draft"  # the state of a record


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a project lies: the user's repository, bare or not, and our own copy, where minions' commits are made."""

    repository: Path
    commits: Path


class LocalForge:
    """Implements agents.ports.Forge. `page` says where a person reads a pull request."""

    def __init__(
        self, places: Mapping[str, Place], book: PullBook, redact: Redact, page: Callable[[str, int], str]
    ) -> None:
        self._places = places
        self._book = book
        self._redact = redact
        self._page = page
        self._merging = dict[str, asyncio.Lock]()  # by project: a checkout follows one merge before the next begins

    async def base(self, project: str, number: int = 0) -> str:
        if number:
            return (await self._found(project, number)).base
        place = self._place(project)
        theirs, ours = Repository(place.repository), Repository(place.commits)
        said = await theirs.ask("symbolic-ref", "--quiet", "--short", "HEAD")
        for branch in (said.text.strip(), *_TRUNKS):
            # somebody who looks at a branch that we began does not ask for work on it
            begun = place.commits.is_dir() and await ours.commit_at(f"{BASE}/{branch}")
            if branch and not (begun or branch.startswith(OURS)) and await theirs.commit_at(f"refs/heads/{branch}"):
                return branch
        raise ForgeFailed(
            f"{project} is on no branch that has a commit", next_step="Check a branch out there, such as main."
        )

    async def open(self, pull: Pull) -> PullRequest:
        branch, head = require_branch(pull.branch), require_commit(pull.head)
        base = require_branch(pull.into or await self.base(pull.project))
        if branch == base:
            raise ForgeFailed(f"Work cannot be on {base} itself", next_step="Give it a branch of its own.")
        told = replace(
            pull, title=one_line(self._plain(pull.title), github_shapes.TITLE_MOST), body=self._plain(pull.body)
        )
        record = await self._book.open(told, base)
        if pull.into:
            require_target(record.number, record.base, base)
        draft = record.state == DRAFT
        if draft or record.state == "open":
            await self._bring(self._place(pull.project), branch, head, pull.replaces)
        page, state = self._page(pull.project, record.number), "open" if draft else record.state
        return PullRequest(number=record.number, url=page, head=record.head, state=state, draft=draft)

    async def ready(self, project: str, number: int) -> None:
        await self._found(project, number)
        await self._book.mark_ready(project, number)

    def runs_checks(self, project: str) -> bool:
        return False

    async def checks(self, project: str, commit: str) -> Sequence[RemoteCheck]:
        return ()

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        """Nobody reads a pull request of ours but by its card, which says it all."""
        await self._found(project, number)

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        record, place = await self._found(project, number), self._place(project)
        require_target(number, record.base, target.branch or record.base)
        if record.state == DRAFT:
            raise ForgeFailed(f"#{number} is a draft. Nothing was merged", next_step="Press again when it is ready.")
        if record.state != "merged" and record.head != require_commit(head):
            return None
        async with self._merging.setdefault(project, asyncio.Lock()):
            if record.state == "merged":
                commit: str | None = record.commit
            else:
                commit = await self._merged(place, record, message, target.start)
            if commit is not None:
                if advice := await self._follow(place, record, commit):
                    target.tell(advice)
                await self._book.mark_merged(project, number, commit)
        return commit

    async def publish(self, project: str, branch: str, head: str) -> str:
        await self._bring(self._place(project), require_branch(branch), require_commit(head))
        return f"git switch {branch}"

    async def fetch_branch(self, project: str, branch: str) -> str:
        place = self._place(project)
        ours, theirs = Repository(place.commits), Repository(place.repository)
        there = await theirs.commit_at(f"refs/heads/{require_branch(branch)}")
        if there:
            await ours.take(theirs, there)
            await ours.catch_up(branch, there)
        return there

    async def _bring(self, place: Place, branch: str, head: str, replaces: str = "") -> None:
        """The branch into the user's repository. Their checkout, their index and their HEAD are not touched."""
        theirs = Repository(place.repository)
        await theirs.take(Repository(place.commits), head)
        for _ in range(TRIES):
            there = await theirs.commit_at(f"refs/heads/{branch}")
            if there == head:
                return
            if there and there != replaces and not await theirs.leads_to(there, head):
                raise ForgeFailed(
                    f"The branch {branch} in {place.repository} has commits that I did not make",
                    next_step=f"Rename it there (git branch -m {branch} {branch}-mine), then try again.",
                )
            if await checkout_of(theirs, branch):
                raise ForgeFailed(
                    f"The branch {branch} is checked out in {place.repository}",
                    next_step="Switch to another branch there, then try again.",
                )
            if await theirs.move(branch, head, there, "overlord: work of a minion"):
                return
        raise _busy(place, branch)

    async def _merged(self, place: Place, record: PullRecord, message: Message, start: str) -> str | None:
        """The commit that has the work in the base; None where it does not fit. Killed anywhere, it may come again."""
        theirs, ours = Repository(place.repository), Repository(place.commits)
        for _ in range(TRIES):
            tip = await theirs.commit_at(f"refs/heads/{record.base}")
            if not tip:
                raise missing_branch(record.base)
            if record.commit and await theirs.leads_to(record.commit, tip):
                return record.commit
            if await theirs.leads_to(record.head, tip):
                # somebody merged it themselves: the first commit of the base that has it
                way = ("--first-parent", "--ancestry-path", "--reverse", f"{record.head}..{tip}")
                return next(iter((await theirs.tell("rev-list", *way)).split()), record.head)
            if start and not await theirs.leads_to(start, tip):
                raise rewritten_branch(record.base)
            await ours.take(theirs, tip)
            commit = await self._made(ours, record, tip, message)
            if commit is None:
                return None
            await theirs.take(ours, commit)
            await self._may_move(theirs, record, tip, commit)
            await self._book.merging(record.project, record.number, tip, commit)
            if await theirs.move(record.base, commit, tip, f"overlord: merge {record.branch}"):
                return commit
        raise _busy(place, record.base)

    async def _made(self, ours: Repository, record: PullRecord, tip: str, message: Message) -> str | None:
        """The merge commit, in our own copy, where nothing but git itself has a say in how files are merged."""
        merged = await ours.ask("merge-tree", "--write-tree", "--no-messages", tip, record.head)
        if merged.code == 1:
            return None
        if merged.code != 0:
            raise ForgeFailed(
                f"git could not merge {record.branch}: {merged.err.strip()}", next_step="Look at its log."
            )
        tree = merged.text.strip()
        words = as_signed(message)
        told = words.finish(commit_message(self._redact(words.text), "Merge"))
        who = replace(ours, signature=words.signature)
        return (await who.tell("commit-tree", tree, "-p", tip, "-p", record.head, given=told)).strip()

    async def _may_move(self, theirs: Repository, record: PullRecord, old: str, new: str) -> None:
        """A branch that somebody has checked out moves only if their files can follow it."""
        checkout = await checkout_of(theirs, record.base)
        reason = await checkout.obstacle(old, new) if checkout else ""
        if checkout and reason:
            raise ForgeFailed(
                f"{record.base} is checked out in {checkout.folder}, and {reason}. I left everything as it is",
                next_step=f"Commit or stash what is there and press again, or run `git merge {record.branch}` there.",
            )

    async def _follow(self, place: Place, record: PullRecord, commit: str) -> str:
        """Their files follow their branch, if it still is where we put it. Else what to type; asked again, it says so
        again."""
        theirs = Repository(place.repository)
        who, *parents = (await theirs.tell("show", "-s", "--format=%ce %P", commit)).split()
        if who != EMAIL or await theirs.commit_at(f"refs/heads/{record.base}") != commit:
            return ""
        checkout = await checkout_of(theirs, record.base)
        if checkout is None or await checkout.follow(parents[0], commit):
            return ""
        return (
            f"{record.base} has moved, but the files in {checkout.folder} have not, for something there is not "
            f"committed. To go on from where you were, run there: "
            f"git reset --soft {parents[0][:12]} && git merge --ff-only {commit[:12]}"
        )

    async def _found(self, project: str, number: int) -> PullRecord:
        record = await self._book.find(project, number)
        if record is None:
            raise ForgeFailed(f"{project} has no pull request {number}", next_step="Look at the list of them.")
        return record

    def _place(self, project: str) -> Place:
        if project not in self._places:
            raise ForgeFailed(f"There is no repository for {project} here", next_step="Name it under `projects:`.")
        return self._places[project]

    def _plain(self, text: str) -> str:
        return cut(clean(self._redact(text)), github_shapes.BODY_MOST)


def _busy(place: Place, branch: str) -> ForgeFailed:
    return ForgeFailed(f"{branch} in {place.repository} keeps moving", next_step="Try again in a moment.")


class Forges:
    """Implements agents.ports.Forge by handing on, project by project."""

    def __init__(self, of: Mapping[str, Forge]) -> None:
        self._of = of

    async def base(self, project: str, number: int = 0) -> str:
        return await self._for(project).base(project, number)

    async def open(self, pull: Pull) -> PullRequest:
        return await self._for(pull.project).open(pull)

    async def ready(self, project: str, number: int) -> None:
        await self._for(project).ready(project, number)

    def runs_checks(self, project: str) -> bool:
        return self._for(project).runs_checks(project)

    async def checks(self, project: str, commit: str) -> Sequence[RemoteCheck]:
        return await self._for(project).checks(project, commit)

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        await self._for(project).comment(key, project, number, text)

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        return await self._for(project).merge(project, number, head, message, target)

    async def publish(self, project: str, branch: str, head: str) -> str:
        return await self._for(project).publish(project, branch, head)

    async def fetch_branch(self, project: str, branch: str) -> str:
        return await self._for(project).fetch_branch(project, branch)

    def _for(self, project: str) -> Forge:
        if project not in self._of:
            raise ForgeFailed(f"There is no repository for {project} here", next_step="Name it under `projects:`.")
        return self._of[project]
