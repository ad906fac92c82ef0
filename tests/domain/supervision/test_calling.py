"""When the work as a whole is looked at anew: at intervals, after a phase, and while something is left to do."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from agents.domain.supervision.calling import is_assessor_due
from agents.domain.supervision.counting import Watching
from agents.domain.supervision.facts import Occasion, Supervision
from agents.domain.supervision.tuning import SupervisorSettings, SupervisorTuning
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState
from tests.builders.supervision import AT
from tests.domain.work.test_dispatching import at_work, subtask


def with_done(count: int, of: int = 8, assessed: int = 0) -> Task:
    task = at_work(*(subtask(number) for number in range(1, of + 1)))
    done = tuple(
        replace(work, state=SubtaskState.DONE) if work.number <= count else work for work in task.work.subtasks
    )
    supervision = replace(task.supervision, assessed=assessed)
    return replace(task, work=replace(task.work, subtasks=done), supervision=supervision)


def is_due(task: Task, *occasions: Occasion, tuning: SupervisorTuning | None = None) -> bool:
    settings = SupervisorSettings(enabled=True, assessor=tuning or SupervisorTuning(interval=3))
    return is_assessor_due(task, occasions, Watching(at=AT, cause="c", settings=settings, state=Supervision()))


def test_it_is_due_after_so_many_subtasks_since_it_looked_last() -> None:
    assert [is_due(with_done(count)) for count in (2, 3, 4)] == [False, True, True]
    assert [is_due(with_done(count, assessed=3)) for count in (4, 5, 6)] == [False, False, True]


@pytest.mark.parametrize("occasions", [(Occasion.PHASE,), (Occasion.ABORT,), (Occasion.INTERVAL, Occasion.PHASE)])
def test_it_is_due_at_the_end_of_a_phase_and_after_a_dropped_subtask(occasions: Collection[Occasion]) -> None:
    assert is_due(with_done(1), *occasions)
    assert not is_due(with_done(1), Occasion.INTERVAL)


def test_it_is_not_due_where_it_is_off_or_nothing_is_left_to_be_changed() -> None:
    assert not is_due(with_done(8, of=8), Occasion.PHASE), "but for what code added"
    assert not is_due(replace(with_done(3), state=TaskState.CANCELLED), Occasion.PHASE)
    assert not is_due(with_done(3), Occasion.PHASE, tuning=SupervisorTuning(enabled=False))
    alone = SupervisorTuning(interval=0)
    assert not is_due(with_done(3), tuning=alone) and is_due(with_done(3), Occasion.PHASE, tuning=alone)
    task = with_done(3)
    assert not is_due(replace(task, supervision=replace(task.supervision, diverged=True)), Occasion.PHASE)
