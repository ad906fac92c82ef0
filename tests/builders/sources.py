"""The program's own files, for tests that read them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def _texts() -> dict[str, str]:
    paths = (path for room in ("agents", "bot", "store") for path in (ROOT / room).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}


def files_with(word: str) -> Iterator[tuple[str, ast.Module]]:
    """Each file in which a word stands, taken apart; the others are not worth the time."""
    return ((place, ast.parse(text)) for place, text in _texts().items() if word in text)
