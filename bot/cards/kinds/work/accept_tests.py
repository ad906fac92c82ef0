"""Existing tests that the work changed, for a person to accept."""

from agents.domain.checks.evaluation import ChangedTest, RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.accept_tests import AcceptOption
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.work import ShownTests
from bot.cards.kinds.kind_card import DIFFERENTLY, STEP_WAITS, KindCard, Label
from bot.cards.scene import Bill
from bot.messages import Row, Style

GONE = "(gone)"


def _shown(task: Task, decision: Decision) -> ShownTests | None:
    about = decision.subject
    works = task.work.subtasks if isinstance(about, OfStep) else ()
    return next(
        (work.tests_shown for work in works if isinstance(about, OfStep) and work.number == about.subtask), None
    )


def _text(task: Task, decision: Decision) -> str:
    shown = _shown(task, decision)
    many = f"{len(shown.keys)} existing test{'s' if len(shown.keys) != 1 else ''}" if shown else "existing tests"
    says = "The approved plan says that this step changes existing tests."
    return f"{says} It changed {many}: read each, before and after."


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    shown = _shown(task, decision)
    if shown is None:
        return []
    rows = [_row(each) for each in shown.tests]
    rest = shown.names[len(shown.tests) :]
    more = len(shown.keys) - len(shown.tests)
    return [*rows, *([Row(label=f"{more} more", value=", ".join(rest) or "in the diff")] if more > 0 else [])]


def _row(each: ChangedTest) -> Row:
    return Row(label=each.name, value=f"Before:\n{each.before}\nAfter:\n{each.after or GONE}")


CARD = KindCard(
    kind=Kind.ACCEPT_TESTS,
    name="changed tests",
    risky={
        RiskLevel.HIGH: "changed tests of a risky change",
        RiskLevel.CRITICAL: "changed tests of a critical change",
    },
    title=lambda task, d: f"{task.id}: existing tests were changed",
    text=_text,
    labels={
        AcceptOption.ACCEPT: Label("Accept the changed tests", "Changed tests accepted", Style.PRIMARY),
        AcceptOption.FIX: Label("Ask for a fix", "Fix asked for", asks=DIFFERENTLY),
    },
    rows=_rows,
    footer=lambda task, d: ("Whoever accepts them is named on the merge card.",),
    comments=AcceptOption.FIX,
    at_work=STEP_WAITS,
)
