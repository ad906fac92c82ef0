"""What it means for the rest when one phase begins anew or is taken back, and when it cannot."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.subject import PhaseAct
from agents.domain.phases.changing import branches_of, change_of, phases_of, refuse_unless_possible
from agents.domain.reason import Reason, Why
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState, Work
from tests.domain.work.test_dispatching import AT, at_work, subtask

S = SubtaskState


def task_of(*states: SubtaskState) -> Task:
    """Two subtasks of the first phase, one of the second that needs the first, one of the third that needs nothing."""
    task = at_work(subtask(1), subtask(2), subtask(3, 1, phase=2), subtask(4, phase=3))
    begun = {S.RUNNING, S.DONE, S.EVALUATING}
    works = tuple(
        Work(number=number, state=state, attempt=int(state in begun), branch=f"b{number}" if state in begun else "")
        for number, state in enumerate(states, 1)
    )
    return replace(task, work=replace(task.work, subtasks=(*works, *task.work.subtasks[4:])))


def test_what_needs_a_phase_stays_or_is_dropped_with_it_and_what_is_later_stays() -> None:
    change = change_of(task_of(S.DONE, S.CANCELLED, S.DONE, S.DONE), PhaseAct.REVERT, 1)
    assert change.members == (1,), "what was left out of the plan is not taken back"
    assert (change.stay, change.dropped) == ((3,), ())
    assert change.later == (4,), "3 is told of already"
    untouched = change_of(task_of(S.DONE, S.DONE, S.PENDING, S.PENDING), PhaseAct.REVERT, 1)
    assert (untouched.members, untouched.dropped, untouched.later) == ((1, 2), (3,), ())


def test_what_was_dropped_with_a_phase_comes_back_when_it_begins_anew() -> None:
    change = change_of(task_of(S.DONE, S.DONE, S.BLOCKED, S.DONE), PhaseAct.RESTART, 1)
    assert (change.members, change.back, change.numbers) == ((1, 2), (3,), (1, 2, 3))
    assert (change.stay, change.later, change.dropped) == ((), (4,), ())


def test_only_folders_that_nobody_is_at_are_given_up() -> None:
    task = task_of(S.DONE, S.RUNNING, S.PENDING, S.DONE)
    assert branches_of(task, (1, 2, 3, 4)) == ("b1", "b4")
    assert phases_of(task) == (1, 2, 3)


def refusal(task: Task, phase: int = 1) -> Refusal | None:
    try:
        refuse_unless_possible(task, phase)
    except Refused as refused:
        return refused.why
    return None


@pytest.mark.parametrize(
    ("changes", "phase", "why"),
    [
        ({}, 1, None),
        ({}, 9, Refusal.NO_PHASE),
        ({"state": TaskState.CANCELLED}, 1, Refusal.PHASE_OVER),
        ({"state": TaskState.DECOMPOSING}, 1, Refusal.NO_WORK),
    ],
)
def test_a_phase_is_changed_while_its_task_is_at_work(
    changes: dict[str, TaskState], phase: int, why: Refusal | None
) -> None:
    assert refusal(replace(task_of(S.DONE, S.DONE, S.PENDING, S.PENDING), **changes), phase) is why  # type: ignore[arg-type]


def test_nothing_is_taken_back_before_there_is_a_branch() -> None:
    task = task_of(S.DONE, S.DONE, S.PENDING, S.PENDING)
    assert refusal(replace(task, work=replace(task.work, branch=""))) is Refusal.NO_WORK


def test_a_phase_that_a_person_left_out_has_nothing_to_take_back() -> None:
    gone, back = Reason(code=Why.DROPPED), Reason(code=Why.REVERTED)
    task = task_of(S.DONE, S.DONE, S.CANCELLED, S.DONE)
    works = {why: tuple(replace(work, problem=why) for work in task.work.subtasks) for why in (gone, back)}
    assert phases_of(replace(task, work=replace(task.work, subtasks=works[gone]))) == (1, 3)
    assert phases_of(replace(task, work=replace(task.work, subtasks=works[back]))) == (1, 2, 3), "it may come again"
    assert refusal(replace(task, work=replace(task.work, subtasks=works[gone])), 2) is Refusal.NO_PHASE


def changed(task: Task, fact: e.Event) -> list[tuple[SubtaskState, int]]:
    return [(work.state, work.attempt) for work in evolve(task, fact).work.subtasks]


def test_what_is_taken_back_goes_and_the_whole_is_judged_anew() -> None:
    task = task_of(S.DONE, S.DONE, S.DONE, S.DONE)
    last = task.work.subtasks[-1]
    works = (*task.work.subtasks[:-1], replace(last, state=S.EVALUATING, attempt=1))
    task = replace(task, work=replace(task.work, subtasks=works))
    facts = {"task": task.id, "at": AT, "phase": 1, "subtasks": (1, 2)}
    after = changed(task, e.PhaseReverted(**facts, head="c" * 40))  # type: ignore[arg-type]
    assert [state for state, _ in after] == [S.CANCELLED, S.CANCELLED, S.DONE, S.DONE, S.PENDING]
