"""The same failure is known again in other words, and what only looks alike is told apart."""

import pytest

from agents.domain.checks.evaluation import Change, Evaluation, GateRun, Score
from agents.domain.learning.signature import Obstacle, Signature, of_blocker, of_evaluation, of_gate


def gate(name: str, output: str, *, error: str = "") -> Signature:
    failed = GateRun(name=name, score=Score.NEEDS_REVISION, why="exit 1", command="x", output=output, error=error)
    return of_gate(failed, ["src/shop/cart.py"])


THE_SAME = {
    "a command that is not there, by two shells": (
        of_blocker("bash: mocha: command not found"),
        of_blocker("I ran the tests but got `sh: 1: mocha: not found`, so I cannot go on."),
    ),
    "a command that is not there, in prose": (
        of_blocker("The tool `protoc` is not installed in this sandbox."),
        of_blocker("protoc: command not found"),
    ),
    "a module, as Python says it and as a model does": (
        of_blocker("ModuleNotFoundError: No module named 'yaml'"),
        of_blocker("The tests cannot start: the module yaml is missing."),
    ),
    "a module with where it was met": (
        gate("tests", "tests/test_a.py:3: in <module>\nE   ModuleNotFoundError: No module named 'httpx'"),
        gate("tests", "tests/other/test_b.py:17: in <module>\nE   ModuleNotFoundError: No module named 'httpx'"),
    ),
    "a test, with another value": (
        gate("tests", "FAILED tests/test_cart.py::test_total - assert 3 == 4"),
        gate("tests", "FAILED tests/test_cart.py::test_total - assert 17 == 12\n1 failed in 0.31s"),
    ),
    "a rule, in other lines": (
        gate("lint", "src/a.py:3:1: F401 `os` imported but unused"),
        gate("lint", "src/b.py:90:14: F401 `sys` imported but unused\nFound 1 error."),
    ),
    "a rule of a type checker": (
        gate("types", "a.py:3: error: Incompatible types in assignment  [arg-type]"),
        gate("types", 'b/c.py:77: error: Argument 1 to "f" has incompatible type  [arg-type]'),
    ),
    "a variable that is not set": (
        of_blocker("DATABASE_URL is not set"),
        of_blocker("The tests need the environment variable `DATABASE_URL`, which is missing here."),
    ),
    "numbers, hashes and places": (
        of_blocker("The fixture server ended at 0x7f33aa on port 41233 in /tmp/xyz1"),
        of_blocker("The fixture server ended at 0x55e1bc on port 50999 in /tmp/abc2"),
    ),
    "a package of several": (
        gate("tests (web)", "not ok 3 - adds two numbers"),
        gate("tests (api)", "not ok 7 - adds two numbers"),
    ),
}
LOOK_ALIKE = {
    "two commands": (of_blocker("bash: mocha: command not found"), of_blocker("bash: jest: command not found")),
    "two modules": (
        of_blocker("ModuleNotFoundError: No module named 'yaml'"),
        of_blocker("ModuleNotFoundError: No module named 'toml'"),
    ),
    "a module and a command of one name": (
        of_blocker("No module named black"),
        of_blocker("black: command not found"),
    ),
    "two tests of one file": (
        gate("tests", "FAILED tests/test_cart.py::test_total - assert 3 == 4"),
        gate("tests", "FAILED tests/test_cart.py::test_empty - assert 3 == 4"),
    ),
    "one name in two files": (
        gate("tests", "FAILED tests/test_cart.py::test_total - assert 3 == 4"),
        gate("tests", "FAILED tests/test_shop.py::test_total - assert 3 == 4"),
    ),
    "two rules": (
        gate("lint", "src/a.py:3:1: F401 `os` imported but unused"),
        gate("lint", "src/a.py:3:1: F841 local variable `os` is assigned to but never used"),
    ),
    "one message of two checks": (gate("tests", "E   KeyError: 'a'"), gate("docs", "E   KeyError: 'a'")),
    "work that is wrong, and a check that came to no result": (
        gate("tests", "the server said no"),
        gate("tests", "the server said no", error="resource"),
    ),
    "two variables": (of_blocker("DATABASE_URL is not set"), of_blocker("REDIS_URL is not set")),
    "two files": (
        of_blocker("cat: settings.toml: No such file or directory"),
        of_blocker("cat: secrets.toml: No such file or directory"),
    ),
}


@pytest.mark.parametrize("case", THE_SAME)
def test_the_same_failure_is_known_again(case: str) -> None:
    one, other = THE_SAME[case]
    assert one.key == other.key, f"{one} and {other}"


@pytest.mark.parametrize("case", LOOK_ALIKE)
def test_what_only_looks_alike_is_told_apart(case: str) -> None:
    one, other = LOOK_ALIKE[case]
    assert one.key != other.key, f"both are {one}"


def test_who_met_it_is_kept_and_does_not_count() -> None:
    one, other = of_blocker("make: not found", role="implementer"), of_blocker("make: not found", engine="codex")
    assert one.key == other.key and (one.role, other.engine) == ("implementer", "codex")
    assert (one.obstacle, one.names) == (Obstacle.MISSING_COMMAND, ("make",))


def test_each_check_of_an_evaluation_that_said_no_has_one() -> None:
    gates = (
        GateRun(name="tests", score=Score.PASS, why="12 passed", command="pytest"),
        GateRun(
            name="lint", score=Score.NEEDS_REVISION, why="1 error", command="ruff", output="a.py:1:1: E501 too long"
        ),
        GateRun(name="types", score=Score.NEEDS_REVISION, why="not run: lint said no"),
        GateRun(name="docs", score=Score.NEEDS_REVISION, why="waived", command="x", skipped=True),
        GateRun(name="scope", score=Score.FAIL, why="`deploy.yaml` is outside of the scope"),
    )
    changes = (Change(path="src/a.py", status="M"), Change(path="src/b.py", status="A"))
    judged = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.FAIL, gates=gates, changes=changes)
    lint, scope = of_evaluation(judged)
    assert (lint.check, lint.obstacle, lint.names) == ("lint", Obstacle.RULES, ("E501",))
    assert (scope.check, scope.names, scope.area) == ("scope", ("deploy.yaml",), "src")


@pytest.mark.parametrize("said", ["", "?", "\n\n", "0x1", "' ' ' `", "E   ", "x" * 50_000])
def test_whatever_is_said_has_a_signature(said: str) -> None:
    assert of_blocker(said).key and gate("tests", said).key
