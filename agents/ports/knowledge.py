"""What a project has learnt, as it is committed."""

from collections.abc import Sequence
from typing import Protocol

from agents.domain.knowledge.choosing import Choice
from agents.domain.knowledge.shelf import EMPTY, Shelf
from agents.domain.knowledge.writing import NOTHING, Writing, Written


class Knowledge(Protocol):
    """Notes in `docs/knowledge`, never read from a minion's folder. What cannot be read is none, with a warning."""

    async def shelf(self, project: str, commit: str = "") -> Shelf:
        """All of them at a commit; at the project's own branch, where none is named."""

    async def choose(self, project: str, commit: str, about: str) -> Choice:
        """Those that a prompt on this shows, within its budget."""

    async def write(self, project: str, commit: str, writings: Sequence[Writing]) -> Written:
        """The files that bring these changes into the notes of a commit. Nothing is written by it."""


class NoKnowledge:
    """Of projects that have no notes."""

    async def shelf(self, project: str, commit: str = "") -> Shelf:
        return EMPTY

    async def choose(self, project: str, commit: str, about: str) -> Choice:
        return Choice()

    async def write(self, project: str, commit: str, writings: Sequence[Writing]) -> Written:
        return NOTHING


NO_KNOWLEDGE = NoKnowledge()
