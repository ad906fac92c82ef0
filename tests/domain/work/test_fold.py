"""How facts about a subtask change it: what a new attempt keeps, and which files must not come again."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import Evaluation, GateRun, RiskLevel, Score
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work
from tests.domain.work.test_dispatching import AT, at_work, subtask


def task_with(**work: object) -> Task:
    task = at_work(subtask(1), subtask(2, 1))
    works = (Work(number=1, **work), *task.work.subtasks[1:])  # type: ignore[arg-type]
    return replace(task, work=replace(task.work, subtasks=works))


def ready(task: Task, attempt: int, **more: object) -> Work:
    scope = task.work.on(1).scope
    fact = e.SubtaskReady(task=task.id, at=AT, subtask=1, attempt=attempt, scope=scope, **more)  # type: ignore[arg-type]
    return evolve(task, fact).work.on(1)


def test_another_workers_turn_is_no_other_try() -> None:
    task = task_with(attempt=1, tries=1, branch="b", commit="c")
    onward, again = ready(task, 2, onward=True), ready(task, 2)
    assert (onward.tries, onward.onward, onward.branch, onward.commit) == (1, (2,), "b", "c")
    assert (again.tries, again.onward) == (2, ())
    assert ready(task, 1, onward=True).onward == (), "the same attempt goes on"
    assert ready(task, 2, anew=True).branch == ""


def test_a_person_has_attempts_counted_anew() -> None:
    afresh = ready(task_with(attempt=3, tries=3, visits={"test": 2}), 4, afresh=True)
    assert (afresh.tries, afresh.visits) == (1, {})


@pytest.mark.parametrize(
    ("gates", "seen"),
    [
        ((), ()),  # that nothing looked at says nothing against them
        ((GateRun(name="test", score=Score.PASS, why=""),), ("tree",)),
        ((GateRun(name="test", score=Score.NEEDS_REVISION, why="red"),), ("tree",)),
        ((GateRun(name="scope", score=Score.FAIL, why="outside"),), ()),
        ((GateRun(name="commit", score=Score.NEEDS_REVISION, why="a link"),), ()),
    ],
)
def test_files_that_a_gate_refused_for_good_may_come_again(gates: tuple[GateRun, ...], seen: tuple[str, ...]) -> None:
    task = task_with(attempt=1, state=SubtaskState.EVALUATING, commit="c")
    found = Evaluation(subtask=1, attempt=1, commit="c", tree="tree", overall=Score.NEEDS_REVISION, gates=gates)
    fact = e.WorkEvaluated(task=task.id, at=AT, subtask=1, attempt=1, evaluation=found, risk=RiskLevel.LOW)
    assert tuple(tree for tree in evolve(task, fact).work.on(1).trees if tree) == seen


def test_what_was_merged_is_kept_with_where_and_with_advice() -> None:
    merged = e.Merged(task=task_with().id, at=AT, commit="d" * 40, into="main", advice="Pull it.")
    delivery = evolve(task_with(), merged).delivery
    assert (delivery.head, delivery.merged_into, delivery.advice) == ("d" * 40, "main", "Pull it.")


def test_each_time_a_pull_request_is_brought_up_to_date_is_a_round() -> None:
    task, rounds = task_with(), []
    for head in ("a" * 40, "b" * 40):
        opened = e.PullOpened(
            task=task.id,
            at=AT,
            number=7,
            url="https://forge.example/7",
            head=head,
            into="main",
            changes=(),
            risk=RiskLevel.LOW,
        )
        task = evolve(task, opened)
        rounds.append((task.delivery.pull, task.delivery.head, task.delivery.rounds))
    assert rounds == [(7, "a" * 40, 1), (7, "b" * 40, 2)]
