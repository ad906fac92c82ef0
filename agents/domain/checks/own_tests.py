"""Files that a project's own settings make tests, though their names do not say so. Nothing is run."""

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from agents.domain.checks.file_kinds import is_code, is_test

_INI = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_RECIPE = re.compile(r"(?m)^(?:test|tests|check)\s*:(?!=)[^\n]*\n((?:\t[^\n]*\n?)*)")
_RUNNERS = frozenset({"mocha", "ava", "tape", "jasmine", "jest", "vitest", "uvu", "tap"})
_STARTS = frozenset({"sh", "bash", "python", "python3", "node", "ruby", "perl", "deno", "bun", "tsx", "ts-node"})
_SAYS_SO = re.compile(r"(?i)(^|[/._-])(checks?|tests?|testing|specs?|verify|verification|suite|selftests?)([/._-]|$)")
_OF_PROGRAM = frozenset({"", ".", "src", "lib", "app", "dist", "build"})
_SPECS = ("spec/", "specs/")
LETTERS_LEAST = 3  # of a pattern: `*.py` makes no program a test


def own_tests(paths: Collection[str], texts: Mapping[str, str], command: str = "") -> frozenset[str]:
    """Of a folder. `texts`: its settings; `command`: what runs its tests, if the operator wrote that."""
    found = {path for path in paths if path.startswith(_SPECS) and path.endswith((".js", ".ts", ".mjs", ".cjs", ".rb"))}
    found |= _by_patterns(paths, *_pytest(texts))
    for line in (command, _script(texts), *_recipe(texts)):
        found |= _named(line, paths)
    return frozenset(path for path in found if not is_test(path))


def _pytest(texts: Mapping[str, str]) -> tuple[Sequence[str], Sequence[str]]:
    """Patterns of files, and folders."""
    for settings in _settings(texts):
        if settings:
            return _words(settings.get("python_files")), _words(settings.get("testpaths"))
    return (), ()


def _settings(texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """In the order in which pytest looks; the first that says anything is taken."""
    for name, section in _INI.items():
        if name == "tox.ini":
            yield from _of_toml(texts.get("pyproject.toml", ""))
        reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
        try:
            reader.read_string(texts.get(name, ""))
        except configparser.Error:
            continue
        if reader.has_section(section):
            yield dict(reader.items(section))


def _of_toml(text: str) -> Iterator[Mapping[str, Any]]:
    try:
        tool = tomllib.loads(text).get("tool")
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    own = tool.get("pytest") if isinstance(tool, dict) else None
    if isinstance(own, dict):
        inner = own.get("ini_options")
        yield inner if isinstance(inner, dict) else own


def _words(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else ()


def _by_patterns(paths: Collection[str], patterns: Sequence[str], folders: Sequence[str]) -> set[str]:
    """Those that pytest would read as tests, and what lies with them where nothing else does."""
    telling = [each for each in patterns if len(re.sub(r"\.py$|[^a-zA-Z]", "", each)) >= LETTERS_LEAST]
    near = tuple(f"{folder.strip('./')}/" for folder in folders if folder.strip("./"))
    found = {
        path for path in paths
        if (not near or path.startswith(near)) and any(fnmatchcase(path.rpartition("/")[2], each) for each in telling)
    }  # fmt: skip
    for folder in near:
        own = [path for path in paths if path.startswith(folder)]
        code = [path for path in own if is_code(path) and not path.endswith(("__init__.py", "conftest.py"))]
        tests = [path for path in code if path in found or is_test(path)]
        if folder.rstrip("/") not in _OF_PROGRAM and tests and 2 * len(tests) > len(code):
            found.update(own)
    return found


def _script(texts: Mapping[str, str]) -> str:
    try:
        read = json.loads(texts.get("package.json", "{}"))
    except (ValueError, RecursionError):
        return ""
    scripts = read.get("scripts") if isinstance(read, dict) else None
    written = scripts.get("test") if isinstance(scripts, dict) else None
    return written if isinstance(written, str) else ""


def _recipe(texts: Mapping[str, str]) -> Iterator[str]:
    text = next((texts[each] for each in _MAKEFILES if each in texts), "")
    for found in _RECIPE.finditer(text):
        yield from (line.strip().lstrip("@-+") for line in found[1].splitlines())


def _named(line: str, paths: Collection[str]) -> set[str]:
    """Files and folders that a command names as what it tests by."""
    found = set[str]()
    for part in re.split(r"&&|\|\||[;|&\n]", line):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        programs = {word.rpartition("/")[2] for word in words[:4]}
        surely = bool(programs & _RUNNERS) or "--test" in words
        starts = bool(programs & _STARTS)
        for at, word in enumerate(words):
            path = word.removeprefix("./").rstrip("/")
            if word.startswith("-") or path in _OF_PROGRAM or not (surely or starts or at == 0):
                continue
            if at == 0 and "/" not in path and path not in _STARTS:  # from a folder that is looked through first
                found |= {each for each in paths if each.endswith(f"/{path}")}
            said = _SAYS_SO.search(path) is not None
            found |= {each for each in paths if _is_meant(each, path, said=said, surely=surely)}
    return found


def _is_meant(path: str, named: str, *, said: bool, surely: bool) -> bool:
    """A folder only where its name says so: tests may stand beside what they test."""
    if "*" in named:
        return surely and (fnmatchcase(path, named) or fnmatchcase(path, named.replace("**/", "")))
    return (said or surely) if path == named else said and path.startswith(f"{named}/")
