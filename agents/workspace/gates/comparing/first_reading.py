"""What the gate would find by reading the tests in a minion's folder, told before the work is handed in."""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from agents.domain.checks.file_kinds import is_test
from agents.domain.checks.python_tests import compare, lost_tests, weaker_functions
from agents.workspace.files.safe_open import NotThere, Tree
from agents.workspace.gates.comparing.new_tests import WORDS
from agents.workspace.gates.originals import few
from agents.workspace.git import objects

FILES_MOST, LARGEST = 2_000, 400_000
_NOT_THEIRS = frozenset({".git", "node_modules", ".venv", "__pycache__"})


async def read_before(repository: Path, base: str) -> dict[str, str]:
    """Python test files of a commit. Raises GitFailed."""
    there = await objects.entries(repository, base)
    wanted = [entry for path, entry in there.items() if _is_read(path) and entry.size <= LARGEST][:FILES_MOST]
    found = await objects.blobs(repository, wanted)
    return {path: content.decode(errors="replace") for path, content in found.items()}


def read_now(folder: Path) -> dict[str, str]:
    """Those of a folder that belongs to a minion: no link is followed."""
    found = dict[str, str]()
    with closing(Tree(folder)) as tree:
        for path in _paths(folder):
            try:
                found[path] = tree.read(path, LARGEST).decode(errors="replace")
            except (OSError, NotThere):
                continue
            if len(found) == FILES_MOST:
                break
    return found


def _paths(folder: Path) -> Iterator[str]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _NOT_THEIRS)
        start = os.path.relpath(at, folder)
        for name in sorted(names):
            path = name if start == "." else f"{start}/{name}"
            if _is_read(path):
                yield path


def _is_read(path: str) -> bool:
    return path.endswith(".py") and is_test(path)


def findings(before: Mapping[str, str], now: Mapping[str, str], *, changes_tests: bool) -> tuple[str, ...]:
    """`changes_tests`: the plan allows to change what was there; a person will be asked."""
    touched = {path for path in {*before, *now} if before.get(path) != now.get(path)}
    kept = ({path: texts[path] for path in touched if path in texts} for texts in (before, now))
    changes = compare(*kept).changes
    found = [
        f"{each.path}::{each.name} {WORDS[each.after.hollow]}"
        for each in changes
        if each.before is None and each.after is not None and each.after.is_test and each.after.hollow
    ]
    if not changes_tests:
        if lost := lost_tests(changes):
            found.append(f"tests that were there are gone: {few([each.name for each in lost])}")
        if weaker := weaker_functions(changes):
            found.append(f"these cannot fail any more, or assert less than before: {few([e.name for e in weaker])}")
    return tuple(found)
