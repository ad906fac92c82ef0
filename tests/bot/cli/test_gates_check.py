"""`overlord doctor` on the gates of each project."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import ExtraGate, GateCommands
from agents.workspace.environments.tree_environment import environment
from bot.cli.gates_check import check_gates
from bot.config.overlord import Project
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.doctor_check import Check, State
from tests.evaluator.pieces import SHOP, Files
from tests.evaluator.yard import git, repository_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"HOME": str(tmp_path)}, cwd=tmp_path, user="ana")


def checked(settings: Settings, place: Path, files: Files, commands: GateCommands | None = None) -> Check:
    repository = place / "shop"
    repository_of(repository, files, {})
    git(repository, "symbolic-ref", "HEAD", "refs/heads/main")
    project = Project(name="shop", path=repository, gates=commands or GateCommands())
    [check] = check_gates(replace(settings, projects=(project,)))
    return check


def test_what_would_be_run_is_said(settings: Settings, tmp_path: Path) -> None:
    check = checked(settings, tmp_path, SHOP)
    assert (check.name, check.state, check.seen) == ("gates of shop", State.OK, "pytest, ruff")


def test_commands_of_the_projects_own_are_said_as_they_are_written(settings: Settings, tmp_path: Path) -> None:
    own = GateCommands(tests="make test", extra=(ExtraGate(name="types", command="mypy ."),))
    assert checked(settings, tmp_path, SHOP, own).seen == "make test, ruff, types"


def test_a_project_without_tests_is_no_fault(settings: Settings, tmp_path: Path) -> None:
    check = checked(settings, tmp_path, {"notes.txt": "x\n"})
    assert (check.state, check.seen) == (State.OK, "no tests, no linter")


def test_an_environment_without_pytest_is_told_with_what_to_do(settings: Settings, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    venv.mkdir()
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    check = checked(settings, tmp_path, SHOP, GateCommands(environment=str(venv)))
    assert check.state is State.WARN
    assert "pytest is not in" in check.seen and "pip install pytest" in check.next_step


def test_what_doctor_says_of_a_program_is_what_the_gates_would_meet(settings: Settings, tmp_path: Path) -> None:
    found = environment(tmp_path, GateCommands()).finds("cargo")
    check = checked(settings, tmp_path, {"Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n'})
    assert check.state is (State.OK if found else State.WARN)
    assert "cargo" in check.seen and bool(check.next_step) is not found


def test_a_folder_that_is_no_repository_is_told(settings: Settings, tmp_path: Path) -> None:
    [check] = check_gates(replace(settings, projects=(Project(name="shop", path=tmp_path),)))
    assert check.state is State.FAIL and "is no git repository" in check.seen and check.next_step


def test_what_ci_runs_and_no_gate_does_is_offered(settings: Settings, tmp_path: Path) -> None:
    repository = tmp_path / "shop"
    repository_of(repository, {**SHOP, ".github/workflows/ci.yml": "- run: mypy src\n- run: flake8\n"}, {})
    git(repository, "symbolic-ref", "HEAD", "refs/heads/main")
    project = Project(name="shop", path=repository)
    _, offered = check_gates(replace(settings, projects=(project,)))
    assert offered.state is State.WARN and offered.seen == "no gate runs `mypy src` (.github/workflows/ci.yml)"
    assert "`- {name: type-check, command: mypy src}`" in offered.next_step
    taken = replace(project, gates=GateCommands(extra=(ExtraGate(name="type-check", command="mypy src"),)))
    assert len(list(check_gates(replace(settings, projects=(taken,))))) == 1
