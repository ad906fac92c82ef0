"""What gates say of a project before any change; nothing, unless a test says so."""

from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.project.ground import Baseline
from agents.ports import Show, show_nothing


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
