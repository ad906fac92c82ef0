"""`overlord init`, `projects`, `people` and `models`: what is named is in the file, recorded, and needs no restart."""

import signal
import time
from pathlib import Path

import pytest

from tests.builders.shell import Shell
from tests.builders.started import up
from tests.workspace import repositories as repos


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_init_shows_what_it_found_and_names_the_project(shell: Shell) -> None:
    files = {"test_a.py": "def test_a(): pass\n", "pyproject.toml": "[tool.mypy]\n"}
    folder = repos.somebodys(shell.folder / "My Shop", files)
    told = shell.run("init", "--yes", str(folder)).out
    assert "Python (pyproject.toml)" in told and "pytest" in told and "mypy ." in told
    assert "nothing runs it yet" in told, "a check is offered, never taken silently"
    assert "Baseline:  all checks pass, three times" in told
    assert (shell.home / "overlord.yaml").read_text() == f"projects:\n  - name: my-shop\n    path: {folder}\n"
    assert shell.run("projects", "--json").json == [{"name": "my-shop", "place": str(folder), "channel": ""}]
    [act] = shell.run("settings", "history", "--json").json
    assert act["what"] == f"init {folder}" and act["who"].startswith("cli:"), "who did it is recorded"
    shell.run("projects", "remove", "my-shop")
    assert shell.run("projects", "--json").json == []


def test_init_shows_what_is_red_before_any_change_and_installs_nothing_without_a_yes(shell: Shell) -> None:
    red = {"api/test_a.py": "def test_a():\n    assert False\n", "api/setup.cfg": "", "web/package.json": "{}"}
    folder = repos.somebodys(shell.folder / "red", red)
    told = shell.run("init", "--yes", str(folder)).out
    assert "pytest in api, found by its files" in told
    assert "1 test (test_a.test_a) fails before the change. Work is not held to what failed before it" in told
    needy = repos.somebodys(shell.folder / "needy", {"requirements.txt": "tiny\n", "test_a.py": "import tiny\n"})
    told = shell.run("init", "--yes", str(needy)).out
    assert "Checks:    not run, for it is not set up yet. Run `overlord doctor" in told and told.count("Set-up:") == 1
    assert "Baseline" not in told
    assert not list((shell.home / "environments").glob("needy/*/venv"))
    assert "Baseline" not in shell.run("init", "--yes", "--no-checks", "--name", "again", str(folder)).out


def test_where_the_settings_may_not_be_written_the_lines_are_printed_and_comments_stay_where_they_may(
    shell: Shell,
) -> None:
    folder = repos.somebodys(shell.folder / "shop", {"a.txt": "x\n"})
    held = shell.folder / "held"
    held.mkdir()
    (held / "overlord.yaml").write_text("# mine\nprojects: []  # none yet\n")
    (held / ".overlord.yaml.new").mkdir()  # so that not even root can put a new file there
    refused = shell.run("--config", str(held / "overlord.yaml"), "init", "--yes", str(folder), code=1)
    assert "Write it there yourself" in refused.err and f"path: {folder}" in refused.err
    assert (held / "overlord.yaml").read_text() == "# mine\nprojects: []  # none yet\n"
    (held / ".overlord.yaml.new").rmdir()
    shell.run("--config", str(held / "overlord.yaml"), "init", "--yes", str(folder))
    written = (held / "overlord.yaml").read_text()
    assert written.startswith("# mine\n") and f"path: {folder}" in written


@pytest.mark.parametrize(("made", "told"), [(False, "is no git repository"), (True, "has no commit yet")])
def test_init_refuses_what_no_work_can_begin_on(shell: Shell, made: bool, told: str) -> None:
    (shell.folder / "x").mkdir()
    if made:
        repos.git(shell.folder / "x", "init", "-q")
    assert told in shell.run("init", "--yes", "x", code=1).err
    assert not (shell.home / "overlord.yaml").exists()


def test_people_and_models_are_named(shell: Shell) -> None:
    shell.run("people", "add", "console:ana")
    shell.run("models", "set", "critic", "gpt-4o")
    assert shell.run("models", "--json").json == [{"role": "critic", "model": "gpt-4o"}]
    assert "console:ana" in (shell.home / "overlord.yaml").read_text()
    shell.run("people", "remove", "console:ana")
    shell.run("models", "remove", "critic")
    assert (shell.home / "overlord.yaml").read_text().strip() == ""


def test_a_program_that_runs_takes_over_what_is_named_and_what_is_written_by_hand(shell: Shell) -> None:
    one, two = (repos.somebodys(shell.folder / name, {"a": "1\n"}) for name in ("one", "two"))
    with up(shell) as (process, _):
        assert "Taken over: projects." in shell.spawn("projects", "add", "one", str(one)).out
        file = shell.home / "overlord.yaml"
        good = file.read_text() + f"  - name: two\n    path: {two}\n"
        for text, expected in ((good, "Taken over: projects."), ("sandbox: chroot\n", "These settings cannot be used")):
            file.write_text(text)
            process.send_signal(signal.SIGHUP)
            assert expected in _outcome(shell, good), "one with errors leaves the old in force, and says so"
    file.write_text(good)
    assert "does not run here" in shell.run("settings", "reload").out


def _outcome(shell: Shell, good: str) -> str:
    """What came of the last signal. The command itself reads good settings."""
    kept = shell.folder / "good.yaml"
    kept.write_text(good)
    for _ in range(200):
        acts = shell.run("--config", str(kept), "settings", "history", "--json").json
        told = [act["outcome"] for act in acts if act["what"] == "SIGHUP"]
        if told and told[0] not in _TOLD:
            _TOLD.add(told[0])
            return str(told[0])
        time.sleep(0.1)
    raise AssertionError("nothing came of the signal")


_TOLD: set[str] = set()
