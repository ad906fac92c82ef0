"""Checks of the forge that have not ended in time."""

from collections.abc import Iterator

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import same_option
from agents.domain.decisions.kinds.work.late_checks import ChecksOption
from agents.domain.decisions.subject import OfStep
from agents.domain.decisions.table import rights_to
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, DIFFERENTLY, TAKE_OVER, KindCard, Label, who_may
from bot.cards.scene import Bill, rows_of
from bot.messages import Row, Style


def _text(task: Task, decision: Decision) -> str:
    if decision.evidence:
        return "I could not read the remote checks, and the time for waiting is over."
    waiting = f": {decision.question}" if decision.question else ""
    return f"Remote checks have not ended, and the time for waiting is over{waiting}."


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    commit = decision.subject.commit[:10] if isinstance(decision.subject, OfStep) else ""
    pull = f"#{task.delivery.pull} {task.delivery.url}" if task.delivery.pull else ""
    return rows_of(("Commit", commit), ("Branch", task.work.branch), ("Pull request", pull))


def _footer(task: Task, decision: Decision) -> Iterator[str]:
    if again := same_option(decision, ChecksOption.AGAIN):
        yield f"To check again: {who_may(*rights_to(decision, again))}."
    yield "Whoever continues without them is named on the merge card."


CARD = KindCard(
    kind=Kind.CHECKS,
    name="remote checks that have not ended",
    risky={
        RiskLevel.HIGH: "remote checks of a risky change that have not ended",
        RiskLevel.CRITICAL: "remote checks of a critical change that have not ended",
    },
    title=lambda task, d: f"{task.id}: remote checks have not ended",
    text=_text,
    labels={
        ChecksOption.AGAIN: Label("Check again", "Checked again", Style.PRIMARY),
        ChecksOption.WITHOUT: Label(
            "Continue without them", "Continued without them", asks="Why? The merge card says it."
        ),
        ChecksOption.FIX: Label("Ask for a fix", "Fix asked for", asks=DIFFERENTLY),
        ChecksOption.LEAVE: TAKE_OVER,
        ChecksOption.CANCEL: CANCEL_TASK,
    },
    rows=_rows,
    footer=_footer,
    first=3,
    at_work="Remote checks have not ended: it needs you",
    trouble=True,
)
