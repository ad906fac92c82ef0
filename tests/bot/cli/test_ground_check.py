"""What `overlord doctor` says of a project's ground."""

from pathlib import Path

import pytest

from agents.domain.project.environment import WrittenEnvironment
from bot.cli.ground_check import check_grounds
from bot.config.overlord import Project
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.doctor_check import State
from tests.workspace.repositories import git, somebodys


def settings_for(tmp_path: Path, project: Project) -> Settings:
    from dataclasses import replace

    known = load_settings({"OVERLORD_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}, cwd=tmp_path)
    (tmp_path / "home").mkdir()
    return replace(known, projects=(project,))


def said(settings: Settings, *, set_up: bool = False, yes: bool = True) -> dict[str, tuple[State, str]]:
    asked = list[str]()

    def confirm(question: str) -> bool:
        asked.append(question)
        return yes

    found = {check.name: (check.state, check.seen) for check in check_grounds(settings, set_up=set_up, confirm=confirm)}
    if set_up:
        found["asked"] = (State.OK, "\n".join(asked))
    return found


def test_what_is_red_before_any_change_is_named(tmp_path: Path) -> None:
    user = somebodys(tmp_path / "shop", {"test_a.py": "def test_bad():\n    assert False\n"})
    found = said(settings_for(tmp_path, Project(name="shop", path=user)))
    assert found["environment of shop"] == (State.OK, "nothing has to be installed")
    assert found["checks of shop"] == (State.WARN, "1 test (test_a.test_bad) fails before the change")


def test_set_up_is_run_only_after_a_yes_to_the_exact_commands(tmp_path: Path) -> None:
    user = somebodys(tmp_path / "shop", {"requirements.txt": "tiny\n", "a.py": ""})
    written = WrittenEnvironment(setup=("echo one", "echo two"), carry=("gone.env",))
    settings = settings_for(tmp_path, Project(name="shop", path=user, environment=written))
    assert said(settings)["set-up of shop"] == (State.WARN, "not done yet: echo one; echo two")
    assert said(settings)["carried files of shop"][0] is State.WARN
    refused = said(settings, set_up=True, yes=False)
    assert refused["set-up of shop"][0] is State.WARN
    assert "  echo one\n  echo two\n" in refused["asked"][1]
    assert said(settings, set_up=True)["set-up of shop"][0] is State.OK
    again = said(settings)
    assert again["environment of shop"][0] is State.OK
    assert again["checks of shop"] == (State.WARN, "no tests: not run; all other checks pass")


def test_files_that_code_cannot_read_are_named_with_what_to_write(tmp_path: Path) -> None:
    user = somebodys(tmp_path / "shop", {"Makefile": "setup:\n\tbundle install\n", ".tool-versions": "ruby 3.3\n"})
    state, words = said(settings_for(tmp_path, Project(name="shop", path=user)))["set-up of shop"]
    assert state is State.WARN and words == ("code finds nothing to install, but .tool-versions, Makefile may say how")


@pytest.mark.parametrize("committed", [True, False])
def test_a_project_that_cannot_be_read_is_told(tmp_path: Path, committed: bool) -> None:
    (tmp_path / "shop").mkdir()
    if committed:
        git(tmp_path / "shop", "init", "-q")
    found = said(settings_for(tmp_path, Project(name="shop", path=tmp_path / "shop")))
    assert [state for state, _ in found.values()] == [State.WARN]
