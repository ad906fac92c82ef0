"""The files of one commit, and what can be found among them by name alone: imports, tests, siblings, the tree."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

MOST_IMPORTS, MOST_RELATED = 24, 12
MOST_NAMES = 60  # of one folder, in the tree

# Patterns and no parser: parsing code that somebody hostile wrote may end the whole process.
_PYTHON = re.compile(
    r"^[ \t]{0,40}(?:from[ \t]{1,9}([.\w]{1,200})[ \t]{1,9}import[ \t]{0,9}(\([^()]{0,2000}\)|[^\n]{0,500})"
    r"|import[ \t]{1,9}([^\n]{1,500}))",
    re.M,
)
_SCRIPT = re.compile(r"""(?:\bfrom|\brequire\(|\bimport\(?)\s{0,5}["']([./@~][^"'\n]{0,200})["']""")
_GO = re.compile(r'^[ \t]{0,9}(?:import[ \t]{1,9})?(?:[\w.]{1,50}[ \t]{1,9})?"([\w./~-]{3,200})"', re.M)
_NAME = re.compile(r"[A-Za-z_]\w{0,100}")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
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


def imports_of(path: str, text: str, listing: Listing) -> list[str]:
    """Files of the project that this one imports, in the order in which it names them."""
    if path.endswith((".py", ".pyi")):
        found = _python(path, text, listing)
    elif path.endswith(_SCRIPTS):
        found = _script(path, text, listing)
    elif path.endswith(".go"):
        found = _go(text, listing)
    else:
        return []
    return _first(found, MOST_IMPORTS, besides={path})


def related_to(path: str, listing: Listing) -> list[str]:
    """What has the same name: its tests, or what it tests, nearest first."""
    same = sorted(listing.by_stem.get(stem(path), ()), key=lambda other: (-_shared(path, other), other))
    return _first(
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


def _first(paths: Iterable[str], most: int, besides: set[str]) -> list[str]:
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


def _python(path: str, text: str, listing: Listing) -> Iterator[str]:
    package = path.split("/")[:-1]
    roots = ["", "src/", *("/".join(package[:end]) + "/" for end in range(1, len(package) + 1))]
    for found in _PYTHON.finditer(text):
        module, names, plain = found.groups()
        for wanted in _modules(module, names, plain, package):
            yield from chain.from_iterable(_python_file(root + wanted, listing) for root in roots)


def _modules(module: str | None, names: str | None, plain: str | None, package: list[str]) -> Iterator[str]:
    """Paths without an ending: of the names that may be modules first, then of the module itself."""
    if plain is not None:
        yield from (each.split()[0].replace(".", "/") for each in plain.split(",") if each.split())
        return
    bare = (module or "").lstrip(".")
    up = len(module or "") - len(bare)
    base = package[: len(package) - up + 1] if up else []
    start = "/".join((*base, *(bare.split(".") if bare else ())))
    for name in _NAME.findall((names or "").partition("#")[0])[:50]:
        yield f"{start}/{name}" if start else name
    if start:
        yield start


def _python_file(base: str, listing: Listing) -> Iterator[str]:
    return (made for made in (f"{base}.py", f"{base}/__init__.py") if made in listing)


def _script(path: str, text: str, listing: Listing) -> Iterator[str]:
    here = path.split("/")[:-1]
    for found in _SCRIPT.finditer(text):
        wanted = found[1]
        if wanted.startswith(("@/", "~/")):
            bases = [f"{root}{wanted[2:]}" for root in ("src/", "", "app/")]
        elif wanted.startswith("."):
            bases = [resolve_path(here, wanted)]
        else:
            continue
        endings = ("", *_SCRIPTS, ".json", *(f"/index{end}" for end in _SCRIPTS))
        for base in bases:
            bare = base.removesuffix(".js")
            yield from (made for start in (base, bare) for end in endings if (made := start + end) in listing)


def resolve_path(here: list[str], wanted: str) -> str:
    """A relative path from a folder. What climbs out of the tree is found nowhere."""
    parts = list(here)
    for part in wanted.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _go(text: str, listing: Listing) -> Iterator[str]:
    for found in _GO.finditer(text[:20_000]):
        parts = found[1].split("/")
        for start in range(min(len(parts), 12)):
            folder = "/".join(parts[start:])
            if folder in listing.folders:
                names = (name for name in listing.folders[folder] if name.endswith(".go"))
                yield from (f"{folder}/{name}" for name in names if not name.endswith("_test.go"))
                break
