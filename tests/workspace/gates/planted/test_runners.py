"""Which runner is given planted tests: one whose command can be read, and is the same before and after."""

import json

import pytest

from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.planted.plant import Planted
from agents.workspace.gates.planted.runners import planted_beneath, planted_in


def look(script: str) -> Look:
    return Look(texts={"package.json": json.dumps({"scripts": {"test": script}})})


@pytest.mark.parametrize(
    ("script", "runner"),
    [
        ("node --test", Planted.NODE),
        ("node --import tsx --test test/", None),
        ("node --test --test-reporter=dot", None),
        ("mocha", Planted.MOCHA),
        ("npx mocha 'test/**/*.js' --exit", Planted.MOCHA),
        ("mocha --parallel", None),
        ("cross-env NODE_ENV=test jest --ci", Planted.JEST),
        ("NODE_OPTIONS=--experimental-vm-modules jest", Planted.JEST),
        ("jest --coverage", None),
        ("vitest run", Planted.VITEST),
        ("vitest", Planted.VITEST),
        ("vitest --watch", None),
        ("tsc && jest", None),
        ("jest | tee log", None),
        ("nyc mocha", None),
        ("jest-runner-of-ours", None),
        ("true", None),
        ("", None),
    ],
)
def test_a_script_tells_its_runner_or_nothing(script: str, runner: Planted | None) -> None:
    assert planted_in(Way.NPM, look(script), look(script)) is runner
    assert planted_in(Way.NPM, look(script), look("node --test other/ && true")) is None


def test_other_languages_have_one() -> None:
    nothing = look("")
    found = {way: planted_in(way, nothing, nothing) for way in (Way.PYTEST, Way.GO, Way.CARGO, Way.MAKE)}
    assert found == {Way.PYTEST: Planted.PYTEST, Way.GO: Planted.GO, Way.CARGO: Planted.CARGO, Way.MAKE: None}


def test_one_pytest_that_make_starts_is_heard() -> None:
    rules = Look(texts={"Makefile": "test:\n\tpytest -q\n"})
    assert planted_beneath("make test", rules, rules) is Planted.BENEATH
    assert planted_beneath("make test", rules, Look(texts={})) is None
    assert planted_beneath("./test", rules, rules) is None
