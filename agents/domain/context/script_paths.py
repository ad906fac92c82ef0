"""Where TypeScript looks for a module: `paths` and `baseUrl` of tsconfig.json, which may extend others."""

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

CONFIGS = ("tsconfig.json", "jsconfig.json")
MOST_CONFIGS = 12  # files that one leads to
MOST_PATTERNS, MOST_TARGETS = 200, 8
# These always match, closed or not, so that reading takes time by length alone.
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|,(?=\s*+[}\]])')

ReadText = Callable[[str], str]  # empty: it cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptPaths:
    """Patterns with at most one star, and the folder that bare names are looked up in; from the root of the tree."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None

    def places(self, wanted: str) -> Iterator[str]:
        """Where such a module may be, without its ending, the likeliest first."""
        fitting = [(pattern, targets) for pattern, targets in self.patterns if _star(pattern, wanted) is not None]
        for pattern, targets in sorted(fitting, key=_exactness)[:1]:
            yield from (target.replace("*", _star(pattern, wanted) or "", 1) for target in targets)
        if self.base is not None:
            yield f"{self.base}/{wanted}".lstrip("/")


def _exactness(entry: tuple[str, tuple[str, ...]]) -> tuple[bool, int]:
    """As tsc chooses: without a star first, then the longest beginning."""
    return "*" in entry[0], -len(entry[0].partition("*")[0])


def _star(pattern: str, wanted: str) -> str | None:
    """What stands for the star; None: it does not fit."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if wanted == pattern else None
    long_enough = len(wanted) >= len(start) + len(end)
    fits = long_enough and wanted.startswith(start) and wanted.endswith(end)
    return wanted[len(start) : len(wanted) - len(end)] if fits else None


def script_paths(path: str, listing: Container[str], read: ReadText) -> ScriptPaths:
    """Of the nearest folder above a file whose settings say anything about it."""
    folders = path.split("/")[:-1]
    for end in range(len(folders), -1, -1):
        for name in CONFIGS:
            config = "/".join((*folders[:end], name))
            if config in listing and (found := _follow(config, listing, read, set())) != ScriptPaths():
                return found
    return ScriptPaths()


def _follow(config: str, listing: Container[str], read: ReadText, seen: set[str]) -> ScriptPaths:
    """What a file says wins over what it extends, and that over what it refers to."""
    if config in seen or len(seen) >= MOST_CONFIGS:
        return ScriptPaths()
    seen.add(config)
    said = parse_with_comments(read(config))
    here = config.split("/")[:-1]
    found = _own(said, here)
    for wanted in (*_extended(said), *_referred(said)):
        near = (place for place in _named(here, wanted) if place in listing)
        if (other := next(near, None)) and not (found.patterns and found.base is not None):
            more = _follow(other, listing, read, seen)
            base = more.base if found.base is None else found.base
            found = ScriptPaths(patterns=found.patterns or more.patterns, base=base)
    return found


def _own(said: Mapping[str, object], here: list[str]) -> ScriptPaths:
    options = said.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    wanted, paths = options.get("baseUrl"), options.get("paths")
    base = inside(here, wanted) if isinstance(wanted, str) else None
    start = here if base is None else [part for part in base.split("/") if part]
    patterns = [
        (pattern, tuple(place for each in targets[:MOST_TARGETS] if (place := inside(start, str(each))) is not None))
        for pattern, targets in list(paths.items() if isinstance(paths, dict) else ())[:MOST_PATTERNS]
        if isinstance(targets, list) and pattern.count("*") <= 1
    ]
    return ScriptPaths(patterns=tuple(patterns), base=base)


def _extended(said: Mapping[str, object]) -> Iterator[str]:
    """The last one wins over those before it. What is no path is a package, and those are not in the project."""
    named = said.get("extends")
    every = named if isinstance(named, list) else [named]
    yield from (each for each in reversed(every) if isinstance(each, str) and each.startswith("."))


def _referred(said: Mapping[str, object]) -> Iterator[str]:
    named = said.get("references")
    for each in named if isinstance(named, list) else ():
        if isinstance(each, dict) and isinstance(path := each.get("path"), str):
            yield path


def _named(here: list[str], wanted: str) -> Iterator[str]:
    if (place := inside(here, wanted)) is not None:
        yield from (place, f"{place}.json", f"{place}/{CONFIGS[0]}".lstrip("/"))


def inside(here: list[str], wanted: str) -> str | None:
    """A path from a folder; None: it climbs out of the tree."""
    parts = list(here)
    for part in wanted.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def parse_with_comments(text: str) -> Mapping[str, object]:
    """JSON as tsc reads it: with comments and last commas. What is no mapping is empty."""
    bare = _LAST_COMMA.sub(r"\1", _COMMENT.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff")))
    try:
        said = json.loads(bare)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
