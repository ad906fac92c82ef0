"""How a project's checks are run, in words for a minion: it cannot know what it is not shown."""

import shlex
from collections.abc import Iterator

from agents.domain.checks.evaluation import FILES, GateCommands
from agents.workspace.environments.tree_environment import Environment
from agents.workspace.gates import detect
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.package_folders import find_packages

_SOME = "FILE…"


def ways_of(look: Look, written: GateCommands, around: Environment) -> tuple[tuple[str, str], ...]:
    """What, and the command for it; what the project does not have is not named."""
    python = around.python
    lint = written.lint.replace(FILES, _SOME) or _lint(detect.lint(look), python, str(around.ruff or "ruff"))
    types = written.type_check or _types(look, around)
    has_python = any(path.endswith(".py") for path in look.paths)
    tests = [("Tests", written.tests)] if written.tests else list(_tests(look, written, python))
    linters = ((f"Linter of {at}", _inside(at, own.lint.replace(FILES, _SOME))) for at, own in written.packages.items())
    said = (*tests, ("Linter", lint), *linters, ("Type checker", types), ("Python", python if has_python else ""))
    return (*((what, how) for what, how in said if how), *((gate.name, gate.command) for gate in written.extra))


def _tests(look: Look, written: GateCommands, python: str) -> Iterator[tuple[str, str]]:
    """Of each package from its own folder."""
    for package in find_packages(look, written.packages):
        command = written.package(package.folder).tests or _TESTS.get(package.tests, "").format(python=python)
        yield f"Tests of {package.folder}" if package.folder else "Tests", _inside(package.folder, command)


def _inside(folder: str, command: str) -> str:
    return f"cd {shlex.quote(folder)} && {command}" if folder and command else command


_TESTS: dict[Way | None, str] = {
    Way.PYTEST: "{python} -m pytest -q",
    Way.NPM: "npm test",
    Way.GO: "go test ./...",
    Way.CARGO: "cargo test --offline",
    Way.MAKE: "make test",
}


def _lint(way: Way | None, python: str, ruff: str) -> str:
    return {
        Way.RUFF: f"{ruff} check {_SOME}",
        Way.FLAKE8: f"{python} -m flake8 {_SOME}",
        Way.ESLINT: f"node_modules/.bin/eslint {_SOME}",
        Way.GO: f"gofmt -l {_SOME}; go vet ./...",
        Way.CARGO: "cargo fmt --check; cargo clippy --offline",
        Way.MAKE: "make lint",
    }.get(way or Way.NPM, "")


def _types(look: Look, around: Environment) -> str:
    tool = look.toml().get("tool")
    wanted = (isinstance(tool, dict) and "mypy" in tool) or "mypy.ini" in look.paths or look.ini("setup.cfg", "mypy")
    if wanted and around.has("mypy"):
        return f"{around.python} -m mypy"
    return "node_modules/.bin/tsc --noEmit" if "tsconfig.json" in look.paths else ""
