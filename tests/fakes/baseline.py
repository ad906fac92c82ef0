"""What gates say of a project before any change; nothing, unless a test says so."""

from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import PARTS_OF_TESTS, RULES, GateRun, Score
from agents.domain.project.ground import Baseline
from agents.ports import Judged, Show, show_nothing


@dataclass
class Measures:
    before: Baseline | None = None  # any change

    def measures(self, project: str) -> bool:
        return self.before is not None

    async def baseline(self, project: str, commit: str, key: str, show: Show = show_nothing) -> Baseline | None:
        return self.before


def accept_tests(gate: GateRun, keys: frozenset[str]) -> GateRun:
    """As the real gate does with changed tests that a person accepted."""
    shown = {each.key for each in gate.changed_tests}
    return replace(gate, score=Score.PASS, changed_tests=()) if shown and shown <= keys else gate


def part_of_tests(check: str) -> Judged:
    """Of what a workflow may name beside all checks: the rules are kept, and the project has parts of its tests."""
    if check == RULES:
        return Judged(gates=(GateRun(name="scope", score=Score.PASS, why="kept"),))
    if check not in PARTS_OF_TESTS:
        return Judged(gates=())
    why = GateRun(name=check, score=Score.PASS, why="12 passed", command="pytest -q", exit_code=0, seconds=1.5)
    return Judged(gates=(why,), coverage=91.0)
