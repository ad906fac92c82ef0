"""How tests were judged, in words: by which means, and which of them was not at hand."""

from collections.abc import Sequence

from agents.domain.checks.evaluation import GateRun, Rung
from bot.messages import Row

LABEL = "Tests judged by"
RUNGS: dict[Rung, str] = {
    Rung.EXIT_CODE: "exit code only",
    Rung.BY_TEST: "results test by test",
    Rung.PLANTED: "planted tests in the runner",
    Rung.OLD_TESTS: "old tests on the new code",
    Rung.AS_TEXT: "test files compared as text",
    Rung.SYNTAX_TREE: "syntax tree of the tests",
    Rung.NEW_TESTS: "new tests on the old code",
    Rung.COVERAGE: "coverage of the changed lines",
    Rung.NOT_COVERED: "coverage of the changed lines not measured",
    Rung.FAULTS: "faults planted in the code",
}


def rung_rows(gates: Sequence[GateRun]) -> list[Row]:
    """Nothing where no tests were run. What one package has measured and another has not, both are said."""
    used = {rung for gate in gates for rung in gate.rungs}
    return [Row(label=LABEL, value=" · ".join(words for rung, words in RUNGS.items() if rung in used))] if used else []
