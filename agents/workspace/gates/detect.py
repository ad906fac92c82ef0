"""Which tests and linters a project or a package of it has, from names and settings of its files; nothing is run."""

import configparser
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from agents.workspace.git import objects
from agents.workspace.git.objects import Entry

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
PYTEST_OWN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
PYTEST_INI = (*PYTEST_OWN, "tox.ini", "setup.cfg")
READ = (*PYTEST_INI, *MAKEFILES, "pyproject.toml", "Cargo.toml", "package.json", "ruff.toml", ".ruff.toml", ".flake8")
READ_MOST = 1 << 20
PY_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_OTHER_TESTS = re.compile(r"python_files|doctest")
_ESLINT = re.compile(r"^(eslint\.config\.\w+|\.eslintrc(\.\w+)?)$")
_NO_TEST = "no test specified"  # what npm init writes
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod", "Cargo.toml")  # of a package
DEEPEST = 3  # folders down that packages are looked for
PACKAGES_MOST = 60  # whose settings are read
# Folders that hold somebody else's projects, or examples of one.
_ASIDE = frozenset(
    {"node_modules", "vendor", "third_party", "testdata", "fixtures", "examples", "example", "templates", "docs"}
    | {"tests", "test", "benchmarks", "bench", "site-packages", "samples", "e2e"}
)


class Way(StrEnum):
    """How tests are run, or files are linted."""

    PYTEST = "pytest"
    NPM = "npm"
    GO = "go"
    CARGO = "cargo"
    MAKE = "make"
    RUFF = "ruff"
    FLAKE8 = "flake8"
    ESLINT = "eslint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is seen of a tree: its paths, and the settings at its root and in its packages."""

    paths: frozenset[str] = frozenset()
    texts: Mapping[str, str]
    above: "Look | None" = None  # the whole, where this is a folder of it

    def within(self, folder: str, others: Collection[str] = ()) -> "Look":
        """A folder by itself, as if it were the root; without what lies in `others`, which are folders in it."""
        start = f"{folder}/" if folder else ""
        away = tuple(f"{each}/" for each in others if each != folder and each.startswith(start))
        own = {path for path in self.paths if path.startswith(start) and not path.startswith(away)}
        texts = {path: text for path, text in self.texts.items() if path in own}
        return Look(
            paths=frozenset(path.removeprefix(start) for path in own),
            texts={path.removeprefix(start): text for path, text in texts.items()},
            above=self,
        )

    def split(self, folders: Sequence[str]) -> dict[str, "Look"]:
        """The root and each folder by itself, as if it were the root: each path is in the innermost of them alone."""
        known, owners = frozenset(folders), dict[str, str]()
        paths: dict[str, list[str]] = {folder: [] for folder in ("", *folders)}
        for path in self.paths:
            above = path.rpartition("/")[0]
            if above not in owners:
                owners[above] = _innermost(above, known)
            paths[owners[above]].append(path)
        texts = {path: owners[path.rpartition("/")[0]] for path in self.texts if path in self.paths}
        return {
            folder: Look(
                paths=frozenset(path[start:] for path in own),
                texts={path[start:]: self.texts[path] for path in texts if texts[path] == folder},
                above=self,
            )
            for folder, own in paths.items()
            for start in [len(folder) + 1 if folder else 0]
        }

    def toml(self, name: str = "pyproject.toml") -> dict[str, Any]:
        try:
            return tomllib.loads(self.texts.get(name, ""))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str = "package.json") -> dict[str, Any]:
        try:
            read = json.loads(self.texts.get(name, "{}"))
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    def ini(self, name: str, section: str) -> bool:
        reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
        try:
            reader.read_string(self.texts.get(name, ""))
        except configparser.Error:
            return False
        return reader.has_section(section)

    def target(self, name: str) -> bool:
        """Whether make has a rule for it."""
        makefile = next((self.texts[each] for each in MAKEFILES if each in self.texts), "")
        return re.search(rf"(?m)^{re.escape(name)}\s*:(?!=)", makefile) is not None

    def script(self, name: str) -> str:
        scripts = self.json().get("scripts")
        written = scripts.get(name) if isinstance(scripts, dict) else None
        return written if isinstance(written, str) else ""


def _innermost(folder: str, known: Collection[str]) -> str:
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return folder


async def look(repository: Path, commit: str = "HEAD") -> Look:
    """What is seen of a project before any work. Raises GitFailed."""
    return await look_at(repository, await objects.entries(repository, commit))


async def look_at(repository: Path, there: Mapping[str, Entry]) -> Look:
    folders = ("", *list(folders_with(there, MANIFESTS))[:PACKAGES_MOST])
    names = dict.fromkeys(f"{folder}/{name}" if folder else name for folder in folders for name in (*READ, "go.mod"))
    settings = [there[path] for path in names if path in there and there[path].size <= READ_MOST]
    return Look(paths=frozenset(there), texts=decode(await objects.blobs(repository, settings)))


def folders_with(paths: Collection[str], names: Collection[str]) -> Iterator[str]:
    """Folders that hold one of these, the root first; those of others and of examples are left out."""
    found = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in names}
    near = (folder for folder in found if not folder or _is_own(folder))
    yield from sorted(near, key=lambda folder: (folder.count("/") if folder else -1, folder))


def _is_own(folder: str) -> bool:
    parts = folder.split("/")
    return len(parts) <= DEEPEST and not any(part in _ASIDE or part[:1] == "." or "{" in part for part in parts)


def decode(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode(errors="replace") for path, content in contents.items()}


def tests(look: Look) -> Way | None:
    if any(PY_TEST.search(path) for path in look.paths) or _finds_others(look):
        return Way.PYTEST
    if has_npm_test(look):
        return Way.NPM
    return _by_manifest(look, "test")


def has_npm_test(look: Look) -> bool:
    return bool(look.script("test")) and _NO_TEST not in look.script("test")


def _finds_others(look: Look) -> bool:
    """Whether pytest is set up to find tests in files of other names. Settings alone are no tests: many keep them."""
    settings = pytest_settings(look)
    said = f"{settings} {' '.join(look.texts.get(name, '') for name in PYTEST_INI)}"
    others = _OTHER_TESTS.search(said) or any(path.rpartition("/")[2] == "conftest.py" for path in look.paths)
    return bool(settings and others)


def runs_doctests(look: Look) -> bool:
    """Whether examples in documentation are run as tests, too."""
    return any("doctest" in look.texts.get(name, "") for name in (*PYTEST_INI, "pyproject.toml"))


def lint(look: Look, *, python: bool = True) -> Way | None:
    if python and any(path.endswith(".py") for path in look.paths):
        flake8 = ".flake8" in look.texts or any(look.ini(name, "flake8") for name in ("setup.cfg", "tox.ini"))
        return Way.FLAKE8 if flake8 and not ruff_is_set_up(look) else Way.RUFF
    if any(_ESLINT.match(path) for path in look.paths) or "eslintConfig" in look.json():
        return Way.ESLINT
    return _by_manifest(look, "lint")


def _by_manifest(look: Look, target: str) -> Way | None:
    if "go.mod" in look.paths:
        return Way.GO
    if "Cargo.toml" in look.paths:
        return Way.CARGO
    return Way.MAKE if look.target(target) else None


LINTED: dict[Way, re.Pattern[str]] = {
    Way.RUFF: re.compile(r"\.pyi?$"),
    Way.FLAKE8: re.compile(r"\.py$"),
    Way.ESLINT: re.compile(r"\.[cm]?[jt]sx?$"),
    Way.GO: re.compile(r"\.go$"),
    Way.CARGO: re.compile(r"\.rs$"),
    Way.MAKE: re.compile(r""),
}


def pytest_settings(look: Look) -> object:
    """Whatever says how pytest runs; falsy where nothing does."""
    tool = look.toml().get("tool")
    own = tool.get("pytest") if isinstance(tool, dict) else None
    files = [name for name in PYTEST_OWN if name in look.texts]
    sections = [
        name for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")) if look.ini(name, section)
    ]
    return own or files or sections


def cargo_settings(look: Look) -> object:
    """What Cargo.toml says about which tests there are."""
    manifest = look.toml("Cargo.toml")
    package, lib = manifest.get("package"), manifest.get("lib")
    auto = package.get("autotests") if isinstance(package, dict) else None
    own = (lib.get("test"), lib.get("doctest"), lib.get("harness")) if isinstance(lib, dict) else (None, None, None)
    return auto, own, manifest.get("test"), manifest.get("bin")


def measures_itself(look: Look) -> bool:
    """Whether pytest is told to measure coverage: two at once get in each other's way."""
    told = any("--cov" in look.texts.get(name, "") for name in (*PYTEST_INI, "pyproject.toml"))
    return told or (look.above is not None and measures_itself(look.above))


def ruff_is_set_up(look: Look) -> bool:
    tool = look.toml().get("tool")
    return "ruff.toml" in look.texts or ".ruff.toml" in look.texts or (isinstance(tool, dict) and "ruff" in tool)
