"""Reads the notes of a project at a commit, and chooses among them for a prompt."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from agents.domain.context.packing import Count
from agents.domain.errors import OverlordError
from agents.domain.knowledge.choosing import Choice, choose_notes, note_text
from agents.domain.knowledge.document import Note, Problem
from agents.domain.knowledge.shelf import EMPTY, Shelf, read_shelf
from agents.domain.knowledge.writing import NOTHING, Writing, Written, write_notes
from agents.domain.text.redact import Redact

KEPT = 16  # commits whose notes are kept ready
AROUND = 4  # tokens of a note's own lines beside its text
log = logging.getLogger("overlord.knowledge")

FindTip = Callable[[str], Awaitable[str]]  # the commit that a project's branch is at; empty: it is not here
ReadFolder = Callable[[str, str], Awaitable[Mapping[str, bytes | None]]]  # what lies in its folder of notes at a commit


class RepositoryNotes:
    """Implements agents.ports.Knowledge."""

    def __init__(self, tip: FindTip, read: ReadFolder, redact: Redact, count: Count) -> None:
        self._tip, self._read, self._redact, self._count = tip, read, redact, count
        self._kept = dict[tuple[str, str], Shelf]()
        self._warned = set[str]()

    async def shelf(self, project: str, commit: str = "") -> Shelf:
        """Advice fails open: a project whose notes cannot be read has none, and the log says so once."""
        return await self._find(project, commit) or EMPTY

    async def _find(self, project: str, commit: str) -> Shelf | None:
        """None: they cannot be read."""
        try:
            at = commit or await self._tip(project)
            if known := self._kept.get((project, at)):
                return known
            files = await self._read(project, at) if at else {}
        except (OverlordError, OSError) as problem:
            if project not in self._warned:
                self._warned.add(project)
                log.warning("The notes of %s cannot be read, so prompts go without them: %s", project, problem)
            return None
        shelf = await asyncio.to_thread(read_shelf, files, self._redact, at)
        self._kept[project, at] = shelf
        while len(self._kept) > KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return shelf

    async def choose(self, project: str, commit: str, about: str) -> Choice:
        shelf = await self.shelf(project, commit) if project else EMPTY
        left = tuple((_place(each), each.what) for each in shelf.problems)
        if not shelf.notes:
            return Choice(left_out=left)
        return replace(await asyncio.to_thread(choose_notes, shelf.notes, about, self._size), left_out=left)

    async def write(self, project: str, commit: str, writings: Sequence[Writing]) -> Written:
        """Beside those that are there. Where these cannot be read nothing is written: it might replace them."""
        shelf = await self._find(project, commit) if writings else None
        if shelf is None:
            return NOTHING
        return await asyncio.to_thread(write_notes, shelf.by_name, writings, self._redact)

    async def all_notes(self, project: str, commit: str) -> Sequence[Note]:
        """For whoever searches them."""
        return (await self.shelf(project, commit)).notes

    def _size(self, note: Note) -> int:
        return self._count(note_text(note)) + AROUND


def _place(problem: Problem) -> str:
    return f"{problem.path}, line {problem.line}" if problem.line else problem.path
