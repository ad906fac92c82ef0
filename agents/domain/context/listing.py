"""The files of one commit, and what can be found among them by name alone: tests, siblings, the tree."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

MOST_RELATED = 12
MOST_NAMES = 60  # of one folder, in the tree

_TEST_WORDS = re.compile(r"^test[_-]|[._-](test|tests|spec)$|(?<=[a-z])(Test|Tests|Spec)$")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Paths of plain files with their blob ids; `more` are there and not listed."""

    files: Mapping[str, str] = field(repr=False)
    more: int = 0

    def __contains__(self, path: str) -> bool:
        return path in self.files

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """Names in each folder."""
        found = dict[str, list[str]]()
        for path in self.files:
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, []).append(name)
        return found

    @cached_property
    def by_stem(self) -> dict[str, list[str]]:
        """Files by what they are about: test_codes.py, codes.py and codes.test.ts are all about codes."""
        found = dict[str, list[str]]()
        for path in self.files:
            found.setdefault(stem(path), []).append(path)
        return found

    def beneath(self, folder: str) -> Iterator[str]:
        return (path for path in self.files if path.startswith(f"{folder.rstrip('/')}/"))


def stem(path: str) -> str:
    name = path.rpartition("/")[2]
    base = name.rpartition(".")[0] or name
    while (bare := _TEST_WORDS.sub("", base)) != base and bare:
        base = bare
    return base.casefold()


def _named_as_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _TEST_WORDS.search(name.rpartition(".")[0]) is not None


def related_to(path: str, listing: Listing) -> list[str]:
    """What has the same name: its tests, or what it tests, nearest first."""
    same = sorted(listing.by_stem.get(stem(path), ()), key=lambda other: (-_shared(path, other), other))
    return first_of(
        (other for other in same if _named_as_test(other) != _named_as_test(path)), MOST_RELATED, besides={path}
    )


def tree_lines(listing: Listing, near: Iterable[str]) -> Iterator[str]:
    """A line a folder, those that the work is near to first."""
    places = {path.rpartition("/")[0] for path in near}
    tops = {place.partition("/")[0] for place in places}

    def distance(folder: str) -> tuple[int, int, str]:
        rank = 0 if folder in places else 1 if folder.partition("/")[0] in tops else 2
        return rank, folder.count("/"), folder

    for folder in sorted(listing.folders, key=distance):
        names = listing.folders[folder]
        more = f" (+{len(names) - MOST_NAMES:,})" if len(names) > MOST_NAMES else ""
        yield f"{folder or '.'}/: {' '.join(names[:MOST_NAMES])}{more}"


def first_of(paths: Iterable[str], most: int, besides: set[str]) -> list[str]:
    found = dict[str, None]()
    for path in paths:
        if path not in besides:
            found[path] = None
        if len(found) == most:
            break
    return list(found)


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common, from either end."""
    return sum(a == b for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False))
