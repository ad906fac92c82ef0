"""Which engine a role gets over simulated rows: too few of them, inside the margin, locked, too far, undone."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from agents.domain.metrics.adaptive import Adaptive, Assigned, Choice, Looked, Ruling, adapt
from agents.domain.metrics.run_row import Run
from agents.domain.workflow.roles import TITLES, EngineName
from tests.domain.metrics.rows import AT, run

BUILTIN, CLAUDE, CODEX = EngineName.BUILTIN, EngineName.CLAUDE, EngineName.CODEX
ON = Adaptive(enabled=True, max_deviation_from_default=1.0)
ROLE = "implementer"


def rows(engine: EngineName, well: int, failed: int, cost: float = 0.1, **other: Any) -> list[Run]:
    given = {"engine": f"{TITLES[engine]}, bubblewrap", "cost": cost, **other}
    return [run(task, **{"success": task < well, **given}) for task in range(well + failed)]


def look(runs: Sequence[Run], settings: Adaptive = ON, choice: Choice | None = None, here: Any = (CODEX,)) -> Looked:
    role = Assigned(role=ROLE, written=BUILTIN, choice=choice)
    (found,) = adapt([role], runs, here, settings, AT)
    return found


BETTER = (*rows(BUILTIN, 12, 8), *rows(CODEX, 18, 2))  # 0.6 and 0.9 at the same cost


def test_the_better_engine_is_chosen_with_its_score() -> None:
    found = look(BETTER)
    assert (found.ruling, found.engine) == (Ruling.CHANGED, CODEX)
    assert found.scores == {BUILTIN: pytest.approx(0.42), CODEX: pytest.approx(0.63)}
    assert found.samples == {BUILTIN: 20, CODEX: 20}


@pytest.mark.parametrize(
    ("runs", "ruling"),
    [
        ((*rows(BUILTIN, 12, 8), *rows(CODEX, 9, 0)), Ruling.FEW),
        ((*rows(BUILTIN, 9, 0), *rows(CODEX, 10, 0)), Ruling.FEW),
        (rows(CODEX, 30, 0), Ruling.FEW),
        ((*rows(BUILTIN, 90, 10), *rows(CODEX, 97, 3)), Ruling.MARGIN),  # by 0.049
        ((*rows(BUILTIN, 90, 10), *rows(CODEX, 98, 2)), Ruling.CHANGED),  # by 0.056
        ((*rows(BUILTIN, 20, 0, cost=1.0), *rows(CODEX, 20, 0, cost=0.9)), Ruling.MARGIN),
        ((*rows(BUILTIN, 20, 0, cost=1.0), *rows(CODEX, 20, 0, cost=0.5)), Ruling.CHANGED),  # as good, and cheaper
        ((*rows(BUILTIN, 20, 0, cost=0.1), *rows(CODEX, 20, 0, cost=1.0)), Ruling.MARGIN),
        ((*rows(BUILTIN, 12, 8), *rows(CODEX, 20, 0, timestamp=AT - timedelta(days=31))), Ruling.FEW),
        ((*rows(BUILTIN, 12, 8), *rows(CODEX, 20, 0, model="rehearsal/sample")), Ruling.FEW),
        ((*rows(BUILTIN, 12, 8), *rows(CODEX, 20, 0, success=None)), Ruling.FEW),
        ((*rows(BUILTIN, 12, 8), *rows(CODEX, 20, 0, role="other")), Ruling.FEW),
        ((*rows(BUILTIN, 12, 8), *rows(CLAUDE, 20, 0)), Ruling.FEW),  # which is not here
    ],
)
def test_it_keeps_what_is_written_unless_another_is_better_by_enough(runs: list[Run], ruling: Ruling) -> None:
    found = look(runs)
    assert (found.ruling, found.engine) == (ruling, CODEX if ruling is Ruling.CHANGED else BUILTIN)


def test_a_lock_wins_over_everything() -> None:
    found = look(BETTER, replace(ON, locked_assignments={ROLE: CLAUDE}))
    assert (found.ruling, found.engine) == (Ruling.LOCKED, CLAUDE)


LATE = Choice(role=ROLE, engine=CODEX, at=AT - timedelta(days=8))


@pytest.mark.parametrize(
    ("choice", "runs", "ruling", "engine"),
    [
        (LATE, BETTER, Ruling.KEPT, CODEX),
        (LATE, (*rows(BUILTIN, 18, 2), *rows(CODEX, 12, 8)), Ruling.BACK, BUILTIN),
        (replace(LATE, at=AT - timedelta(days=6)), (*rows(BUILTIN, 18, 2), *rows(CODEX, 2, 18)), Ruling.WAITS, CODEX),
        (replace(LATE, undone=True), BETTER, Ruling.UNDONE, BUILTIN),
        (replace(LATE, by_rule=False), (*rows(BUILTIN, 18, 2), *rows(CODEX, 2, 18)), Ruling.BY_HAND, CODEX),
    ],
)
def test_what_was_chosen_before_counts(choice: Choice, runs: list[Run], ruling: Ruling, engine: EngineName) -> None:
    found = look(runs, choice=choice)
    assert (found.ruling, found.engine) == (ruling, engine)


def test_only_so_many_roles_stray_from_what_is_written_and_those_that_gain_most() -> None:
    names = [f"role{number}" for number in range(10)]
    runs = [each for name in names for each in rows(BUILTIN, 10, 10, role=name)]
    for at, name in enumerate(names[:4]):
        runs += rows(CODEX, 16 + at, 4 - at, role=name)
    roles = [Assigned(role=name, written=BUILTIN) for name in names]
    found = adapt(roles, runs, {CODEX}, replace(ON, max_deviation_from_default=0.2), AT)
    assert [each.role for each in found if each.changes] == ["role2", "role3"]
    assert [each.role for each in found if each.ruling is Ruling.FAR] == ["role0", "role1"]
    before = [Assigned(role=each.role, written=BUILTIN, choice=replace(LATE, role=each.role)) for each in roles[4:6]]
    assert not any(each.changes for each in adapt([*before, roles[0], *roles[6:]], runs, {CODEX}, ON_A_FIFTH, AT))


ON_A_FIFTH = Adaptive(enabled=True)


@given(st.lists(st.tuples(st.sampled_from([BUILTIN, CLAUDE, CODEX]), st.booleans(), st.floats(0, 5)), max_size=80))
def test_it_never_takes_one_that_is_not_better_or_not_here(drawn: list[tuple[EngineName, bool, float]]) -> None:
    runs = [each for engine, well, cost in drawn for each in rows(engine, well, not well, cost)]
    found = look(runs)
    assert found.engine in (BUILTIN, CODEX)
    if found.changes:
        assert found.scores[CODEX] >= found.scores[BUILTIN] + 0.05 - 1e-6 and min(found.samples.values()) >= 10
