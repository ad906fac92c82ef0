"""Helpers that the tests of decomposition share with others."""

from dataclasses import replace

from agents.domain.planning.decomposition import Decomposition, Need, Subtask


def subtask(number: int, *needs: int, **more: object) -> Subtask:
    base = Subtask(
        number=number,
        title=f"part {number}",
        why="it is needed",
        files=("src/app.py",),
        hours=2,
        review_minutes=10,
        test="a unit test",
        needs=tuple(Need(number=n) for n in needs),
    )
    return replace(base, **more)  # type: ignore[arg-type]


def plan(*subtasks: Subtask) -> Decomposition:
    return Decomposition(goal="users can log in", subtasks=subtasks)
