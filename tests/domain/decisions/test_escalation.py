"""What a person may do where the rules ran out for a subtask, and what comes of it."""

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, Evaluation, GateRun, RiskLevel, Score
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.escalation import what_next
from agents.domain.decisions.subject import OfRun
from agents.domain.decisions.table import open_questions
from agents.domain.reason import Reason, Why
from agents.domain.work.work import Ending, SubtaskState
from tests.builders.steered import APPROVER, BO
from tests.builders.working import Working

COMMIT = "c0ffee"
GATES = (
    GateRun(name="scope", score=Score.PASS, why=""),
    GateRun(name="tests", score=Score.NEEDS_REVISION, why="red", command="pytest"),
)


def judged_by(gates: tuple[GateRun, ...]) -> Evaluation:
    return Evaluation(subtask=1, attempt=1, commit=COMMIT, tree="t", overall=Score.NEEDS_REVISION, gates=gates)


def stuck(ending: Ending | None = None, **changes: object) -> Working:
    """Its first subtask waits for a person: its tests were red."""
    working = Working()
    usual: dict[str, object] = {
        "state": SubtaskState.NEEDS_HUMAN,
        "attempt": 1,
        "tries": 1,
        "commit": COMMIT,
        "branch": "ai/t-1-1",
        "step": "test",
        "visits": {"test": 2},
        "evaluation": judged_by(GATES),
        "checked": Checked(gates=GATES[:1]),
        "risk": RiskLevel.LOW,
    }
    task = working.set(1, **{**usual, **changes})
    asked = what_next(task, working.first, Reason(code=Why.NO_PATH_NAMED), ending)
    working.then(open_questions(task, [asked], working.moment()))
    return working


def card(working: Working) -> Decision:
    decision = working.task.of_kind(Kind.ESCALATION)
    assert decision
    return decision


def offered(working: Working) -> set[str]:
    return {option.value for option in card(working).options}


ALWAYS = {"hint", "expand", "take", "drop", "cancel"}


@pytest.mark.parametrize(
    ("ending", "changes", "more", "less"),
    [
        (None, {}, {"check", "waive"}, set()),
        (None, {"tries": 2}, {"check", "waive", "core", "stub"}, set()),
        (None, {"attempt": 2}, set(), set()),  # what was judged is another attempt
        (None, {"step": "rules"}, set(), set()),
        (None, {"checked": Checked()}, {"check", "waive"}, set()),
        (Ending.TOO_LONG, {}, {"check", "waive", "core", "stub"}, {"expand"}),
    ],
)
def test_only_what_can_help_is_offered(
    ending: Ending | None, changes: dict[str, object], more: set[str], less: set[str]
) -> None:
    assert offered(stuck(ending, **changes)) == (ALWAYS | more) - less


def test_what_rules_refused_is_not_gone_on_without() -> None:
    gates = (GateRun(name="scope", score=Score.NEEDS_REVISION, why="outside"),)
    assert not {"check", "waive"} & offered(stuck(evaluation=judged_by(gates), checked=Checked()))


def test_a_check_is_waived_by_name_and_its_step_runs_again() -> None:
    waived, due = stuck().follows(Kind.ESCALATION, "waive", "it is known", by=APPROVER)
    assert isinstance(waived, e.ChecksWaived) and isinstance(due, e.StepDue)
    assert (waived.step, waived.checks, waived.by, waived.why) == ("test", ("tests",), (BO,), "it is known")
    assert (due.step, due.visit) == ("test", 3)


def test_checks_run_again_as_they_are() -> None:
    resumed, due = stuck().follows(Kind.ESCALATION, "check", by=APPROVER)
    assert isinstance(resumed, e.ChecksResumed) and (resumed.step, resumed.by) == ("test", BO)
    assert isinstance(due, e.StepDue) and due.visit == 3


@pytest.mark.parametrize("spoilt", [False, True])
def test_with_a_hint_it_is_tried_again_and_counted_anew(spoilt: bool) -> None:
    secrets = (GateRun(name="secrets", score=Score.FAIL, why="a key"),) if spoilt else GATES
    [again] = stuck(evaluation=judged_by(secrets)).follows(Kind.ESCALATION, "hint", "use sqlite", by=APPROVER)
    assert isinstance(again, e.SubtaskReady)
    assert (again.attempt, again.afresh, again.anew, again.degraded) == (2, True, spoilt, None)


@pytest.mark.parametrize("less", ["core", "stub"])
def test_less_may_be_settled_for(less: str) -> None:
    [again] = stuck(tries=2).follows(Kind.ESCALATION, less, by=APPROVER)
    assert isinstance(again, e.SubtaskReady) and again.degraded == less


def test_a_wider_scope_is_asked_of_an_approver_and_needs_a_path() -> None:
    facts = stuck().follows(Kind.ESCALATION, "expand", "src/store.py, src/db/", by=APPROVER)
    [opened] = [fact.decision for fact in facts if isinstance(fact, e.DecisionOpened)]
    assert (opened.kind, opened.subject) == (Kind.SCOPE, OfRun(subtask=1, attempt=1))
    assert opened.plain_evidence == ("src/store.py", "src/db/**")
    facts = stuck().follows(Kind.ESCALATION, "expand", "../outside", by=APPROVER)
    assert any(isinstance(fact, e.SubtaskEscalated) for fact in facts)
    assert [fact.decision.kind for fact in facts if isinstance(fact, e.DecisionOpened)] == [Kind.ESCALATION]


def test_a_person_may_take_it_over_on_a_branch_of_their_own() -> None:
    taken, opened = stuck().follows(Kind.ESCALATION, "take", by=APPROVER)
    assert isinstance(taken, e.SubtaskTaken) and taken.by == BO
    assert isinstance(opened, e.DecisionOpened) and opened.decision.kind is Kind.TAKEN


def test_what_is_kept_is_told_and_a_run_that_moved_on_is_left_alone() -> None:
    assert len(card(stuck(branch="b", patch="p")).evidence) == 3
    assert len(card(stuck(branch="", patch="")).evidence) == 1
    moved_on = stuck()
    moved_on.set(state=SubtaskState.RUNNING)
    assert moved_on.follows(Kind.ESCALATION, "hint", "use sqlite", by=APPROVER) == []
