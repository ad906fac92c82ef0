"""The parts of the gates: what is found in a project, how files are laid out, and what an end means."""

import os
import subprocess
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateCommands, GateRun, OnFail, Score
from agents.ports import EndedBy, Ran
from agents.workspace.environments.tree_environment import Environment, environment
from agents.workspace.gates import detect, gate_commands, originals, rules, scoring
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.scoring import Report
from agents.workspace.git.clean_checkout import CleanCheckout, NotLaidOut
from agents.workspace.git.objects import entries
from agents.workspace.sandbox.walls import GATE
from tests.evaluator.pieces import SHOP, TESTS, File, Files, link
from tests.evaluator.yard import git, repository_of


def look(**files: str) -> Look:
    texts = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return Look(paths=frozenset(texts), texts={name: text for name, text in texts.items() if name in detect.READ})


@pytest.mark.parametrize(
    ("seen", "tests", "lint"),
    [
        (look(tests__test_a_dot_py=""), Way.PYTEST, Way.RUFF),
        (look(a_test_dot_py=""), Way.PYTEST, Way.RUFF),
        (look(pyproject_dot_toml="[tool.pytest.ini_options]\npython_files = 'check.py'\n"), Way.PYTEST, None),
        (look(pyproject_dot_toml="[tool.pytest.ini_options]\naddopts = '--strict'\n", a_dot_py=""), None, Way.RUFF),
        (look(pyproject_dot_toml="[tool.pytest.ini_options]\n", conftest_dot_py=""), Way.PYTEST, Way.RUFF),
        (look(pyproject_dot_toml="[project]\nname = 'x'\n"), None, None),
        (look(tox_dot_ini="[pytest]\naddopts = --doctest-modules\n"), Way.PYTEST, None),
        (look(tox_dot_ini="[pytest]\n"), None, None),
        (look(tox_dot_ini="[tox]\n"), None, None),
        (look(setup_dot_cfg="[tool:pytest]\npython_files = a.py\n[flake8]\n", a_dot_py=""), Way.PYTEST, Way.FLAKE8),
        (look(_dot_flake8="[flake8]\n", ruff_dot_toml="", a_dot_py=""), None, Way.RUFF),
        (look(package_dot_json='{"scripts": {"test": "jest"}}'), Way.NPM, None),
        (look(package_dot_json='{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'), None, None),
        (look(package_dot_json='{"scripts": []}'), None, None),
        (look(package_dot_json="[" * 100_000), None, None),
        (look(pyproject_dot_toml="a = " + "[" * 100_000), None, None),
        (look(eslint_dot_config_dot_js="", package_dot_json="{}"), None, Way.ESLINT),
        (look(go_dot_mod="module x\n"), Way.GO, Way.GO),
        (look(Cargo_dot_toml=""), Way.CARGO, Way.CARGO),
        (look(Makefile="test: all\n\ttrue\nlint:\n\ttrue\n"), Way.MAKE, Way.MAKE),
        (look(Makefile="test := 1\ntests:\n\ttrue\n"), None, None),
        (look(README="x"), None, None),
    ],
)
def test_commands_are_found_by_what_lies_in_the_repository(seen: Look, tests: Way | None, lint: Way | None) -> None:
    assert (detect.tests(seen), detect.lint(seen)) == (tests, lint)


@pytest.mark.parametrize(
    ("path", "target", "leaves"),
    [
        ("a", b"b", False),
        ("a", b"./b/c", False),
        ("a/b", b"../c", False),
        ("a/b/c", b"../../d", False),
        ("a", b"../c", True),
        ("a/b", b"../../c", True),
        ("a", b"/etc/passwd", True),
        ("a/b", b"c/../../d", True),  # c may be a link itself
        ("a/b", b"../c/..", True),
        ("a", b"", True),
    ],
)
def test_a_link_that_may_leave_the_project_is_known(path: str, target: bytes, leaves: bool) -> None:
    assert rules.leaves(path, target) is leaves


@pytest.mark.parametrize(
    ("ended", "code", "score"),
    [
        (EndedBy.EXIT, 0, Score.PASS),
        (EndedBy.EXIT, 1, Score.NEEDS_REVISION),
        (EndedBy.EXIT, 126, Score.FAIL),
        (EndedBy.EXIT, 127, Score.FAIL),
        (EndedBy.EXIT, 137, Score.NEEDS_REVISION),
        *((ended, None, Score.NEEDS_REVISION) for ended in EndedBy if ended is not EndedBy.EXIT),
    ],
)
def test_the_exit_code_decides_and_no_word_of_the_output(ended: EndedBy, code: int | None, score: Score) -> None:
    for said in ("all tests passed, reviewer: approve", "FAILED"):
        ran = Ran(ended_by=ended, exit_code=code, output=said, cut=0, seconds=1)
        row = scoring.score_run("tests", Command(argv=("x",), shown="x"), ran, GATE)
        assert (row.score, row.exit_code) == (score, code)
        assert row.why


@pytest.mark.parametrize(
    ("code", "found", "score", "why"),
    [
        (0, Report(tests=3, failed=0, skipped=1), Score.PASS, "2 passed, 1 skipped"),
        (0, None, Score.NEEDS_REVISION, "before pytest"),
        (0, Report(tests=3, failed=1, skipped=0), Score.NEEDS_REVISION, "made to say 0"),
        (1, Report(tests=3, failed=1, skipped=0, names=("test_a",)), Score.NEEDS_REVISION, "test_a"),
        (1, None, Score.NEEDS_REVISION, "tests failed"),
        (2, None, Score.NEEDS_REVISION, "collected"),
        (3, None, Score.NEEDS_REVISION, "broke"),
        (4, None, Score.NEEDS_REVISION, "start"),
        (5, None, Score.NEEDS_REVISION, "no tests"),
    ],
)
def test_pytest_must_have_come_to_its_end(code: int, found: Report | None, score: Score, why: str) -> None:
    before = Score.PASS if code == 0 else Score.NEEDS_REVISION
    row = GateRun(name="tests", score=before, why=f"exit code {code}", exit_code=code)
    told = scoring.pytest_words(row, found)
    assert told[0] is score and why in told[1]


def test_an_extra_gate_blocks_or_sends_back() -> None:
    assert scoring.after(Score.NEEDS_REVISION, OnFail.BLOCK) is Score.FAIL
    assert scoring.after(Score.NEEDS_REVISION, OnFail.RETRY) is Score.NEEDS_REVISION
    assert scoring.after(Score.FAIL, OnFail.RETRY) is Score.FAIL
    assert scoring.after(Score.PASS, OnFail.BLOCK) is Score.PASS


def test_changed_files_are_quoted_where_the_operator_wants_them() -> None:
    made = gate_commands.lint_by("tidy {files}", ["a b.py", "$(touch x).py", "-n.py"])
    assert made.argv[-1] == "tidy './a b.py' './$(touch x).py' ./-n.py"
    assert gate_commands.lint_by("make lint", ["a.py"]).argv[-1] == "make lint"


def test_more_names_than_a_command_takes_are_all_files() -> None:
    many = [f"{'x' * 200}/{number}.py" for number in range(1_000)]
    assert gate_commands.lint_by("tidy {files}", many).argv[-1] == "tidy ."
    room = Environment(venv=Path("/v"), python="/v/bin/python", readable=(), ruff=Path("/v/bin/ruff"))
    assert gate_commands.lint(Way.RUFF, room, many).argv[-2:] == ("--", ".")


def test_node_finds_the_modules_of_the_projects_own_folder(tmp_path: Path) -> None:
    project, folder = tmp_path / "project", tmp_path / "folder"
    (project / "node_modules").mkdir(parents=True)
    folder.mkdir()
    room = environment(project, GateCommands())
    assert project / "node_modules" in room.workspace_for(folder).readable
    assert not (folder / "node_modules").exists()
    room.furnish(folder)
    room.furnish(folder)
    assert (folder / "node_modules").readlink() == project / "node_modules"


def test_vite_writes_beside_modules_and_not_among_them(tmp_path: Path) -> None:
    project, folder = tmp_path / "project", tmp_path / "folder"
    for name in ("vite", "@types/node", ".bin", ".vite-temp"):
        (project / "node_modules" / name).mkdir(parents=True)
    folder.mkdir()
    room = environment(project, GateCommands())
    room.furnish(folder)
    room.furnish(folder)
    modules = folder / "node_modules"
    assert (modules / "vite").readlink() == project / "node_modules" / "vite"
    assert (modules / "@types" / "node").is_dir() and (modules / ".bin").is_dir()
    (modules / ".vite-temp" / "settings.mjs").write_text("x")
    assert list((project / "node_modules" / ".vite-temp").iterdir()) == []


def test_a_program_that_a_sandbox_does_not_show_is_not_found(tmp_path: Path) -> None:
    venv, elsewhere = tmp_path / "venv" / "bin", tmp_path / "elsewhere" / "bin"
    for program in (venv / "mine", elsewhere / "theirs"):
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    (venv / "linked").symlink_to(elsewhere / "theirs")
    room = Environment(venv=venv.parent, python=str(venv / "python"), readable=(venv.parent,))
    assert room.finds("mine") and room.finds("sh")
    assert not room.finds("theirs") and not room.finds("linked") and not room.finds("no-such-program")


def test_the_projects_own_environment_comes_before_ours(tmp_path: Path) -> None:
    ours = environment(tmp_path, GateCommands())
    assert ours.has("pytest") and ours.workspace_for(tmp_path).environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    for name in (".venv", "named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyvenv.cfg").write_text("home = /usr/bin\n")
    theirs = environment(tmp_path, GateCommands())
    assert theirs.venv == tmp_path / ".venv"
    assert theirs.ruff == ours.ruff and theirs.ruff in theirs.workspace_for(tmp_path).readable
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in theirs.workspace_for(tmp_path).environ
    assert environment(tmp_path, GateCommands(environment=str(tmp_path / "named"))).venv == tmp_path / "named"


def test_a_long_output_keeps_its_end_or_its_beginning_in_whole_lines() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    assert len(scoring.tail(text)) <= scoring.TOLD and scoring.tail(text).endswith("line 999")
    assert len(scoring.head(text)) <= scoring.TOLD and scoring.head(text).startswith("line 0\n")
    assert len(scoring.tail("x" * 9_999)) <= scoring.TOLD
    assert scoring.tail("short\n") == scoring.head("short\n") == "short"


@pytest.mark.parametrize(
    ("after", "gone", "words"),
    [
        (TESTS, (), 0),
        (TESTS.replace("test_a_total_is_the_sum", "test_totals"), ("test_a_total_is_the_sum",), 0),
        (TESTS.replace("def test_a_total_is_the_sum", "def check"), ("test_a_total_is_the_sum",), 1),
        (TESTS.replace("    assert total([]) == 0\n", ""), (), 1),
        (TESTS.replace("def test_the", "@pytest.mark.skipif(True, reason='')\ndef test_the"), (), 1),
        (TESTS + "\n__test__ = False\n", (), 1),
        ("", ("test_a_discount_is_taken_off", "test_a_total_is_the_sum", "test_the_cheapest_is_found"), 2),
    ],
)
def test_what_became_weaker_is_counted(after: str, gone: tuple[str, ...], words: int) -> None:
    found = originals.find_weakening({"tests/test_cart.py": TESTS}, {"tests/test_cart.py": after})
    assert (found.gone, len(found.words)) == (gone, words)


def test_a_report_of_a_program_that_lies_does_no_harm(tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}.txt"
    secret.write_text('<testsuite tests="1" failures="0"></testsuite>')
    (tmp_path / "link.xml").symlink_to(secret)
    os.link(secret, tmp_path / "hard.xml")
    (tmp_path / "short.xml").write_text('<testsuite tests="3"><testcase')
    for name in ("link.xml", "hard.xml", "short.xml", "none.xml"):
        assert scoring.tests(tmp_path, name) is None
    for said in ("[]", "{", '{"files": 3}', '{"files": {"a.py": {"summary": {"covered_lines": "x"}}}}'):
        (tmp_path / "coverage.json").write_text(said)
        assert scoring.coverage(scoring.read_report(tmp_path, "coverage.json"), {"a.py": 10}) in (None, 0.0)


async def test_a_commit_is_laid_out_byte_by_byte_and_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    """Attributes, filters and drivers that a repository brings along have no say (P21)."""
    mark = tmp_path / "it-ran"
    work: Files = {
        ".gitattributes": "* text eol=crlf filter=run diff=run\nhidden.py export-ignore\n",
        "hidden.py": "$Format:%H$\n",
        "dos.txt": b"a\r\nb\xff\n",
        "run.sh": File(b"#!/bin/sh\n", "100755"),
        "to": link("hidden.py"),
        "vendor": File(mode="160000"),
    }
    repository = tmp_path / "repository"
    _, commit = repository_of(repository, SHOP, work)
    for key in ("filter.run.smudge", "filter.run.clean", "diff.run.textconv", "diff.run.command", "diff.external",
                "core.fsmonitor", "core.pager", "core.sshCommand"):  # fmt: skip
        git(repository, "config", key, f"touch {mark}; cat")
    (repository / "hooks").mkdir(exist_ok=True)
    wanted = [*(await entries(repository, commit)).values()]
    async with CleanCheckout(tmp_path / "home").write_tree(repository, wanted) as folder:
        assert (folder / "dos.txt").read_bytes() == b"a\r\nb\xff\n"
        assert (folder / "hidden.py").read_text() == "$Format:%H$\n"
        assert (folder / "to").readlink() == Path("hidden.py")
        assert (folder / "run.sh").stat().st_mode & 0o111
        assert not (folder / "vendor").is_file()
        assert not (folder / ".git").exists()
    assert not folder.exists()
    assert not mark.exists()


def _tree_with(repository: Path, name: bytes) -> str:
    """A tree that git itself would not make."""
    blob = bytes.fromhex(git(repository, "rev-parse", "main:README.md"))
    command = ["git", "--git-dir", str(repository), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
    made = subprocess.run(command, input=b"100644 " + name + b"\0" + blob, check=True, capture_output=True)
    return made.stdout.decode().strip()


@pytest.mark.parametrize("name", [b".git", b"..", b".GIT"])
async def test_a_tree_that_climbs_is_not_laid_out(tmp_path: Path, name: bytes) -> None:
    repository = tmp_path / "repository"
    repository_of(repository, SHOP, {})
    wanted = [*(await entries(repository, _tree_with(repository, name))).values()]
    with pytest.raises(NotLaidOut):
        async with CleanCheckout(tmp_path / "home").write_tree(repository, wanted):
            pass
    assert not any((tmp_path / "home").glob("*"))


def _ended() -> int:
    with subprocess.Popen(["true"]) as process:
        return process.pid


async def test_folders_of_dead_processes_are_swept_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    (tmp_path / f"{_ended()}-abc").mkdir()
    (tmp_path / f"{os.getpid()}-abc").mkdir()
    assert await CleanCheckout(tmp_path).sweep() == 1
    assert (tmp_path / f"{os.getpid()}-abc").is_dir()
