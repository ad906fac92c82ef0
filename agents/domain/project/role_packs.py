"""Which packs of roles a project seems to need: by its files, and by what they say that it is made with."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

# Folders that hold somebody else's projects, or examples of one.
_ASIDE = frozenset(
    {"node_modules", "vendor", "third_party", "testdata", "fixtures", "__fixtures__", "examples", "example", "samples"}
    | {"site-packages", "bower_components", "tests", "test", "docs", "benchmarks", "e2e", "playground", "templates"}
    | {"contrib", "extras", "packaging", "github", "devcontainer", "tutorial", "tutorials", "demo", "demos"}
)
_WORDS = re.compile(r"[-_.]")  # of a folder's name: `dev-docs` and `.github` are such, too
DEEPEST = 4  # folders down that anything is looked for
_MAIN = ("dependencies", "peerDependencies", "optionalDependencies")
_COMMENT = re.compile(r"(?m)(?:^|\s)(?:#|//).*$")
_DEVELOPMENT = re.compile(
    r"(?:^|/)(?:requirements[-_./]?(?:dev|test|tests|docs|lint|ci)|dev[-_]requirements|test[-_]requirements)"
)
_VIA = re.compile(r"#\s*via\b")
_SECTION = re.compile(r"^\s*\[++([^\]]+)\]+\s*(?:#.*)?$")
_DEV_SECTIONS = re.compile(
    r"dev|test|docs?\b|lint|benchmark|dependency-groups|extras?\b|optional|build-system|^tool\.(?!poetry)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """Files by name, and words of which one of them must name one; no words: such a file is enough. `built`: what is
    named only for building counts as much, for it ends in what people are given."""

    files: tuple[str, ...]
    holds: tuple[str, ...] = ()
    built: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Why a pack is proposed. `sure`: it is chosen beforehand; else it may only be for tests or tools."""

    pack: str
    file: str
    word: str = ""
    sure: bool = True


def looked_at(paths: Iterable[str], clues: Mapping[str, Sequence[Clue]]) -> tuple[str, ...]:
    """The files that must be read to find out, nearest to the root first."""
    wanted = {name for each in clues.values() for clue in each if clue.holds for name in clue.files}
    found = [path for path in _own(paths) if any(_is_named(path, name) for name in wanted)]
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


def propose(paths: Iterable[str], texts: Mapping[str, str], clues: Mapping[str, Sequence[Clue]]) -> list[Seen]:
    """At most one reason a pack, the surest and nearest first."""
    own = sorted(_own(paths), key=lambda path: (path.count("/"), path))
    found = list[Seen]()
    for pack, each in clues.items():
        reasons = [seen for clue in each for seen in _reasons(pack, clue, own, texts)]
        if reasons:
            found.append(min(reasons, key=lambda seen: (not seen.sure, seen.file.count("/"))))
    return found


def _own(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        folders = path.casefold().split("/")[:-1]
        words = (word for folder in folders for word in (folder, *_WORDS.split(folder)))
        if len(folders) <= DEEPEST and _ASIDE.isdisjoint(words):
            yield path


def _is_named(path: str, pattern: str) -> bool:
    """By the name alone, or by the way to it where the pattern has a folder."""
    at = path if "/" in pattern else path.rpartition("/")[2]
    return fnmatchcase(at.casefold(), pattern.casefold()) or fnmatchcase(path.casefold(), f"*/{pattern}".casefold())


def _reasons(pack: str, clue: Clue, own: Sequence[str], texts: Mapping[str, str]) -> Iterator[Seen]:
    for path in own:
        if not any(_is_named(path, name) for name in clue.files):
            continue
        if not clue.holds:
            yield Seen(pack=pack, file=path)
            continue
        main, others = _words_in(path, texts.get(path, ""))
        main = main | others if clue.built else main
        if word := next((word for word in clue.holds if word.casefold() in main), ""):
            yield Seen(pack=pack, file=path, word=word)
        elif word := next((word for word in clue.holds if word.casefold() in others), ""):
            yield Seen(pack=pack, file=path, word=word, sure=False)


def _words_in(path: str, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a project is made with, and what is only for its tests and tools; in small letters."""
    if path.endswith("package.json"):
        return _of_node(text)
    if path.endswith("pyproject.toml"):
        return _by_sections(text)
    if path.endswith("Cargo.toml"):
        return _of_cargo(text)
    words = _plain_words(_without_what_others_need(path, text))
    return (frozenset(), words) if _DEVELOPMENT.search(path) else (words, frozenset())


def _of_node(text: str) -> tuple[frozenset[str], frozenset[str]]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return frozenset(), frozenset()
    if not isinstance(said, dict):
        return frozenset(), frozenset()
    parts = {name: part if isinstance(part, dict) else {} for name, part in said.items()}
    main = {word for name in _MAIN for word in parts.get(name, {})}
    main |= {"bin"} if said.get("bin") else set()
    if said.get("name") in parts.get("workspaces", {}):
        main.discard("bin")
    other = set(parts.get("devDependencies", {}))
    return frozenset(map(str.casefold, main)), frozenset(map(str.casefold, other - main))


def _of_cargo(text: str) -> tuple[frozenset[str], frozenset[str]]:
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return frozenset(), frozenset()
    parts = [said, *(part for key in ("target", "workspace") for part in _tables(said.get(key)))]
    parts += [part for part in [said.get("workspace")] if isinstance(part, dict)]

    def names_of(*keys: str) -> frozenset[str]:
        found = [part.get(key) for part in parts for key in keys]
        return frozenset(name.casefold() for table in found if isinstance(table, dict) for name in table)

    main = names_of("dependencies") | (frozenset({"bin"}) if said.get("bin") else frozenset())
    return main, names_of("dev-dependencies", "build-dependencies") - main


def _tables(said: object) -> list[dict[str, Any]]:
    return [each for each in said.values() if isinstance(each, dict)] if isinstance(said, dict) else []


def _without_what_others_need(path: str, text: str) -> str:
    """Lists that a tool wrote out name all that is needed by what is needed; that says nothing of a project."""
    if path.endswith("go.mod"):
        return "\n".join(line for line in text.splitlines() if "// indirect" not in line)
    if not _VIA.search(text):
        return text
    entries = re.split(r"(?m)^(?=[A-Za-z0-9])", text)
    return "\n".join(each for each in entries if not (via := _VIA.search(each)) or "-r " in each[via.start() :])


def _by_sections(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The project's own requirements are in `[project]`; what else is named is for something else."""
    main, other, section = list[str](), list[str](), ""
    in_list = ""  # a key of [project] whose list goes on
    for line in text.splitlines():
        if found := _SECTION.match(line):
            section, in_list = found[1].strip().strip("\"'"), ""
            if section in ("project.scripts", "tool.poetry.scripts"):
                main.append("scripts")
            continue
        if section == "project" and (key := re.match(r"([a-z-]+)\s*=", line)):
            in_list = key[1]
        wanted = (section == "project" and in_list == "dependencies") or section == "tool.poetry.dependencies"
        if wanted:
            main.append(line)
        elif _DEV_SECTIONS.search(section) or section.startswith(("project.optional", "tool.poetry")):
            other.append(line)
    return _plain_words("\n".join(main)), _plain_words("\n".join(other))


def _plain_words(text: str) -> frozenset[str]:
    """Names as requirements write them: `psycopg[binary]>=3`, `image: postgres:16`, `github.com/spf13/cobra v1`."""
    bare = _COMMENT.sub(" ", text)
    words = set(re.findall(r"[A-Za-z0-9@][\w.@/-]*", bare))
    words |= {part for word in words for part in (word.partition("@")[0], word.rpartition("/")[2]) if part}
    return frozenset(word.casefold().rstrip(".") for word in words)
