"""The gates on the corpus: no bad work is accepted, and no good work is refused."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agents.domain.checks.evaluation import GateCommands, GateRun, Score, sum_up
from agents.workspace.environments.tree_environment import environment
from tests.conformance.sandbox_rig import NAMED
from tests.evaluator.attacks import ATTACKS, HONEST
from tests.evaluator.bad_rules import BAD_RULES
from tests.evaluator.bad_tests import BAD_TESTS
from tests.evaluator.good import GOOD
from tests.evaluator.ladder import LADDER
from tests.evaluator.languages import LANGUAGES
from tests.evaluator.pieces import Piece
from tests.evaluator.red_base import RED_BASE
from tests.evaluator.talked_round import TALKED_ROUND
from tests.evaluator.unproven import UNPROVEN
from tests.evaluator.yard import Verdict, judge_all

ALL = (*GOOD, *BAD_RULES, *BAD_TESTS, *LANGUAGES, *RED_BASE, *TALKED_ROUND, *UNPROVEN, *LADDER, *ATTACKS, *HONEST)
# Judged by `make bench ARGS=--all`, where sandboxes are named: what others like them show too.
RARE = {
    "a class of tests that says it is none",
    "a class that is equal by its values",
    "a file of tests split in two",
    "a fixture that lies",
    "a fixture with a better name",
    "a module of the tests' folder in place of the shop",
    "a new test of another value",
    "a new test that catches what it finds",
    "a new test that does nothing",
    "a new test that imports the new code and tests the old",
    "a new test that is always true",
    "a new test that leaves early",
    "a new test under a condition that never holds",
    "a plugin named by a new test",
    "a return first in one test",
    "an added test that does nothing",
    "an example in the documentation taken out",
    "an example more in the documentation",
    "an ini of tox",
    "another ini that wins",
    "cases of a table swapped for easy ones",
    "code that looks for the test that runs",
    "code that writes over tests before they are loaded",
    "fewer parameters and tests to make up for it",
    "names for the cases of a table",
    "test data that went, elsewhere",
    "tests that are expected to fail now and then",
    "tests that import another cart",
    "tests that need what is not there",
    "the red test of a bug taken away",
    "words and types in a test",
}
CORPUS = {piece.name: piece for piece in ALL if NAMED or piece.name not in RARE}
RULES = ("forbidden files", "scope", "secrets", "loop")
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def verdicts(request: pytest.FixtureRequest) -> Iterator[Mapping[str, Verdict]]:
    """Of the pieces that were asked for, judged side by side; while lines are mapped to tests, each by its own test."""
    wanted = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    pieces = [piece for name, piece in CORPUS.items() if name in wanted and not _missing(piece)]
    with TemporaryDirectory(prefix="overlord-corpus-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        mapped = "OVERLORD_COVERAGE_MAP" in os.environ
        yield _OnDemand(Path(made)) if mapped else asyncio.run(judge_all(pieces, Path(made)))


class _OnDemand(dict[str, Verdict]):
    def __init__(self, place: Path) -> None:
        super().__init__()
        self._place = place

    def __missing__(self, name: str) -> Verdict:
        return asyncio.run(judge_all([CORPUS[name]], self._place / str(list(CORPUS).index(name))))[name]


def _missing(piece: Piece) -> list[str]:
    found = environment(Path("/"), GateCommands()).finds
    return [program for program in piece.needs if not found(program)]


@pytest.mark.parametrize("name", CORPUS)
def test_the_gates_are_right(name: str, verdicts: Mapping[str, Verdict]) -> None:
    piece = CORPUS[name]
    if missing := _missing(piece):
        pytest.skip(f"not run: {', '.join(missing)} is not there for gates to find")
    verdict = verdicts[name]
    gates = verdict.judged.gates
    score, feedback = sum_up(gates)
    assert score is piece.verdict, _table(gates)
    if piece.gate:
        row = next(gate for gate in gates if gate.name == piece.gate)
        assert row.score is piece.verdict, _table(gates)
        assert piece.why in f"{row.why}\n{row.output}", _table(gates)
    assert bool(feedback) is (score is not Score.PASS)
    _is_told_well(piece, verdict)


def _is_told_well(piece: Piece, verdict: Verdict) -> None:
    """What holds whatever the verdict is."""
    gates = verdict.judged.gates
    extra = tuple(gate.name for gate in piece.commands.extra)
    by_rule = any(gate.score is Score.NEEDS_REVISION and gate.name != "loop" for gate in gates[: len(RULES)])
    run = () if by_rule else ("tests", "lint", *extra, "original tests", "new tests")
    assert tuple(gate.name for gate in gates) == (*RULES, *run)
    assert verdict.left == (), "folders of the gates were left behind"
    assert all(len(gate.output) <= 2_000 and len(gate.why) <= 600 for gate in gates)
    assert all(gate.log in verdict.kept for gate in gates if gate.exit_code is not None)
    everything = "\n".join((str(verdict.judged), *verdict.kept.values(), *verdict.audience.shown))
    assert not any(secret in everything for secret in piece.hidden)
    failed = next((at for at, gate in enumerate(gates) if gate.score is Score.FAIL), len(gates))
    assert all(not gate.ran for gate in gates[max(failed + 1, len(RULES)) :])


def _table(gates: tuple[GateRun, ...]) -> str:
    return "\n".join(f"{gate.name}: {gate.score}, {gate.why} [{gate.exit_code}]\n{gate.output}" for gate in gates)


def test_the_corpus_is_as_large_as_was_promised() -> None:
    names = {piece.name for piece in ALL}
    assert len(names) == len(ALL), "two pieces share a name"
    assert names > RARE, "what is tried rarely is there"
    assert len(CORPUS) >= 40
