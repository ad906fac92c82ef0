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
    "a module, by another runtime": (
        of_blocker("Error: Cannot find module '@babel/core'\nRequire stack:\n- x.js"),
        of_blocker("The npm package `@babel/core` is missing."),
    ),
    "a command, with words around it": (
        of_blocker("zsh: command not found: node"),
        of_blocker("There is no `node` binary on this machine"),
    ),
    "a variable, as a program and as a person says it": (
        of_blocker("KeyError: 'API_KEY'"),
        of_blocker("API_KEY must be set before the tests run"),
    ),
    "a file, as a program and as a person says it": (
        of_blocker("FileNotFoundError: [Errno 2] No such file or directory: 'config/settings.yaml'"),
        of_blocker("The file config/settings.yaml does not exist"),
    ),
    "a place that is closed": (
        of_blocker("PermissionError: [Errno 13] Permission denied: '/var/data'"),
        of_blocker("I am not allowed to write to /var/data"),
    ),
    "a server out of reach": (
        of_blocker("HTTPSConnectionPool(host='api.shop.test', port=443): Max retries exceeded"),
        of_blocker("There is no network access to api.shop.test"),
    ),
    "a full disk": (of_blocker("ENOSPC: no space left on device, write"), of_blocker("The disk is full")),
    "a test of Jest, as slow as it may be": (
        gate("tests", "  ✕ adds two numbers (5 ms)"),
        gate("tests", "  ✕ adds two numbers (41 ms)\n\nTests: 1 failed"),
    ),
    "a test, in a short and in a long report": (
        gate("tests", "FAILED tests/test_cart.py::test_total[1] - assert 3 == 4"),
        gate("tests", "tests/test_cart.py::test_total[1] FAILED                [ 50%]"),
    ),
    "a rule of ESLint": (
        gate("lint", "src/a.ts\n  3:1  error  'x' is defined but never used  no-unused-vars"),
        gate("lint", "src/b.ts\n  90:14  error  'sum' is defined but never used  no-unused-vars"),
    ),
    "a package of several": (
        gate("tests (web)", "not ok 3 - adds two numbers"),
        gate("tests (api)", "not ok 7 - adds two numbers"),
    ),
}
LOOK_ALIKE = {
    "two parts of one package": (of_blocker("No module named 'shop.cart'"), of_blocker("No module named 'shop.till'")),
    "one name in two folders": (
        of_blocker("cat: web/config.toml: No such file or directory"),
        of_blocker("cat: api/config.toml: No such file or directory"),
    ),
    "a variable and a file of that name": (
        of_blocker("API_KEY is not set"),
        of_blocker("The file API_KEY.txt is missing"),
    ),
    "what is not installed and what is too old": (
        of_blocker("openssl is not installed"),
        of_blocker("openssl is too old"),
    ),
    "two services of one machine": (
        of_blocker('connection to server at "localhost", port 5432 failed: Connection refused'),
        of_blocker('connection to server at "localhost", port 6379 failed: Connection refused'),
    ),
    "two things that the code names": (
        of_blocker("The type of `price` is unclear"),
        of_blocker("The type of `total` is unclear"),
    ),
    "a full disk and too little memory": (
        of_blocker("write: no space left on device"),
        of_blocker("JavaScript heap out of memory"),
    ),
    "two tests of Jest": (gate("tests", "  ✕ adds (5 ms)"), gate("tests", "  ✕ removes (5 ms)")),
    "two rules of ESLint": (
        gate("lint", "  3:1  error  'x' is defined but never used  no-unused-vars"),
        gate("lint", "  3:1  error  'x' is not defined  no-undef"),
    ),
    "two errors of no known form": (
        gate("build", "link: the symbol is not exported"),
        gate("build", "link: the archive is truncated"),
    ),
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


OTHER_WORDS = (
    ("The sandbox has no compiler", "No compiler is available in the sandbox"),
    ("Handlers have no convention for errors", "There is no convention for the errors of handlers."),
    ("The React tests keep failing because jsdom is not set up", "jsdom isn't configured, React tests can't run"),
    ("Tests need a running Redis, and there is none.", "There is no Redis running for the tests."),
    (
        "I cannot decide which of the two payment providers to use; the request does not say.",
        "The request doesn't say which payment provider should be used of the two.",
    ),
)
OTHER_THINGS = (
    ("The sandbox has no compiler", "The sandbox has no browser"),
    ("Handlers have no convention for errors", "Handlers have no convention for logging"),
    ("Tests need a running Redis, and there is none.", "Tests need a running Postgres, and there is none."),
    ("I cannot decide which payment provider to use", "I cannot decide which date format to use"),
    ("The request contradicts the plan", "The plan contradicts the code"),
    ("The API of version 1 lacks the endpoint for users", "The API of version 1 lacks the endpoint for carts"),
    ("Nobody says what `tax_rate` of an order means", "Nobody says what `net_price` of an order means"),
)


@pytest.mark.parametrize("words", OTHER_WORDS)
def test_what_is_told_in_words_is_known_again_in_others(words: tuple[str, str]) -> None:
    one, other = map(of_blocker, words)
    assert one.is_like(other) and other.is_like(one), f"{one} and {other}"


@pytest.mark.parametrize("words", OTHER_THINGS)
def test_the_same_said_of_something_else_is_another(words: tuple[str, str]) -> None:
    one, other = map(of_blocker, words)
    assert not one.is_like(other) and not other.is_like(one), f"{one} and {other}"


def test_what_the_work_has_no_part_in_is_the_same_for_whoever_meets_it() -> None:
    met, told = gate("tests", "sh: 1: mocha: not found"), of_blocker("mocha: command not found")
    assert met.key != told.key and met.is_like(told)
    failing, flagged = gate("tests", "E   KeyError: 'a'"), gate("docs", "E   KeyError: 'a'")
    assert not failing.is_like(flagged), "what goes wrong in the work itself is another for another check"


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


PIECES = (
    "x",
    "a.b/",
    "' ",
    "(",
    "no ",
    "A_B ",
    "::",
    "a-",
    "port 5432 ",
    "is is ",
    "error: [",
    "    1:1 error a  ",
    "● a › ",
)


@pytest.mark.parametrize("said", ["", "?", "\n\n", "0x1", "' ' ' `", "E   ", *(piece * 9_000 for piece in PIECES)])
def test_whatever_is_said_has_a_signature(said: str) -> None:
    """However long it is: no pattern of ours goes over it again and again."""
    assert of_blocker(said).key and gate("tests", said).key
