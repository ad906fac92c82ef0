"""What a step came to, from what it found alone."""

from dataclasses import replace
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import (
    REFUSED_UNSEEN,
    ChangedTest,
    Checked,
    CodeReview,
    Evaluation,
    GateRun,
    Opinion,
    RiskLevel,
    Score,
    sum_up,
)
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.subject import OfRun, OfStep
from agents.domain.ids import TaskId
from agents.domain.work.fold import evolve as evolve_subtask
from agents.domain.work.stepping import StepResult, after_step, is_for_a_person, stands_at
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import HUMAN, JOIN, PULL, WORKER, Predicate, Setting
from agents.domain.workflow.workflow import DEFAULT, Part
from tests.builders.steered import NOW
from tests.builders.working import Working

WAITING = (HUMAN.name, JOIN.name)

REVIEW = DEFAULT.step("review")
RULES = DEFAULT.step("rules")
GATE = DEFAULT.step("test")
JUDGED = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=(), reviews=(), feedback=())
NO_RISK = Risk(level=RiskLevel.LOW, why=())


def review(opinion: Opinion, *concerns: str) -> CodeReview:
    return CodeReview(reviewer="critic", opinion=opinion, security_concerns=concerns)


@pytest.mark.parametrize(
    ("opinion", "concerns", "asks_for_security", "score"),
    [
        (Opinion.APPROVED, (), True, Score.PASS),
        (Opinion.APPROVED, ("a key",), True, Score.NEEDS_REVISION),
        (Opinion.APPROVED, ("a key",), False, Score.PASS),
        (Opinion.REJECTED, ("a key",), True, Score.FAIL),
        (Opinion.CHANGES_REQUESTED, (), False, Score.NEEDS_REVISION),
        (Opinion.NO_VERDICT, (), True, Score.PASS),
        (Opinion.NO_VERDICT, ("a key",), True, Score.NEEDS_REVISION),
    ],
)
def test_a_concern_about_security_never_makes_a_verdict_milder(
    opinion: Opinion, concerns: tuple[str, ...], asks_for_security: bool, score: Score
) -> None:
    step = replace(REVIEW, gate=Predicate.SECURITY_PASSED if asks_for_security else Predicate.ALL_APPROVED)
    checked = Checked(reviews=(review(opinion, *concerns),))
    assert StepResult(step=step, checked=checked, evaluation=JUDGED, risk=NO_RISK).score is score


def test_rules_that_said_nothing_let_nothing_pass_and_a_gate_that_is_not_there_is_no_obstacle() -> None:
    silent = Checked()
    assert StepResult(step=GATE, checked=silent, evaluation=JUDGED, risk=NO_RISK).score is Score.PASS
    assert StepResult(step=RULES, checked=silent, evaluation=JUDGED, risk=NO_RISK).score is not Score.PASS
    red = Checked(gates=(GateRun(name="tests", score=Score.NEEDS_REVISION, why="1 failed"),))
    assert StepResult(step=GATE, checked=red, evaluation=JUDGED, risk=NO_RISK).score is Score.NEEDS_REVISION


def at_step(step: str, **more: object) -> str | None:
    working = Working()
    working.set(1, **{"state": SubtaskState.EVALUATING, "step": step, "attempt": 1, **more})
    found = stands_at(working.task, working.first)
    return found.name if found else None


def test_where_a_subtask_stands_is_shown_by_its_step() -> None:
    steps = [step.name for step in DEFAULT.part(Part.ORDINARY)]
    judged = replace(JUDGED, attempt=1)
    assert at_step("", state=SubtaskState.RUNNING, queued=True) == DEFAULT.implement.name
    assert at_step("", state=SubtaskState.PENDING, queued=False) is None, "it has not begun"
    assert at_step("", state=SubtaskState.PENDING, queued=True) == DEFAULT.implement.name
    assert at_step("test", state=SubtaskState.DONE) is None
    assert at_step("test") == "test"
    assert at_step("test", evaluation=judged) == "test", "what comes next waits for nobody"
    before_person = steps[steps.index(next(s.name for s in DEFAULT.part(Part.ORDINARY) if s.type in WAITING)) - 1]
    waits = steps[steps.index(before_person) + 1]
    assert at_step(before_person, evaluation=judged) == waits, "it passed, and waits for its turn or a person"
    assert at_step(before_person, evaluation=replace(judged, attempt=2)) == before_person
    assert at_step(before_person, evaluation=judged, state=SubtaskState.RUNNING) == before_person
    assert at_step(steps[-1], evaluation=judged) == steps[-1]


def test_tests_that_only_a_person_may_accept_are_shown_to_one() -> None:
    changed = ChangedTest(name="test_a", before="1", after="2", key="k1")
    gate = GateRun(
        name="existing tests", score=Score.NEEDS_REVISION, why="1 changed", changed_tests=(changed,), unshown=("k2",)
    )
    fine = GateRun(name="tests", score=Score.PASS, why="12 passed")
    assert is_for_a_person(Checked(gates=(fine, gate))) and not is_for_a_person(Checked(gates=(fine,)))
    red = replace(fine, score=Score.NEEDS_REVISION)
    assert not is_for_a_person(Checked(gates=(red, gate))), "something else is in the way as well"
    assert not is_for_a_person(Checked(gates=(replace(gate, score=Score.FAIL),)))
    working = Working()
    working.set(1, state=SubtaskState.EVALUATING, attempt=1, commit="c", step="test")
    result = StepResult(step=GATE, checked=Checked(gates=(fine, gate)), evaluation=JUDGED, risk=NO_RISK)
    shown, asked = after_step(working.task, working.first, result, working.moment())
    assert isinstance(shown, e.TestsShown) and (shown.tests, shown.keys) == ((changed,), ("k1", "k2"))
    assert isinstance(asked, e.DecisionOpened) and asked.decision.kind is Kind.ACCEPT_TESTS
    assert asked.decision.evidence == ("1 changed",)
    assert asked.decision.subject == OfStep(subtask=1, attempt=1, commit="c", risk=RiskLevel.LOW)


EARLY = replace(
    DEFAULT,
    steps=tuple(replace(s, config={**s.config, "draft": "early"}) if s.type == PULL.name else s for s in DEFAULT.steps),
)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({}, True),
        ({"number": 1}, False),
        ({"step": "test"}, False),
        ({"workflow": DEFAULT}, False),
        ({"leaves": True}, True),
        ({"leaves": True, "by_time": True}, False),
        ({"leaves": True, "approved_by": ()}, False),
        ({"by_time": True}, True),
    ],
)
def test_the_whole_is_shown_early_where_its_workflow_says_so_and_a_person_approved(
    change: dict[str, Any], shown: bool
) -> None:
    working = Working()
    last = change.get("number", working.task.work.subtasks[-1].number)
    workflow, approved = change.get("workflow", EARLY), change.get("approved_by", working.task.plan.approved_by)
    working.set(1, by_time=change.get("by_time", False))
    working.set(last, state=SubtaskState.EVALUATING, attempt=1, commit="c")
    plan = replace(working.task.plan, workflow=workflow, approved_by=approved)
    working.task = replace(working.task, plan=plan)
    step = workflow.step(change.get("step", RULES.name))
    checked = Checked(gates=(GateRun(name="rules", score=Score.PASS, why="so it is"),))
    result = StepResult(step=step, checked=checked, evaluation=replace(JUDGED, subtask=last), risk=NO_RISK)
    moment = working.moment(leaves=change.get("leaves", False))
    facts = after_step(working.task, working.task.work.on(last), result, moment)
    assert [fact.commit for fact in facts if isinstance(fact, e.DraftDue)] == (["c"] if shown else [])


def test_a_run_that_says_no_base_keeps_the_one_it_has() -> None:
    work = Work(number=1, base="b", commit="c", queued=True)
    about = {"task": TaskId("T-1"), "at": NOW, "subtask": 1, "attempt": 2, "summary": "done", "commit": "d"}
    assert evolve_subtask(work, e.WorkHandedIn(**about, base="")).base == "b"  # type: ignore[arg-type]
    moved = evolve_subtask(work, e.WorkHandedIn(**about, base="e"))  # type: ignore[arg-type]
    assert (moved.base, moved.commit, moved.attempt, moved.queued) == ("e", "d", 2, False)


@pytest.mark.parametrize("blind", [True, False])
def test_who_may_not_see_the_code_is_told_which_checks_failed_and_no_word_of_theirs(blind: bool) -> None:
    """Programs print frames, and reviewers speak of what they read: whoever wrote the code needs both."""
    red = GateRun(name="integration", score=Score.NEEDS_REVISION, why="1 failed", output="cart.py:3: rate = 7")
    said = replace(review(Opinion.CHANGES_REQUESTED), issues=("`rate` is 7 in cart.py",))
    score, feedback = sum_up((red,), (said,))
    judged = replace(JUDGED, overall=score, gates=(red,), reviews=(said,), feedback=feedback)
    config: dict[str, Setting] = {"blind": True, "files": "tests/integration/"} if blind else {}
    steps = tuple(replace(s, config=config) if s.type == WORKER.name else s for s in DEFAULT.steps)
    working = Working()
    working.task = replace(working.task, plan=replace(working.task.plan, workflow=replace(DEFAULT, steps=steps)))
    working.set(1, state=SubtaskState.EVALUATING, attempt=1, commit="c", step="test")
    result = StepResult(step=GATE, checked=Checked(gates=(red,)), evaluation=judged, risk=NO_RISK)
    [again] = [
        f for f in after_step(working.task, working.first, result, working.moment()) if isinstance(f, e.SubtaskReady)
    ]
    assert ("rate" in " ".join(again.feedback)) is not blind and again.feedback[0].startswith("integration: 1 failed")
    assert (REFUSED_UNSEEN in again.feedback) is blind
    working.task = replace(working.task, plan=replace(working.task.plan, workflow=replace(DEFAULT, steps=steps)))
    stuck = {"state": SubtaskState.NEEDS_HUMAN, "step": "test", "attempt": 1, "evaluation": replace(judged, attempt=1)}
    working.set(1, **stuck)
    working.ask(Kind.ESCALATION, OfRun(subtask=1, attempt=1))
    [tried] = working.follows(Kind.ESCALATION, "hint", "look at the edges")[-1:]
    assert isinstance(tried, e.SubtaskReady) and tried.feedback == again.feedback and tried.step == again.step
