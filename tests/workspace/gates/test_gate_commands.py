"""Which commands gates find and run, from both sides of each condition."""

import os
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateCommands
from agents.workspace.environments.tree_environment import Environment, NoEnvironment, environment
from agents.workspace.gates import detect, gate_commands
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.planted.plant import Planted

NOTHING = Look(texts={})


def look(**texts: str) -> Look:
    named = {name.replace("_", "."): text for name, text in texts.items()}
    return Look(paths=frozenset(named), texts=named)


def room(tmp_path: Path, *modules: str, ruff: bool = True) -> Environment:
    for name in modules:
        (tmp_path / "lib/python3.11/site-packages" / name).mkdir(parents=True)
    return Environment(venv=tmp_path, python="/v/python", readable=(), ruff=Path("/v/ruff") if ruff else None)


def test_an_environment_that_is_named_and_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match="is no Python environment"):
        environment(tmp_path, GateCommands(environment=str(tmp_path)))
    assert environment(tmp_path, GateCommands()).venv != tmp_path / ".venv", "an empty folder is none"


def test_the_python_of_the_environment_runs_the_gates(tmp_path: Path) -> None:
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    missing = environment(tmp_path, GateCommands())
    assert Path(missing.python).exists() and not missing.python.startswith(str(venv))
    for name in ("python", "ruff"):
        (venv / "bin" / name).touch()
    found = environment(tmp_path, GateCommands())
    assert (found.python, found.ruff) == (str(venv / "bin/python"), venv / "bin/ruff")
    assert found.ruff not in found.readable, "it lies in what is shown anyway"
    assert venv in found.readable and found.modules is None


def test_ours_without_a_ruff_has_none(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    found = environment(tmp_path, GateCommands(), own)
    assert (found.venv, found.ruff, found.readable[0]) == (own, None, own)
    assert found.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] == "1"


def test_a_source_folder_is_on_the_path_where_there_is_one(tmp_path: Path) -> None:
    around = room(tmp_path)
    assert "PYTHONPATH" not in around.workspace_for(tmp_path).environ
    (tmp_path / "src").mkdir()
    told = around.workspace_for(tmp_path)
    assert told.environ["PYTHONPATH"] == str(tmp_path / "src")
    assert told.environ["PYTHONDONTWRITEBYTECODE"] == "1"
    assert told.environ["PATH"].split(":") == [str(tmp_path / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]


def test_programs_of_node_are_told_that_nobody_watches_and_others_run_as_by_hand(tmp_path: Path) -> None:
    """pytest and others say other things where CI is set, and suites that look at their own output fail by it."""
    around = room(tmp_path)
    assert "CI" not in around.workspace_for(tmp_path).environ
    (tmp_path / "package.json").write_text("{}")
    assert around.workspace_for(tmp_path).environ["CI"] == "1"


def test_node_modules_that_were_committed_stay(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    Environment(venv=tmp_path, python="", readable=(), modules=tmp_path / "other").furnish(tmp_path)
    assert not (tmp_path / "node_modules").is_symlink()
    (tmp_path / "empty").mkdir()
    room(tmp_path).furnish(tmp_path / "empty")
    assert not os.path.lexists(tmp_path / "empty" / "node_modules")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


def test_a_go_that_is_not_the_systems_is_shown_with_what_it_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert environment(tmp_path, GateCommands()).programs == ()
    go = program(tmp_path / "go" / "bin" / "go")
    monkeypatch.setenv("PATH", str(go.parent))
    monkeypatch.setenv("GOPATH", str(tmp_path / "path"))
    found = environment(tmp_path, GateCommands())
    assert found.programs == (go.parent,) and tmp_path / "go" in found.readable
    cache = tmp_path / "path" / "pkg" / "mod"
    assert cache not in found.readable and found.environ["GOMODCACHE"] == str(cache)
    assert (found.environ["GOPROXY"], found.environ["GOTOOLCHAIN"]) == ("off", "local")
    cache.mkdir(parents=True)
    assert cache in environment(tmp_path, GateCommands()).readable


def test_a_cargo_of_rustup_is_shown_without_its_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, cargo = tmp_path / "rustup", tmp_path / "cargo"
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setenv("RUSTUP_HOME", str(home))
    monkeypatch.setenv("CARGO_HOME", str(cargo))
    home.mkdir()
    for said in ("", "default_toolchain = ", 'default_toolchain = "stable"\n'):
        (home / "settings.toml").write_text(said)
        assert environment(tmp_path, GateCommands()).programs == ()
    root = home / "toolchains" / "stable"
    program(root / "bin" / "cargo")
    found = environment(tmp_path, GateCommands())
    assert found.programs == (root / "bin",) and root in found.readable
    assert (found.environ["CARGO_HOME"], found.environ["CARGO_NET_OFFLINE"]) == ("/tmp/cargo", "true")
    (cargo / "registry").mkdir(parents=True)
    found = environment(tmp_path, GateCommands())
    assert found.environ["CARGO_HOME"] == str(cargo)
    assert cargo / "registry" in found.readable and cargo not in found.readable


def names_of(size: int) -> list[str]:
    """Names that take so many bytes in a command, each with the space before it."""
    return ["x" * (size - 1)]


def test_names_fill_a_command_up_to_its_limit(tmp_path: Path) -> None:
    around = room(tmp_path, "pytest", "coverage")
    for size, fits in ((gate_commands.NAMES_MOST, True), (gate_commands.NAMES_MOST + 1, False)):
        names = names_of(size)
        assert (gate_commands.lint(Way.RUFF, around, names).argv[-1] == names[0]) is fits
        assert (gate_commands.tests(Way.PYTEST, around, "out", names).measured == tuple(names)) is fits
        quoted = "x" * (size - len("./"))
        assert (gate_commands.lint_by("tidy {files}", [quoted]).argv[-1] == f"tidy ./{quoted}") is fits


def test_pytest_is_measured_only_where_coverage_is_there_and_names_are_plain(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match="pytest is not in"):
        gate_commands.tests(Way.PYTEST, room(tmp_path), "out", ["a.py"])
    without = room(tmp_path, "pytest")
    assert gate_commands.tests(Way.PYTEST, without, "out", ["a.py"]).argv[:3] == ("/v/python", "-m", "pytest")
    both = room(tmp_path, "coverage")
    made = gate_commands.tests(Way.PYTEST, both, "out", ["a.py", "b*.py", "c,d.py"])
    assert (made.measured, made.argv[0], made.report) == (("a.py",), "/bin/sh", "out/junit.xml")
    plain = gate_commands.tests(Way.PYTEST, both, "out", ["b*.py"])
    assert (plain.measured, plain.argv[0], plain.report) == ((), "/v/python", "out/junit.xml")
    assert gate_commands.collect(both).argv[-2:] == ("-q", "--collect-only")


@pytest.mark.parametrize(
    ("way", "shown"),
    [
        (Way.NPM, "npm test"),
        (Way.GO, "go test ./..."),
        (Way.CARGO, "cargo test"),
        (Way.MAKE, "make test"),
    ],
)
def test_each_way_has_its_tests(way: Way, shown: str, tmp_path: Path) -> None:
    assert gate_commands.tests(way, room(tmp_path), "out").shown == shown


@pytest.mark.parametrize(
    ("way", "files", "shown", "last"),
    [
        (Way.RUFF, ("a.py",), "ruff check a.py", ("--", "a.py")),
        (Way.RUFF, ("a.py", "b.py"), "ruff check (2 files)", ("a.py", "b.py")),
        (Way.FLAKE8, ("a.py",), "flake8 a.py", ("--", "a.py")),
        (Way.ESLINT, ("a.js",), "eslint a.js", ("--", "a.js")),
        (Way.GO, ("a.go",), "go vet ./...", ("vet", "./...")),
        (Way.MAKE, ("a",), "make lint", ("make", "lint")),
    ],
)
def test_each_way_lints_the_files_it_is_given(
    way: Way, files: tuple[str, ...], shown: str, last: tuple[str, ...], tmp_path: Path
) -> None:
    made = gate_commands.lint(way, room(tmp_path, "flake8"), files)
    assert (made.shown, made.argv[-2:]) == (shown, last)


def test_ruff_takes_the_place_of_a_flake8_that_is_missing_and_must_be_there(tmp_path: Path) -> None:
    made = gate_commands.lint(Way.FLAKE8, room(tmp_path), ["a.py"], rules="E9")
    assert made.shown == "ruff check a.py" and "--select=E9" in made.argv
    assert not any(part.startswith("--select") for part in gate_commands.lint(Way.RUFF, room(tmp_path), ["a.py"]).argv)
    with pytest.raises(NoEnvironment, match="ruff is not installed"):
        gate_commands.lint(Way.RUFF, room(tmp_path, ruff=False), ["a.py"])
    with_flake8 = room(tmp_path, "flake8", ruff=False)
    assert gate_commands.lint(Way.FLAKE8, with_flake8, ["a.py"]).shown == "flake8 a.py"


def test_settings_that_are_no_settings_say_nothing() -> None:
    assert look(package_json="[]").json() == {} and look(package_json="{").json() == {}
    assert look(package_json='{"scripts": {"test": 3}}').script("test") == ""
    assert look(package_json='{"scripts": {"test": "jest"}}').script("lint") == ""
    assert not look(tox_ini="no section").ini("tox.ini", "pytest")
    assert NOTHING.json() == NOTHING.toml() == {} and not NOTHING.target("test")
    for text in ("tool = 3\n", "[tool]\nx = 1\n"):
        assert not detect.pytest_settings(look(pyproject_toml=text))
        assert not detect.ruff_is_set_up(look(pyproject_toml=text))


def test_the_first_makefile_that_make_would_read_counts() -> None:
    both = Look(texts={"Makefile": "test:\n", "GNUmakefile": "lint:\n"})
    assert both.target("lint") and not both.target("test")


@pytest.mark.parametrize("name", ["pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"])
def test_a_file_of_pytests_own_says_that_there_are_tests(name: str) -> None:
    assert detect.tests(Look(texts={name: "python_files = check.py"})) is Way.PYTEST
    assert detect.tests(Look(texts={name: ""})) is None, "settings alone are no tests"


@pytest.mark.parametrize("name", ["ruff.toml", ".ruff.toml"])
def test_a_file_of_ruffs_own_sets_it_up(name: str) -> None:
    assert detect.ruff_is_set_up(Look(texts={name: ""}))
    assert detect.ruff_is_set_up(look(pyproject_toml="[tool.ruff]\n"))


def test_flake8_is_found_in_any_of_its_files() -> None:
    for name in (".flake8", "setup.cfg", "tox.ini"):
        assert detect.lint(Look(paths=frozenset({"a.py", name}), texts={name: "[flake8]\n"})) is Way.FLAKE8
    assert detect.lint(Look(paths=frozenset({"a.py"}), texts={"tox.ini": "[tox]\n"})) is Way.RUFF
    eslint = Look(paths=frozenset({"package.json"}), texts={"package.json": '{"eslintConfig": {}}'})
    assert detect.lint(eslint) is Way.ESLINT


def test_pytest_that_measures_itself_is_known() -> None:
    for name in (*detect.PYTEST_INI, "pyproject.toml"):
        assert detect.measures_itself(Look(texts={name: "addopts = --cov=shop"}))
    assert not detect.measures_itself(look(pytest_ini="[pytest]\naddopts = -q\n"))


def test_what_cargo_says_of_its_tests_is_compared() -> None:
    plain = detect.cargo_settings(look(Cargo_toml="[package]\nname = 'x'\n"))
    assert plain == detect.cargo_settings(look(Cargo_toml="[lib]\n")) == detect.cargo_settings(look(Cargo_toml="lib=1"))
    for said in ("[package]\nautotests = false", "[lib]\ntest = false", "[lib]\ndoctest = false",
                 "[lib]\nharness = false", "[[test]]\nname = 'a'", "[[bin]]\nname = 'b'"):  # fmt: skip
        assert detect.cargo_settings(look(Cargo_toml=said)) != plain


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("pytest", ()),
        ("python -m pytest -q -x tests", ("-q", "tests")),
        (
            ".venv/bin/pytest --maxfail=1 -n 4 -p no:cacheprovider ./tests/",
            ("-n", "4", "-p", "no:cacheprovider", "tests"),
        ),
        ("pytest -W error tests/unit tests/test_a.py", ("-W", "error", "tests/unit", "tests/test_a.py")),
        ("pytest tests/unit", None),
        ("pytest -k cart", None),
        ("pytest tests/test_a.py::test_one", None),
        ("pytest tests && ruff check", None),
        ("cd app; pytest", None),
        ("/opt/venv/bin/pytest", None),
        ("pytest 'tests", None),
        ("tox", None),
    ],
)
def test_an_operators_pytest_is_told_test_by_test_where_it_runs_all(
    command: str, given: tuple[str, ...] | None, tmp_path: Path
) -> None:
    around, tests = room(tmp_path, "pytest"), ["tests/test_a.py", "tests/unit/test_b.py"]
    plain = gate_commands.tests(Way.PYTEST, around, "out")
    made = gate_commands.tests_by(command, plain, tests, gate_commands.ROOT)
    assert made.shown == command and made.is_suite
    if given is None:
        assert made.argv == ("/bin/sh", "-c", command) and not made.report
        assert made.plants is (Planted.BENEATH if "pytest" in command else None)
    else:
        assert made.argv == (*plain.argv, *given) and made.report == plain.report
    assert gate_commands.tests_by(command, None, tests, gate_commands.ROOT).argv[-1] == command
