"""The gates on the corpus: no bad work is accepted, and no good work is refused."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agents.domain.checks.evaluation import GateRun, Score, sum_up
from tests.conformance.sandbox_rig import NAMED
from tests.evaluator.attacks import ATTACKS, HONEST
from tests.evaluator.bad_rules import BAD_RULES
from tests.evaluator.bad_tests import BAD_TESTS
from tests.evaluator.good import GOOD
from tests.evaluator.ladder import LADDER
from tests.evaluator.languages import LANGUAGES
from tests.evaluator.pieces import Piece
from tests.evaluator.red_base import RED_BASE
from tests.evaluator.second_look import SECOND_LOOK
from tests.evaluator.served import SERVED_PIECES
from tests.evaluator.talked_round import TALKED_ROUND
from tests.evaluator.unproven import UNPROVEN
from tests.evaluator.variants import VARIANTS
from tests.evaluator.yard import Verdict, judge_all, missing_programs

RULES = ("forbidden files", "scope", "secrets", "loop")
OTHERS = (
    *LANGUAGES,
    *RED_BASE,
    *TALKED_ROUND,
    *UNPROVEN,
    *LADDER,
    *ATTACKS,
    *HONEST,
    *VARIANTS,
    *SECOND_LOOK,
    *SERVED_PIECES,
)
ALL = (*GOOD, *BAD_RULES, *BAD_TESTS, *OTHERS)
# What `make test` has judged, one or two of a kind; `make bench ARGS=--all`, where sandboxes are named, takes all.
# Those that rules send back cost little.
USUALLY = {
    "a change with its tests",
    "a conftest that brings the code of the last of many modules",
    "a daemon left behind by a test",
    "a feature with a test of the project's own naming",
    "a file renamed whose tests are inherited",
    "a fix that mends a red test",
    "a fix that mends nothing",
    "a helper of tests in the program that asserts nothing",
    "a new test of a fixture that runs the change",
    "a new test that only sees that something is there",
    "a new test that proves nothing, and no fix",
    "a number that is equal to what is near",
    "a plugin of the project that leaves tests out",
    "a red test made green by a conftest",
    "a return first in each test",
    "a sitecustomize of its own",
    "a test class in another file with its code changed",
    "a test command that is not there",
    "a test of the project's own naming made to fit",
    "a test that ends pytest",
    "a test that never ends",
    "a test that was made to fit",
    "a test with a wider tolerance",
    "all tests gone",
    "an environment that is not there",
    "an extra gate that blocks",
    "an extra gate that complains of more",
    "an untidy file with one good line more",
    "assertions put into a table of cases",
    "bad work on a base that is red elsewhere",
    "code that asks whether it is tested",
    "code that breaks a test",
    "code that writes over a test and puts it back",
    "commands of the project's own",
    "fewer parameters",
    "good work on a base that is unsteady",
    "make, good",
    "make, red before and redder after",
    "make, with another check",
    "node, a test of a value with itself",
    "node, with another shell",
    "nothing, where nothing was to be written",
    "nothing, where something was to be done",
    "other settings that leave tests out",
    "pytest told to be strict",
    "rust, a test inside made to fit",
    "settings that take its rules away",
    "source that has tests read otherwise",
    "source that reads other data",
    "test data that was made to fit",
    "tests joined into a table",
    "tests that import what is not installed",
    "the first tests of a project",
    "words alone",
}
CORPUS = {piece.name: piece for piece in ALL if NAMED or piece.name in USUALLY or piece.gate in RULES}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def verdicts(request: pytest.FixtureRequest) -> Iterator[Mapping[str, Verdict]]:
    """Of the pieces that were asked for, judged side by side; while lines are mapped to tests, each by its own test."""
    wanted = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    pieces = [piece for name, piece in CORPUS.items() if name in wanted and not missing_programs(piece.needs)]
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


@pytest.mark.parametrize("name", CORPUS)
def test_the_gates_are_right(name: str, verdicts: Mapping[str, Verdict]) -> None:
    piece = CORPUS[name]
    if missing := missing_programs(piece.needs):
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
    assert names > USUALLY, "what is tried each time is there"
    assert len(CORPUS) >= 40
