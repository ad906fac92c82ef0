"""Packs what a minion works on, or what a reviewer judges, from a worktree that is not trusted."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from agents.domain.checks.evaluation import Change
from agents.domain.checks.risk import lines_of
from agents.domain.checks.scope import matches
from agents.domain.context.diff_text import DiffPart, path_in, shown_diff, split
from agents.domain.context.importing import imports_of
from agents.domain.context.listing import Listing, related_to, tree_lines
from agents.domain.context.packing import Delta, Packed, PackTooTight, Part, ReviewPack, Room, Section, pack
from agents.domain.context.strategy import Input, Strategy
from agents.domain.planning.decomposition import Subtask
from agents.domain.skills.skill import Skill, suggest
from agents.domain.task.reports import plan_text
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, cut
from agents.domain.work.work import Work
from agents.domain.workflow.roles import Base
from agents.minions.gathering import Gathering, conditions_of, left_aside
from agents.minions.reading import Counts, Reading, Recent, Texts
from agents.ports import Brief, Checkout, Files, Workspace

FIELD, LIST = 2_000, 50  # characters of a field of the task, entries of a list in it
MOST_SHOWN = 60  # files of a folder without the code
PER_TOKEN = 4  # characters of a tree, before its tokens are counted
SKILLS_KEPT = 16  # commits whose skills are kept ready
LISTINGS = 8  # commits whose listing is kept
MOST_PARTS = 8  # in which one reviewer reads a difference
PART_MOST, PART_LEAST = 300_000, 400  # characters of a part: a prompt takes no more, and less is no use
DIFFERENCE = "the difference"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchSoFar:
    """What a branch has changed since the subtask began, and which attempt this is."""

    diff: str = ""
    attempt: int = 1
    others: Delta | None = None  # what was done before, for whoever brings it together


OpenTree = Callable[[Path], Files]
ListFiles = Callable[[Checkout, str], Awaitable[Listing]]  # of a commit


class Packer:
    """Every text is redacted and none is trusted: the prompt puts one fence around the whole."""

    def __init__(self, *, open_tree: OpenTree, list_files: ListFiles, counts: Counts, redact: Redact) -> None:
        self._open_tree = open_tree
        self._list_files = list_files
        self._counts = counts
        self._texts = Texts(counts, redact)
        self._listings = Recent[tuple[str, str], Listing](LISTINGS)

    async def for_work(
        self, checkout: Checkout, subtask: Subtask, strategy: Strategy, branch: BranchSoFar | None = None
    ) -> str:
        return (await self.pack_work(checkout, subtask, strategy, branch)).text

    async def pack_work(
        self, checkout: Checkout, subtask: Subtask, strategy: Strategy, branch: BranchSoFar | None = None
    ) -> Packed:
        """The files to change, what they import, their tests, the tree. What others did before is there for whoever
        brings it together, and its files are targets too. Raises PackTooTight."""
        listing, so_far = await self._listing(checkout, checkout.head), branch or BranchSoFar()
        context = strategy.under(conditions_of(listing, so_far.diff, so_far.attempt))
        return await asyncio.to_thread(self._work, checkout, subtask, context, listing, so_far)

    def for_blind(self, checkout: Checkout, subtask: Subtask, strategy: Strategy) -> str:
        """All that is in the folder of whoever is not shown the code: interfaces, public API, fixtures, papers."""
        tree = self._open_tree(checkout.workspace.path)
        try:
            reading = Reading(tree, self._texts, most=2 * strategy.budget)
            shown = list(islice(_files_in(checkout.workspace.path), MOST_SHOWN))
            sections = [
                self._texts.section(Part.TASK, "the subtask", task_text(subtask)),
                *reading.sections(Part.TARGET, shown),
            ]
            return pack(sections, strategy.room, self._counts, reading.skipped).text
        finally:
            tree.close()

    async def for_review(self, checkout: Checkout, delta: Delta, strategy: Strategy) -> ReviewPack:
        """The plan, the difference, and the changed files as they are committed now. Raises PackTooTight.

        A difference that does not fit is given in parts, and what no part holds is named.
        """
        listing = await self._listing(checkout, delta.after)
        return await asyncio.to_thread(self._review, checkout, delta, strategy, listing)

    async def _listing(self, checkout: Checkout, commit: str) -> Listing:
        key = (checkout.project, commit)
        return self._listings.get(key) or self._listings.keep(key, await self._list_files(checkout, commit))

    def _work(
        self, checkout: Checkout, subtask: Subtask, strategy: Strategy, listing: Listing, so_far: BranchSoFar
    ) -> Packed:
        most, tree = strategy.most, self._open_tree(checkout.workspace.path)
        try:
            reading = Reading(tree, self._texts, most=2 * strategy.budget, without=partial(left_aside, strategy))
            gathering = Gathering(strategy=strategy, listing=listing, reading=reading, texts=self._texts)
            delta = so_far.others
            changed = [each.path for each in delta.changes if each.status != "D"] if delta else []
            wanted = list(dict.fromkeys((*targets_of(subtask, listing, most(Input.TARGETS)), *changed)))
            wanted = wanted[: most(Input.TARGETS)]
            targets = list(reading.sections(Part.TARGET, wanted))
            found = (imports_of(target.name, target.text, listing, reading.settings_of) for target in targets)
            imports = (path for paths in found for path in paths)
            related = (path for target in targets for path in related_to(target.name, listing))
            around = [
                *gathering.always(),
                *gathering.imports(islice(imports, most(Input.IMPORTS))),
                *gathering.changes(so_far.diff),
                *reading.sections(Part.RELATED, islice(related, most(Input.TESTS))),
                *gathering.rest(),
            ]
            sections = [self._texts.section(Part.TASK, "the subtask", task_text(subtask))]
            sections += [*self._done(delta, strategy), *targets, *around]
            names = [target.name for target in targets] or list(subtask.files)
            sections += reading.head(_readme(listing), most(Input.README))
            sections += self._tree(listing, names, most(Input.TREE))
            return pack(sections, strategy.room, self._counts, reading.skipped)
        finally:
            tree.close()

    def _done(self, delta: Delta | None, strategy: Strategy) -> Iterator[Section]:
        """What others changed, in a third of the room, for the files themselves are there as well."""
        if delta is None:
            return
        diff, _ = shown_diff(delta.diff)
        name = f"what the other subtasks changed, from {delta.before[:10]} on"
        yield self._texts.section(Part.TARGET, name, cut(diff, PER_TOKEN * strategy.budget // 3))

    def _review(self, checkout: Checkout, delta: Delta, strategy: Strategy, listing: Listing) -> ReviewPack:
        diff, unread = shown_diff(delta.diff)
        most, tree = strategy.most, self._open_tree(checkout.workspace.path)
        plan = cut(agreed := clean(delta.plan), most(Input.PLAN))
        unread += ["the end of the approved plan"] if len(plan) < len(agreed) else []
        unread += [f"{delta.cut:,} bytes at the end of the difference"] if delta.cut else []
        changes = [f"{c.status} {cut(clean(c.path), 200)} (+{c.added} −{c.removed})" for c in delta.changes[:LIST]]
        changes += [f"… and {len(delta.changes) - LIST:,} more"] if len(delta.changes) > LIST else []
        said = "\n".join((f"From {delta.before} to {delta.after}.", *changes))
        fixed = [
            self._texts.section(Part.TASK, "the approved plan", plan),
            self._texts.section(Part.TASK, "what changed", said),
        ]
        changed = (change.path for change in delta.changes if change.status not in "AD")  # a new file is in it as it is
        try:
            without = partial(left_aside, strategy)
            reading = Reading(tree, self._texts, most=2 * strategy.budget, only=listing.files, without=without)
            gathering = Gathering(strategy=strategy, listing=listing, reading=reading, texts=self._texts)
            around = [
                *gathering.always(),
                *reading.sections(Part.IMPORTS, islice(changed, most(Input.CHANGED_FILES))),
                *gathering.rest(),
            ]
        finally:
            tree.close()
        packing = _DiffPacking(self._texts, fixed, strategy.room, (*unread, *reading.skipped))
        given = packing.whole(diff, around) if len(diff) <= most(Input.DIFF) else None
        texts, pieces = given or packing.in_parts(diff, most(Input.DIFF))
        found = _review_pack(texts, pieces, lines_of(delta.changes), unread)
        return replace(found, packed=tuple(made for made in packing.made if made.text in texts))

    def _tree(self, listing: Listing, near: Iterable[str], tokens: int) -> Iterator[Section]:
        if not tokens:
            return
        lines, size, left = list[str](), 0, 0
        for line in tree_lines(listing, near):
            size += len(line)
            if size <= PER_TOKEN * tokens:
                lines.append(line)
            else:
                left += 1
        more = [f"… and {left:,} more folders"] if left else []
        more += [f"… and {listing.more:,} more files that are not listed"] if listing.more else []
        yield self._texts.section(Part.TREE, f"{len(listing.files) + listing.more:,} files", "\n".join((*lines, *more)))


class _DiffPacking:
    """Packs a difference beside what every part of it needs."""

    def __init__(self, texts: Texts, fixed: list[Section], room: Room, skipped: Sequence[str]) -> None:
        self._texts = texts
        self._fixed = fixed
        self._room = room
        self._skipped = skipped
        self.made: list[Packed] = []

    def whole(self, diff: str, around: list[Section]) -> tuple[list[str], list[DiffPart]] | None:
        """In one pack, with other files where there is room for them; None if it must be cut."""
        text = self._pack_with(DIFFERENCE, diff, around) if len(diff) <= PART_MOST else None
        return ([text], split(diff, len(diff) + 1)) if text is not None else None

    def in_parts(self, diff: str, most: int) -> tuple[list[str], list[DiffPart]]:
        """The packs, and all pieces of the difference: those beyond the packs nobody reads."""
        size = min(PART_MOST, PER_TOKEN * self._room.budget, most)
        while size >= PART_LEAST:
            pieces = split(diff, size)
            count = min(len(pieces), MOST_PARTS, most // size)
            names = [f"{DIFFERENCE}, part {at} of {len(pieces)}" for at in range(1, count + 1)]
            texts = [self._pack_with(name, piece.text) for name, piece in zip(names, pieces, strict=False)]
            if all(text is not None for text in texts):
                return [text for text in texts if text is not None], pieces
            size = size * 2 // 3
        raise PackTooTight(self._room.budget + 1, self._room.budget, "The task and a part of the difference")

    def _pack_with(self, name: str, diff: str, around: Sequence[Section] = ()) -> str | None:
        """None if the difference was cut to fit."""
        section = self._texts.section(Part.TARGET, name, diff)
        made = pack([*self._fixed, section, *around], self._room, self._texts.counts, self._skipped)
        if name in made.cut:
            return None
        self.made.append(made)
        return made.text


def _review_pack(texts: list[str], pieces: list[DiffPart], lines: int, unread: list[str]) -> ReviewPack:
    """Whatever is in no text is named, also where the counts do not agree."""
    read = sum(piece.changed for piece in pieces[: len(texts)])
    if left := pieces[len(texts) :]:
        path = path_in(left[0].text.partition("\n")[0].removesuffix(" (goes on)"))
        unread = [*unread, f"{sum(piece.changed for piece in left):,} changed lines, from {path} on"]
    elif read < lines and not unread:
        unread = [f"{lines - read:,} changed lines"]
    return ReviewPack(parts=tuple(texts), read=read, lines=lines, unread=tuple(unread))


def _files_in(folder: Path) -> Iterator[str]:
    """What the host wrote there, the public API first; links are none of it."""
    for path in sorted(folder.rglob("*"), key=lambda each: (each.suffix != ".md", each.parts)):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix()


def targets_of(subtask: Subtask, listing: Listing, most: int) -> list[str]:
    """Paths as they stand, files beneath folders, and what patterns match; the first few."""
    found = dict[str, None]()
    for path in subtask.files[:LIST]:
        found.update(dict.fromkeys(islice(_meant(path, listing), most)))
    return list(found)[:most]


def _meant(path: str, listing: Listing) -> Iterator[str]:
    if "*" in path or "?" in path:
        return (file for file in listing.files if matches(file, path))
    if path in listing or path.rstrip("/") not in listing.folders:
        return iter((path,))
    return listing.beneath(path)


def task_text(subtask: Subtask) -> str:
    lines = [
        f"{subtask.number}. {cut(clean(subtask.title), FIELD)}",
        f"Why: {cut(clean(subtask.why), FIELD)}",
        f"Shown to work by: {cut(clean(subtask.test), FIELD)}" if subtask.test else "",
        f"Files: {', '.join(cut(clean(path), 200) for path in subtask.files[:LIST])}" if subtask.files else "",
        f"… and {len(subtask.files) - LIST:,} more files" if len(subtask.files) > LIST else "",
    ]
    return "\n".join(line for line in lines if line)


def _readme(listing: Listing) -> str:
    names = (name for name in listing.folders.get("", ()) if name.casefold().startswith("readme"))
    return min(names, key=len, default="")


Window = Callable[[], Awaitable[int | None]]


async def _no_window() -> None:
    """As much as is asked for."""


class Commits(Protocol):
    """What a review reads of the branches."""

    async def difference(self, project: str, base: str, commit: str) -> tuple[str, int]: ...

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]: ...

    def lend(self, project: str, commit: str) -> AbstractAsyncContextManager[Workspace]: ...


async def delta_of(commits: Commits, task: Task, base: str, commit: str) -> Delta:
    """What changed between two commits, beside what was agreed to."""
    project = task.project or ""
    diff, left = await commits.difference(project, base, commit)
    changes = tuple(await commits.changes(project, base, commit))
    return Delta(plan=plan_text(task), before=base, after=commit, diff=diff, cut=left, changes=changes)


class WorkPacks:
    """Implements agents.ports.Packs. `context_of` says what a role reads at a step of such a `context_scope`;
    `read_skills` reads those committed in a project, with ours beneath them."""

    def __init__(
        self,
        packer: Packer,
        commits: Commits,
        context_of: Callable[[str, str, Base], Strategy],
        read_skills: Callable[[Checkout], Awaitable[Sequence[Skill]]],
    ) -> None:
        self._packer, self._commits, self._context_of, self._read_skills = packer, commits, context_of, read_skills
        self._skills = Recent[tuple[str, str], Sequence[Skill]](SKILLS_KEPT)
        self._window: Window = _no_window

    def bounded_by(self, window: Window) -> "WorkPacks":
        """For a model that takes so many tokens at once."""
        made = copy(self)
        made._window = window
        return made

    async def _context(self, role: str, scope: str, base: Base) -> Strategy:
        """A pack takes half of what the model takes; the rest is for rules, talk and answers."""
        wanted, window = self._context_of(role, scope, base), await self._window()
        return replace(wanted, token_budget=min(wanted.token_budget, window // 2)) if window else wanted

    async def for_review(self, task: Task, work: Work, commit: str, role: str, scope: str = "") -> ReviewPack:
        project, delta = task.project or "", await delta_of(self._commits, task, work.base, commit)
        async with self._commits.lend(project, commit) as workspace:
            shown = Checkout(project=project, branch=work.branch, base=work.base, head=commit, workspace=workspace)
            return await self._packer.for_review(shown, delta, await self._context(role, scope, Base.REVIEWER))

    async def for_work(self, brief: Brief) -> str:
        context = await self._context(brief.step.role, brief.step.context_scope, Base.IMPLEMENTER)
        if brief.checkout.blind:
            return await asyncio.to_thread(self._packer.for_blind, brief.checkout, brief.subtask, context)
        return await self._packer.for_work(brief.checkout, brief.subtask, context, await self._so_far(brief))

    async def _so_far(self, brief: Brief) -> BranchSoFar:
        """Asked of the repository: a minion's folder may say anything."""
        at, work = brief.checkout, brief.work
        if brief.task.plan.is_closing(brief.subtask.number):
            others = await delta_of(self._commits, brief.task, brief.task.work.base, at.head)
            return BranchSoFar(others=others, attempt=work.attempt)
        if not work.base or at.head == work.base:
            return BranchSoFar(attempt=work.attempt)
        diff, _ = await self._commits.difference(at.project, work.base, at.head)
        return BranchSoFar(diff=clean(diff), attempt=work.attempt)

    async def skills_for(self, brief: Brief) -> Sequence[Skill]:
        """What the subtask calls for comes first."""
        if brief.checkout.blind:  # they are the project's words on how it is made
            return ()
        subtask, key = brief.subtask, (brief.checkout.project, brief.checkout.base)
        found = self._skills.get(key) or self._skills.keep(key, await self._read_skills(brief.checkout))
        first = suggest(found, f"{brief.task.request.text} {subtask.title} {subtask.why}", subtask.files)
        return [*first, *(skill for skill in found if skill not in first)]
