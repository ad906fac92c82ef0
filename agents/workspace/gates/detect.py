"""Which tests and linters a project has, from the names and settings of its files alone; nothing of it is run."""

import configparser
import json
import re
import tomllib
from collections.abc import Mapping
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
_PY_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_ESLINT = re.compile(r"^(eslint\.config\.\w+|\.eslintrc(\.\w+)?)$")
_NO_TEST = "no test specified"  # what npm init writes


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
    """What is seen of a tree: its paths, and the settings at its root."""

    paths: frozenset[str] = frozenset()
    texts: Mapping[str, str]

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


async def look(repository: Path, commit: str = "HEAD") -> Look:
    """What is seen of a project before any work. Raises GitFailed."""
    return await look_at(repository, await objects.entries(repository, commit))


async def look_at(repository: Path, there: Mapping[str, Entry]) -> Look:
    settings = [there[path] for path in READ if path in there and there[path].size <= READ_MOST]
    return Look(paths=frozenset(there), texts=decode(await objects.blobs(repository, settings)))


def decode(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode(errors="replace") for path, content in contents.items()}


def tests(look: Look) -> Way | None:
    if any(_PY_TEST.search(path) for path in look.paths) or pytest_settings(look):
        return Way.PYTEST
    if look.script("test") and _NO_TEST not in look.script("test"):
        return Way.NPM
    return _by_manifest(look, "test")


def lint(look: Look) -> Way | None:
    if any(path.endswith(".py") for path in look.paths):
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
    return any("--cov" in look.texts.get(name, "") for name in (*PYTEST_INI, "pyproject.toml"))


def ruff_is_set_up(look: Look) -> bool:
    tool = look.toml().get("tool")
    return "ruff.toml" in look.texts or ".ruff.toml" in look.texts or (isinstance(tool, dict) and "ruff" in tool)
