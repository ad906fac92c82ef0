"""What passed is not run twice on the same files; whatever differs is."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.workspace.environments.tree_environment import Environment
from agents.workspace.gates import passed_runs
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.passed_runs import PassedRun, PassedRuns
from agents.workspace.gates.planted.belief import Belief
from agents.workspace.gates.scoring import Report
from agents.workspace.git.objects import Entry

FILES = (Entry(path="a.py", mode="100644", blob="1" * 40), Entry(path="b.py", mode="100644", blob="2" * 40))
COMMAND = Command(argv=("python", ".out-1", "a.py,b.py", "-q"), shown="pytest -q", measured=("a.py", "b.py"))
RUN = PassedRun(output="2 passed", report=Report(tests=2, failed=0, skipped=0), measured=("a.py", "b.py"))


@pytest.fixture
def runs(tmp_path: Path) -> PassedRuns:
    return PassedRuns(tmp_path / "passed")


def test_the_same_is_found_again_whatever_its_folder_is_called(runs: PassedRuns) -> None:
    runs.keep(runs.key(("shop",), FILES, COMMAND, ".out-1"), RUN)
    again = replace(COMMAND, argv=("python", ".out-2", "a.py", "-q"), measured=("a.py",))
    assert runs.find(runs.key(("shop",), FILES[::-1], again, ".out-2"), ("a.py",)) == RUN
    assert runs.find(runs.key(("shop",), FILES, COMMAND, ".out-1"), ("a.py", "c.py")) is None, "c.py was not measured"


def test_a_runner_that_was_doubted_is_not_believed_the_second_time(runs: PassedRuns, tmp_path: Path) -> None:
    key = runs.key(("shop",), FILES, COMMAND, ".out-1")
    runs.keep(key, replace(RUN, belief=Belief.DOUBTED))
    found = runs.find(key, ())
    assert found is not None and found.belief is Belief.DOUBTED
    file = tmp_path / "passed" / f"{key}.json"
    file.write_text(json.dumps({k: v for k, v in json.loads(file.read_text()).items() if k != "belief"}))
    earlier = runs.find(key, ())
    assert earlier is not None and earlier.belief is Belief.BELIEVED, "an earlier version kept none"


@pytest.mark.parametrize(
    ("where", "files", "argv"),
    [
        (("other",), FILES, COMMAND.argv),
        (("shop", "another layer"), FILES, COMMAND.argv),
        (("shop",), FILES[:1], COMMAND.argv),
        (("shop",), (FILES[0], replace(FILES[1], blob="3" * 40)), COMMAND.argv),
        (("shop",), (FILES[0], replace(FILES[1], mode="100755")), COMMAND.argv),
        (("shop",), (FILES[0], replace(FILES[1], path="c.py")), COMMAND.argv),
        (("shop",), FILES, (*COMMAND.argv, "-x")),
    ],
)
def test_whatever_differs_is_another_run(
    runs: PassedRuns, where: tuple[str, ...], files: tuple[Entry, ...], argv: tuple[str, ...]
) -> None:
    runs.keep(runs.key(("shop",), FILES, COMMAND, ".out-1"), RUN)
    assert runs.find(runs.key(where, files, replace(COMMAND, argv=argv), ".out-1"), ()) is None


def test_what_is_broken_or_too_large_is_run_again(runs: PassedRuns, tmp_path: Path) -> None:
    key = runs.key(("shop",), FILES, COMMAND, ".out-1")
    runs.keep(key, replace(RUN, output="x" * (passed_runs.LARGEST + 1)))
    assert runs.find(key, ()) is None
    runs.keep(key, RUN)
    for broken in ("", "{", "[]", '{"output": 3}'):
        (tmp_path / "passed" / f"{key}.json").write_text(broken)
        assert runs.find(key, ()) is None


def test_the_oldest_make_room(runs: PassedRuns, tmp_path: Path) -> None:
    for number in range(passed_runs.MOST + 5):
        runs.keep(f"{number:064}", RUN)
    assert len(list((tmp_path / "passed").iterdir())) <= passed_runs.MOST


def test_an_environment_is_another_one_when_something_was_installed(tmp_path: Path) -> None:
    packages = tmp_path / "lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    around = Environment(venv=tmp_path, python="python", readable=())
    before = around.identity
    assert around.identity == before
    (packages / "new-1.0.dist-info").mkdir()
    assert around.identity != before
    assert replace(around, environ={"A": "1"}).identity != around.identity
