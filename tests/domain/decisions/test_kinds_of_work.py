"""What people decide about work that is being checked, or that waits for them; and what comes of it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import ChangedTest, Checked, RiskLevel
from agents.domain.checks.remote import CheckState, RemoteCheck, Standing
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.subject import OfHead, OfRun, OfStep
from agents.domain.errors import PressRefused
from agents.domain.task.task import TaskState
from agents.domain.work.dispatching import heed_in_whole
from agents.domain.work.forge_checks import ask_person, awaited_of, go_on_waiting, standing_now
from agents.domain.work.work import Awaited, ShownTests, SubtaskState
from tests.builders.steered import BO, NOW, OWNER
from tests.builders.working import Working

COMMIT = "c0ffee"
STEP = OfStep(subtask=1, attempt=1, commit=COMMIT, risk=RiskLevel.LOW)
CHANGED = ChangedTest(name="tests/test_a.py::test_a", before="1", after="2", key="k1")
SHOWN = ShownTests(step="test", commit=COMMIT, tests=(CHANGED,), names=(CHANGED.name,), keys=("k1", "k2"))
WAITS = Awaited(step="remote", commit=COMMIT, since=NOW, checked=Checked(), waiting=("build", "lint"), ended=1)


def check(name: str, state: CheckState = CheckState.WAITING) -> RemoteCheck:
    return RemoteCheck(name=name, state=state, url="https://forge.example/1")


def judged(**more: Any) -> Working:
    working = Working()
    working.set(state=SubtaskState.EVALUATING, commit=COMMIT, visits={"test": 2, "remote": 3}, **more)
    return working


def test_tests_that_are_accepted_are_those_that_were_shown() -> None:
    working = judged(tests_shown=SHOWN)
    working.ask(Kind.ACCEPT_TESTS, STEP)
    accepted, due = working.follows(Kind.ACCEPT_TESTS, "accept")
    assert isinstance(accepted, e.TestsAccepted) and isinstance(due, e.StepDue)
    assert (accepted.step, accepted.names, accepted.keys, accepted.by) == ("test", SHOWN.names, ("k1", "k2"), (BO,))
    assert (due.step, due.visit) == ("test", 2)


def test_tests_that_are_not_accepted_send_the_work_back() -> None:
    working = judged(tests_shown=SHOWN)
    working.ask(Kind.ACCEPT_TESTS, STEP)
    again = next(
        fact for fact in working.follows(Kind.ACCEPT_TESTS, "fix", "keep 1") if isinstance(fact, e.SubtaskReady)
    )
    assert again.attempt == 2 and again.afresh


@pytest.mark.parametrize(
    "change",
    [
        {"tests_shown": None},
        {"attempt": 2},
        {"state": SubtaskState.RUNNING},
        {"tests_shown": ShownTests(step="test", commit="other", tests=(), names=(), keys=())},
    ],
)
def test_tests_of_another_commit_or_attempt_are_accepted_by_nobody(change: dict[str, Any]) -> None:
    working = judged(tests_shown=SHOWN)
    working.ask(Kind.ACCEPT_TESTS, STEP)
    working.set(**change)
    assert working.follows(Kind.ACCEPT_TESTS, "accept") == []


def test_checks_that_are_late_are_waited_for_waived_fixed_or_left() -> None:
    def after(value: str, words: str = "") -> list[e.Event]:
        working = judged(awaits=WAITS)
        working.ask(Kind.CHECKS, STEP)
        return list(working.follows(Kind.CHECKS, value, words))

    [again] = after("again")
    assert isinstance(again, e.ChecksAwaited) and (again.step, again.commit) == ("remote", COMMIT)
    waived, due = after("without", "it is slow today")
    assert isinstance(waived, e.ChecksWaived) and isinstance(due, e.StepDue)
    assert (waived.checks, waived.by, waived.why) == (("remote build", "remote lint"), (BO,), "it is slow today")
    assert (due.step, due.visit) == ("remote", 3)
    assert any(isinstance(fact, e.SubtaskReady) and fact.attempt == 2 and fact.afresh for fact in after("fix", "do"))
    assert any(isinstance(fact, e.TaskHandedOver) for fact in after("leave"))


@pytest.mark.parametrize("change", [{"awaits": None}, {"attempt": 2}, {"state": SubtaskState.DONE}])
def test_checks_that_ended_meanwhile_are_waived_by_nobody(change: dict[str, Any]) -> None:
    working = judged(awaits=WAITS)
    working.ask(Kind.CHECKS, STEP)
    working.set(**change)
    assert working.follows(Kind.CHECKS, "without", "because") == []


def test_a_wait_for_checks_says_what_changed_and_asks_once() -> None:
    working = judged(awaits=WAITS)
    work, moment = working.first, working.moment()
    assert (
        go_on_waiting(working.task, work, (check("build"), check("lint"), check("x", CheckState.PASSED)), "", moment)
        == []
    )
    [seen] = go_on_waiting(working.task, work, (check("build"),), "", moment)
    assert isinstance(seen, e.ChecksSeen) and (seen.waiting, seen.ended, seen.problem) == (("build",), 0, "")
    [broken] = go_on_waiting(working.task, work, (), "no answer", moment)
    assert isinstance(broken, e.ChecksSeen) and (broken.waiting, broken.ended) == (WAITS.waiting, WAITS.ended)
    *_, asked = ask_person(working.task, work, (check("build"),), "", moment)
    assert isinstance(asked, e.DecisionOpened) and asked.decision.question == "build"
    assert asked.decision.subject == OfStep(subtask=1, attempt=1, commit=COMMIT, risk=RiskLevel.MEDIUM)
    assert asked.decision.evidence == ()
    *_, unread = ask_person(working.task, work, (check("build"),), "no answer", moment)
    assert isinstance(unread, e.DecisionOpened) and unread.decision.question == "build, lint"
    assert unread.decision.evidence == ("no answer",)


def test_a_wait_that_was_settled_or_begun_anew_is_none() -> None:
    working = judged(awaits=WAITS)
    fact = e.ChecksAwaited(
        task=working.task.id, at=NOW, subtask=1, attempt=1, step="remote", commit=COMMIT, checked=Checked()
    )
    assert awaited_of(working.task, fact) == WAITS
    changes: list[dict[str, Any]] = [{"attempt": 2}, {"state": SubtaskState.DONE}, {"awaits": None}]
    for change in changes:
        other = judged(awaits=WAITS)
        assert awaited_of(other.set(**change), fact) is None
    later = judged(awaits=Awaited(step="remote", commit=COMMIT, since=NOW + timedelta(1), checked=Checked()))
    assert awaited_of(later.task, fact) is None, "somebody asked to wait once more"


def test_a_forge_has_a_moment_to_begin_its_checks() -> None:
    working = judged()
    grace = working.moment().limits.checks_grace
    late = working.moment(at=NOW + timedelta(seconds=grace))
    soon = working.moment(at=NOW + timedelta(seconds=grace - 1))
    assert standing_now(WAITS, (), soon) is Standing.WAITING and standing_now(WAITS, (), late) is Standing.NONE
    passed = (check("build", CheckState.PASSED),)
    assert (
        standing_now(WAITS, passed, soon) is Standing.WAITING and standing_now(WAITS, passed, late) is Standing.PASSED
    )
    failed = (*passed, check("lint", CheckState.FAILED))
    assert standing_now(WAITS, failed, soon) is Standing.FAILED
    assert standing_now(WAITS, (*failed, check("more")), late) is Standing.WAITING, "all that failed are told at once"


def waiting(**more: Any) -> Working:
    working = Working()
    scope = Scope(mode=ScopeMode.EXPLICIT, patterns=("src/app.py",))
    working.set(state=SubtaskState.NEEDS_HUMAN, scope=scope, **more)
    working.ask(Kind.INTERFACE, OfRun(subtask=1, attempt=1), "api/openapi.yaml")
    return working


def test_a_locked_interface_is_changed_with_a_persons_leave_alone() -> None:
    [granted] = waiting().follows(Kind.INTERFACE, "change")
    assert isinstance(granted, e.ScopeSettled) and granted.by == BO and granted.opened == ("api/openapi.yaml",)
    assert set(granted.scope.patterns) == {"src/app.py", "api/openapi.yaml"}
    assert granted.answer == "You may change these interfaces: api/openapi.yaml. The others are told."
    [kept] = waiting().follows(Kind.INTERFACE, "keep", "Clients rely on it.")
    assert isinstance(kept, e.ScopeSettled) and kept.opened == () and kept.scope.patterns == ("src/app.py",)
    assert kept.answer == "No, the interfaces stay as they are. Clients rely on it."
    moved_on = waiting()
    moved_on.set(state=SubtaskState.RUNNING)
    assert moved_on.follows(Kind.INTERFACE, "change") == []


def test_a_wish_for_the_whole_is_done_by_the_subtask_that_sees_all_of_it() -> None:
    working = Working()
    last = working.task.work.subtasks[-1].number
    assert heed_in_whole(working.task, working.moment()) == [], "minions at work are told"
    working.set(last, state=SubtaskState.DONE)
    with pytest.raises(PressRefused) as refused:
        heed_in_whole(working.task, working.moment())
    assert isinstance(refused.value, Refused) and refused.value.why is Refusal.MERGING
    working.ask(Kind.MERGE, OfHead(commit=COMMIT, risk=RiskLevel.LOW))
    merge = working.task.of_kind(Kind.MERGE)
    gone, again = heed_in_whole(working.task, working.moment())
    assert isinstance(gone, e.DecisionWithdrawn) and merge and gone.decision == merge.id
    assert isinstance(again, e.SubtaskReady) and (again.subtask, again.afresh) == (last, True)
    wide = working.set(2, scope=Scope(mode=ScopeMode.UNRESTRICTED))
    *_, whole = heed_in_whole(wide, working.moment())
    assert isinstance(whole, e.SubtaskReady) and whole.scope.mode is ScopeMode.UNRESTRICTED


def test_where_only_checks_are_left_the_wish_takes_back_what_they_ask() -> None:
    working = Working()
    last = working.task.work.subtasks[-1].number
    working.set(last, state=SubtaskState.EVALUATING, attempt=1)
    working.ask(Kind.GATE, OfStep(subtask=last, attempt=1, commit=COMMIT, risk=RiskLevel.LOW))
    working.ask(Kind.CHECKS, STEP)
    gate = working.task.of_kind(Kind.GATE)
    gone, again = heed_in_whole(working.task, working.moment())
    assert isinstance(gone, e.DecisionWithdrawn) and gate and gone.decision == gate.id, "of that subtask alone"
    assert isinstance(again, e.SubtaskReady) and again.attempt == 2


@pytest.mark.parametrize(("value", "in_work", "again"), [("change", True, 1), ("keep", True, 0), ("change", False, 0)])
def test_a_request_that_was_edited_is_worked_on_again_only_if_somebody_says_so(
    value: str, in_work: bool, again: int
) -> None:
    working = Working()
    last = working.task.work.subtasks[-1].number
    working.set(last, state=SubtaskState.EVALUATING)
    working.ask(Kind.CORRECTION, None, "add login")
    if not in_work:
        working.task = replace(working.task, state=TaskState.DECOMPOSING)
    facts = working.follows(Kind.CORRECTION, value, by=OWNER)
    assert sum(isinstance(fact, e.SubtaskReady) for fact in facts) == again
