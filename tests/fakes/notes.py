"""Notes of a project as the commits of tests' checkouts have them."""

from collections.abc import Mapping

from agents.knowledge.repository_notes import RepositoryNotes
from tests.fakes.work import MemoryCheckouts


def notes_in(checkouts: MemoryCheckouts, files: Mapping[str, str]) -> RepositoryNotes:
    """`files` are there from the beginning."""

    async def tip(project: str) -> str:
        return checkouts.theirs["main"]

    async def read(project: str, commit: str) -> dict[str, bytes | None]:
        line = [commit]
        while line[-1] in checkouts.before:
            line.append(checkouts.before[line[-1]])
        found: dict[str, bytes | None] = {path: text.encode() for path, text in files.items()}
        for each in reversed(line):
            found |= checkouts.written.get(each, {})
        return found

    return RepositoryNotes(tip, read, str, len)
