"""Looks through what is committed in a project for what tells which packs of roles it needs. Nothing of it is run."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.domain.project.role_packs import Clue, Seen, looked_at, propose
from agents.workspace.git import objects

MOST_READ = 60  # files
LARGEST = 256 * 1024  # bytes of one


async def find_packs(repository: Path, clues: Mapping[str, Sequence[Clue]], commit: str = "HEAD") -> list[Seen]:
    """Raises GitFailed."""
    entries = await objects.entries(repository, commit)
    plain = {path for path, entry in entries.items() if entry.mode.startswith("100")}
    wanted = [entries[path] for path in looked_at(plain, clues) if entries[path].size <= LARGEST][:MOST_READ]
    found = await objects.blobs(repository, wanted)
    return propose(plain, {path: body.decode(errors="replace") for path, body in found.items()}, clues)
