"""How a minion is told to run a project's checks, from what lies in the project."""

import json
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateCommands
from agents.workspace.environments.tree_environment import environment
from agents.workspace.gates.detect import Look
from agents.workspace.gates.ways import ways_of

PYTHON = {"app.py": "", "tests/test_app.py": ""}


def told(folder: Path, **files: str) -> dict[str, str]:
    named = {name.replace("__", "/"): text for name, text in files.items()}
    look = Look(paths=frozenset(named), texts=named)
    return dict(ways_of(look, GateCommands(), environment(folder, GateCommands())))


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({**PYTHON, "ruff.toml": ""}, "check FILE…"),
        ({**PYTHON, ".flake8": "[flake8]\n"}, "-m flake8 FILE…"),
        ({"go.mod": "module x", "a.go": ""}, "gofmt -l FILE…; go vet ./..."),
        ({"Cargo.toml": "[package]"}, "cargo fmt --check; cargo clippy --offline"),
    ],
)
def test_the_linter_is_named_by_what_lies_there(files: dict[str, str], command: str, tmp_path: Path) -> None:
    assert told(tmp_path, **files)["Linter"].endswith(command)


def test_what_a_project_does_not_have_is_not_named(tmp_path: Path) -> None:
    bare = told(tmp_path, **{"notes.md": ""})
    assert not {"Linter", "Type checker", "Python"} & set(bare)
    assert "Python" in told(tmp_path, **PYTHON)


def test_types_are_checked_by_what_is_set_up_and_there(tmp_path: Path) -> None:
    script = {"package.json": json.dumps({"name": "web"}), "tsconfig.json": "{}"}
    assert told(tmp_path, **script)["Type checker"] == "node_modules/.bin/tsc --noEmit"
    assert "Type checker" not in told(tmp_path, **PYTHON)


def test_settings_with_bare_keys_are_read_and_broken_ones_say_nothing() -> None:
    def look(text: str) -> Look:
        return Look(paths=frozenset({"setup.cfg"}), texts={"setup.cfg": text})

    assert look("[mypy]\nstrict\n").ini("setup.cfg", "mypy")
    assert not look("[mypy\n").ini("setup.cfg", "mypy") and not look("[flake8]\n").ini("setup.cfg", "mypy")
