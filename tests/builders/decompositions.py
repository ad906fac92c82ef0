"""Helpers that the tests of decomposition share with others."""

from dataclasses import replace

from agents.domain.planning.decomposition import Decomposition, Need, Subtask
from agents.domain.planning.work_kind import WorkKind


def subtask(number: int, *needs: int, **more: object) -> Subtask:
    base = Subtask(
        number=number,
        title=f"part {number}",
        why="it is needed",
        kind=WorkKind.FEATURE,
        files=("src/app.py",) if number == 1 else (f"src/part_{number}.py",),
        hours=2,
        review_minutes=10,
        test="a unit test",
        needs=tuple(Need(number=n) for n in needs),
    )
    return replace(base, **more)  # type: ignore[arg-type]


def spike(number: int, *needs: int, **more: object) -> Subtask:
    """Finds something out, and writes nothing."""
    return subtask(number, *needs, **{"kind": WorkKind.SPIKE, "files": (), **more})


def plan(*subtasks: Subtask) -> Decomposition:
    return Decomposition(goal="users can log in", subtasks=subtasks)
