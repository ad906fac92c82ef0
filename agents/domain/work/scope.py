"""Which paths a minion may write. Whatever is unclear is no."""

import json
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.errors import OverlordError

LONGEST = 4096
# C10: never opened by inference, whatever the scope says; a person must name such a path itself.
STANDING_DENY = (
    ".github/workflows/**",
    ".gitlab-ci.yml",
    ".env*",
    "**/.env*",
    ".overlord/**",
    "docs/knowledge/**",
    "overlord.yaml",
    ".gitmodules",
    ".gitattributes",
    "**/.gitattributes",
)
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


class ScopeMode(StrEnum):
    UNRESTRICTED = "unrestricted"  # an explicit choice of a person, never inferred
    DIRECTORY = "directory"
    EXPLICIT = "explicit"


class OutOfScope(OverlordError):
    """A write that may not be. The minion is told how to ask; the diff gate says no a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    mode: ScopeMode
    patterns: tuple[str, ...] = ()

    def refuse(self, path: str) -> str | None:
        """Why this path may not be written; None if it may."""
        if problem := odd_path(path):
            return problem
        named = path in self.patterns
        if not named and any(matches(path, deny) for deny in STANDING_DENY):
            return f"{path} is on the standing deny list; only a person can allow it, by name"
        if self.mode is ScopeMode.UNRESTRICTED or named:
            return None
        if self.mode is ScopeMode.DIRECTORY and any(matches(path, pattern) for pattern in self.patterns):
            return None
        allowed = ", ".join(self.patterns) or "nothing"
        return (
            f"{path} is outside what this subtask may write ({allowed}); ask for more with request_scope if you need it"
        )

    def dump(self) -> str:
        """As MINION_SCOPE carries it."""
        return json.dumps({"mode": self.mode, "patterns": list(self.patterns)})


def parse_scope(text: str) -> Scope:
    """C12: a list is directory mode. Broken or empty means that nothing may be written, never everything."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise OutOfScope(
            f"MINION_SCOPE is not JSON ({error})", next_step="The host must pass a list or an object."
        ) from error
    if isinstance(value, list):
        value = {"mode": ScopeMode.DIRECTORY, "patterns": value}
    if not isinstance(value, dict) or set(value) - {"mode", "patterns"}:
        raise OutOfScope("MINION_SCOPE has an unknown shape", next_step='Pass a list, or {"mode", "patterns"}.')
    patterns = value.get("patterns", [])
    modes = {mode.value for mode in ScopeMode}
    if value.get("mode") not in modes or not isinstance(patterns, list):
        raise OutOfScope("MINION_SCOPE names an unknown mode", next_step=f"Use one of {', '.join(sorted(modes))}.")
    if not all(isinstance(p, str) and p and not odd_pattern(p) for p in patterns):
        raise OutOfScope("MINION_SCOPE has a pattern that is no path", next_step="Use paths inside the project.")
    return Scope(mode=ScopeMode(value["mode"]), patterns=tuple(patterns))


def odd_path(path: str) -> str | None:
    """Names that no honest write has: they climb, hide, or mean something else on another machine."""
    if not path or len(path.encode(errors="surrogatepass")) > LONGEST:
        return "the path is empty or longer than 4,096 bytes"
    if path.startswith(("/", "~")) or "\\" in path:
        return "the path must lie inside the workspace, written with forward slashes"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") for c in path):
        return "the path has characters that cannot be seen"
    if unicodedata.normalize("NFC", path) != path:
        return "the path is not in Unicode's composed form (NFC)"
    return next((problem for part in path.split("/") if (problem := _odd_part(part))), None)


def _odd_part(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "the path climbs or has an empty part"
    if part.casefold().rstrip(". ") in (".git", ".git~1", "git~1"):
        return "nothing under .git is written"
    if part.startswith("-"):
        return "a name that begins with a dash reads like an option"
    if part != part.rstrip(". ") or _RESERVED.match(part):
        return "the name means something else on another machine"
    return None


def odd_pattern(pattern: str) -> str | None:
    """A pattern is a path in which *, ? and ** may stand."""
    return odd_path(re.sub(r"[*?]+", "x", pattern))


def matches(path: str, pattern: str) -> bool:
    """By segment: `*` stays within one, `**` spans any number of them."""
    return _match(tuple(path.split("/")), tuple(pattern.split("/")))


def _match(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """One pass from each reachable place in the pattern: linear in both, whatever stars there are."""
    places = {0}
    for part in path:
        places = _skip_stars(places, pattern)
        places = {
            after
            for place in places
            if place < len(pattern)
            for after in ((place,) if pattern[place] == "**" else (place + 1,))
            if pattern[place] == "**" or _segment(part, pattern[place])
        }
        if not places:
            return False
    return len(pattern) in _skip_stars(places, pattern)


def _skip_stars(places: set[int], pattern: tuple[str, ...]) -> set[int]:
    """`**` may also stand for no segment at all."""
    found = set(places)
    for place in sorted(places):
        while place < len(pattern) and pattern[place] == "**":
            place += 1
            found.add(place)
    return found


def _segment(text: str, pattern: str) -> bool:
    """`*` and `?` within one segment, without a regex: going back only to the last star keeps it quick."""
    at = place = 0
    star, mark = -1, 0
    while at < len(text):
        if place < len(pattern) and pattern[place] == "*":
            star, mark = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            mark += 1
            at, place = mark, star + 1
        else:
            return False
    return all(c == "*" for c in pattern[place:])


def paths_in(words: str) -> tuple[str, ...]:
    """Paths a person named, a line or a comma apart; a folder covers what is in it. What is no path is left out."""
    named = (part.strip().strip("`\"'") for line in words.splitlines() for part in line.split(","))
    patterns = (f"{path}**" if path.endswith("/") else path for path in named if path)
    return tuple(dict.fromkeys(pattern for pattern in patterns if not odd_pattern(pattern)))


def paths_within(text: str) -> tuple[str, ...]:
    """Words in a sentence that can only be paths."""
    words = (word.strip("`\"'()").rstrip(".,;:") for word in re.split(r"[\s,;]+", text))
    return paths_in("\n".join(word for word in words if re.search(r"[/*]|\w\.\w", word)))


def widen(scope: Scope, paths: tuple[str, ...]) -> Scope:
    patterns = tuple(dict.fromkeys((*scope.patterns, *paths)))
    if scope.mode is ScopeMode.UNRESTRICTED:
        return Scope(mode=ScopeMode.UNRESTRICTED, patterns=patterns)
    loose = any("*" in pattern for pattern in patterns)
    return Scope(mode=ScopeMode.DIRECTORY if loose else ScopeMode.EXPLICIT, patterns=patterns)
