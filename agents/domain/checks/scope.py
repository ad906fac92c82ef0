"""Which paths a minion may write, and which are one file on another machine. Whatever is unclear is no."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase

LONGEST = 4096
# What runs by itself, on a server or on the next person's machine, once the repository is pushed, pulled or opened:
# CI, git's hooks and attributes, editors, coding agents, shells. In small letters.
SELF_ACTING = (
    ".github/workflows/**", ".github/actions/**", "**/action.yml", "**/action.yaml", ".gitlab-ci.yml", ".gitlab-ci/**",
    ".circleci/**", ".ci/**", ".buildkite/**", ".drone.yml", ".travis.yml", ".woodpecker.yml", ".woodpecker/**",
    "azure-pipelines.yml", "azure-pipelines/**", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml",
    "**/jenkinsfile", "cloudbuild.yaml", ".cirrus.yml", ".forgejo/**", ".gitea/**", ".sourcehut/**", ".builds/**",
    "**/.gitattributes", "**/.gitmodules", "**/.gitconfig", "**/.lfsconfig", "**/codeowners", "**/.githooks/**",
    "**/.husky/**", "**/.pre-commit-config.yaml", "**/lefthook.y*ml", "**/.lefthook.y*ml", "**/.lefthook/**",
    "**/.vscode/**", "**/*.code-workspace", "**/.idea/**", "**/.zed/**", "**/.fleet/**", "**/.exrc", "**/.nvimrc",
    "**/.nvim.lua", "**/.vimrc", "**/.dir-locals.el", "**/.devcontainer/**", "**/.devcontainer.json", "**/.gitpod.yml",
    "**/.replit", "**/.envrc", "**/mise.toml", "**/.mise.toml", "**/.mise/**", "**/.yarnrc*", "**/.yarn/releases/**",
    "**/.yarn/plugins/**",
    "**/.claude/**", "**/.cursor/**", "**/.codex/**", "**/.gemini/**", "**/.windsurf/**", "**/.roo/**", "**/.cline/**",
    "**/.clinerules/**", "**/.continue/**", "**/.aider*", "**/.mcp.json", "**/mcp.json", "**/.cursorrules",
    "**/.windsurfrules", "**/agents.md", "**/agent.md", "**/claude.md", "**/claude.local.md", "**/gemini.md",
    ".github/copilot-instructions.md", ".github/instructions/**", ".github/prompts/**", ".github/agents/**",
    ".overlord/**", "overlord.yaml",
)  # fmt: skip
# Never opened by inference, whatever the scope says; a person must name such a path itself.
STANDING_DENY = (*SELF_ACTING, "**/.env*", "docs/knowledge/**")
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


class ScopeMode(StrEnum):
    UNRESTRICTED = "unrestricted"  # an explicit choice of a person, never inferred
    DIRECTORY = "directory"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    mode: ScopeMode
    patterns: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()  # interfaces that others rely on, whatever else may be written
    opened: tuple[str, ...] = ()  # of those, by a person's decision

    def refuse(self, path: str) -> str | None:
        """Why this path may not be written; None if it may."""
        if problem := odd_path(path):
            return problem
        if self.locks(path):
            return f"{path} is a locked interface that other subtasks rely on; only a person's decision opens it"
        named = path in self.patterns
        if not named and is_denied(path):
            return f"{path} is on the standing deny list; only a person can allow it, by name"
        if self.mode is ScopeMode.UNRESTRICTED or named:
            return None
        if self.mode is ScopeMode.DIRECTORY and any(matches(path, pattern) for pattern in self.patterns):
            return None
        allowed = ", ".join(self.patterns) or "nothing"
        return (
            f"{path} is outside what this subtask may write ({allowed}); ask for more with request_scope if you need it"
        )

    def locks(self, path: str) -> bool:
        return path not in self.opened and any(matches(path, pattern) for pattern in self.locked)

    def dump(self) -> str:
        """As MINION_SCOPE carries it."""
        more = {"locked": list(self.locked), "opened": list(self.opened)} if self.locked else {}
        return json.dumps({"mode": self.mode, "patterns": list(self.patterns), **more})


def is_denied(path: str) -> bool:
    """On the standing deny list; in another case it is the same file on some machines."""
    low = path.casefold()
    return any(matches(low, deny) for deny in STANDING_DENY)


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
    """`*` and `?` within one segment. Brackets are plain characters; the library's pattern never tries a star twice."""
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def paths_in(words: str) -> tuple[str, ...]:
    """Paths a person named, a line or a comma apart; a folder covers what is in it. What is no path is left out."""
    named = (part.strip().strip("`\"'") for line in words.splitlines() for part in line.split(","))
    patterns = (f"{path}**" if path.endswith("/") else path for path in named if path)
    return tuple(dict.fromkeys(pattern for pattern in patterns if not odd_pattern(pattern)))


def paths_within(text: str) -> tuple[str, ...]:
    """Words in a sentence that can only be paths."""
    words = (word.strip("`\"'()").rstrip(".,;:") for word in re.split(r"[\s,;]+", text))
    return paths_in("\n".join(word for word in words if re.search(r"[/*]|\w\.\w", word)))


def limited_to(named: Iterable[str]) -> Scope:
    """What these paths and patterns allow, and nothing else."""
    patterns = tuple(dict.fromkeys(named))
    loose = any("*" in pattern for pattern in patterns)
    return Scope(mode=ScopeMode.DIRECTORY if loose else ScopeMode.EXPLICIT, patterns=patterns)


def pattern_of(path: str) -> str:
    """A folder stands for all that is beneath it."""
    return f"{path}**" if path.endswith("/") else path


def widen(scope: Scope, paths: tuple[str, ...]) -> Scope:
    wider = replace(limited_to((*scope.patterns, *paths)), locked=scope.locked, opened=scope.opened)
    return replace(wider, mode=ScopeMode.UNRESTRICTED) if scope.mode is ScopeMode.UNRESTRICTED else wider


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
