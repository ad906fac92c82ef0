"""How long each step took: what minions, checks and people spent, and nothing of what waited for its turn."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, Evaluation, RiskLevel, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.events import Event
from agents.domain.work.step_times import READS, step_times
from agents.domain.work.work import Ending
from agents.domain.workflow.workflow import DEFAULT
from tests.domain.work.test_dispatching import AT, at_work, subtask

TASK = at_work(subtask(1))
NOTHING = Scope(mode=ScopeMode.UNRESTRICTED)


def at(second: float, attempt: int = 1, number: int = 1) -> dict[str, Any]:
    return {"task": TASK.id, "at": AT + timedelta(seconds=second), "subtask": number, "attempt": attempt}


def begins(second: float, attempt: int = 1) -> list[Event]:
    started = e.MinionStarted(**at(second, attempt), branch="b", base="c", engine="builtin")
    return [e.SubtaskReady(**at(second - 5, attempt), scope=NOTHING), started]


def step(name: str, begin: float, end: float, *, passes: bool = True, visit: int = 1) -> list[Event]:
    about: dict[str, Any] = {**at(end), "step": name, "commit": "c", "checked": Checked()}
    ended = e.StepPassed(**about) if passes else e.StepRefused(**about, score=Score.NEEDS_REVISION)
    return [e.StepDue(**at(begin), step=name, visit=visit), ended]


def evaluated(second: float) -> Event:
    judged = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS)
    return e.WorkEvaluated(**at(second), evaluation=judged, risk=RiskLevel.LOW, why="small")


def took(facts: Sequence[Event]) -> dict[str, float]:
    return {name: spent.total_seconds() for (_, name), spent in step_times(TASK, facts).items()}


def test_a_step_takes_from_its_beginning_to_its_end_and_a_queue_belongs_to_none() -> None:
    handed = e.WorkHandedIn(**at(70), commit="c", summary="done", base="b")
    facts = [*begins(10), handed, *step("rules", 75, 77), *step("test", 80, 140)]
    assert took(facts) == {"implement": 60, "rules": 2, "test": 60}


def test_visits_add_up_and_a_second_attempt_is_the_workers_again() -> None:
    first = [*begins(10), e.WorkHandedIn(**at(20), commit="c", summary="done"), *step("test", 20, 25, passes=False)]
    second = [*begins(30, 2), e.WorkHandedIn(**at(33, 2), commit="d", summary="done"), *step("test", 33, 40, visit=2)]
    assert took([*first, *second]) == {"implement": 13, "test": 12}


def test_what_a_minion_waits_for_an_answer_or_was_stopped_is_not_its_time() -> None:
    asked = e.MinionAsked(**at(20), question="Which?", commit="c")
    stopped = e.MinionStopped(**at(110), commit="c", doing="")
    again = e.MinionStarted(**at(100), branch="b", base="c", engine="builtin")
    failed = e.MinionFailed(**at(305), ending=Ending.TURNS, problem="no", commit="c", patch="")
    facts = [*begins(10), asked, again, stopped, replace(again, at=AT + timedelta(seconds=300)), failed]
    assert took(facts) == {"implement": 10 + 10 + 5}


def test_a_person_who_is_asked_keeps_the_step_waiting_that_comes_next() -> None:
    facts = [
        *step("review", 0, 30),
        evaluated(30),
        e.GatePassed(**at(90)),
        e.SubtaskDone(**at(92), commit="c"),
    ]
    assert took(facts) == {"review": 30, "commit": 62}


def test_a_second_worker_has_its_own_time() -> None:
    polish = replace(DEFAULT.implement, name="polish", next="rules")
    steps = [*DEFAULT.steps[:3], polish, *DEFAULT.steps[3:]]
    task = replace(TASK, plan=replace(TASK.plan, workflow=replace(DEFAULT, steps=tuple(steps))))
    ready = e.SubtaskReady(**at(50, 2), scope=NOTHING, step="polish", onward=True)
    started = e.MinionStarted(**at(55, 2), branch="b", base="c", engine="builtin")
    handed = [
        e.WorkHandedIn(**at(20), commit="c", summary="done"),
        e.WorkHandedIn(**at(75, 2), commit="d", summary="done"),
    ]
    found = step_times(task, [*begins(10), handed[0], ready, started, handed[1]])
    assert found == {(1, "implement"): timedelta(seconds=10), (1, "polish"): timedelta(seconds=20)}


def test_subtasks_side_by_side_do_not_end_each_others_steps() -> None:
    other = e.StepDue(**at(10, number=2), step="rules", visit=1)
    ended = e.StepPassed(**at(15, number=2), step="rules", commit="c", checked=Checked())
    two = at_work(subtask(1), subtask(2))
    mine, *end = step("test", 0, 40)
    found = step_times(two, [mine, other, ended, *end])
    assert found == {(1, "test"): timedelta(seconds=40), (2, "rules"): timedelta(seconds=5)}


def test_what_is_under_way_has_no_time_yet_and_other_facts_are_not_read() -> None:
    assert took(begins(10)) == {}
    assert e.MinionProgressed not in READS and e.TaskStopped not in READS
