"""Paths that are two files here and one where small and large letters are alike."""

import unicodedata
from collections.abc import Iterable, Iterator


def twins(added: Iterable[str], there: Iterable[str]) -> list[tuple[str, str]]:
    """Each added path, or a folder of it, with the other spelling of it that is there or was added before."""
    spelled = dict[str, str]()
    for path in there:
        for each in _with_folders(path, spelled):
            spelled.setdefault(_folded(each), each)
    found = dict[str, str]()
    for path in added:
        for each in _with_folders(path, {}):
            other = spelled.setdefault(_folded(each), each)
            if other != each:
                found.setdefault(each, other)
    return list(found.items())


def _with_folders(path: str, known: dict[str, str]) -> Iterator[str]:
    """The path and the folders above it, from below, as far as they are not known."""
    while path and known.get(_folded(path)) != path:
        yield path
        path = path.rpartition("/")[0]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
