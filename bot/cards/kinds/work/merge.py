"""The merge of the finished work."""

from collections.abc import Iterator

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import same_option
from agents.domain.decisions.kinds.work.merge import MergeOption
from agents.domain.decisions.subject import OfHead
from agents.domain.decisions.table import rights_to
from agents.domain.skills.drafting import LABEL, touches_skills
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, CHANGES, TAKE_OVER, KindCard, Label, no_lines, who_may
from bot.cards.knowledge.notes import carried_rows
from bot.cards.reasons import risk_sentence
from bot.cards.scene import Bill, bill_rows
from bot.cards.work.commits import merge_git_rows
from bot.cards.work.handing_over import merge_rows
from bot.messages import Row, Style


def _text(task: Task, decision: Decision) -> str:
    about = decision.subject
    if decision.question or not isinstance(about, OfHead):
        return decision.question
    files = f"{about.files} file{'s' if about.files != 1 else ''}"
    return f"{files}, +{about.added} −{about.removed}. {risk_sentence(about.risk, decision.evidence)}"


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    label = [Row(label="Label", value=LABEL)] if touches_skills(task) else []
    notes = carried_rows(task.delivery.notes)
    return [*label, *merge_rows(task), *notes, *merge_git_rows(task), *bill_rows(task, bill)]


def _footer(task: Task, decision: Decision) -> Iterator[str]:
    if changes := same_option(decision, MergeOption.CHANGES):
        yield f"To ask for changes: {who_may(*rights_to(decision, changes))}."
    if task.plan.rehearsal:
        yield "A rehearsal: whatever changes you ask for, a script plays the ones it has."


CARD = KindCard(
    kind=Kind.MERGE,
    name="the merge",
    risky={RiskLevel.HIGH: "the merge of a risky change", RiskLevel.CRITICAL: "the merge of a critical change"},
    title=lambda task, d: f"{task.id} is ready to merge",
    text=_text,
    lines=no_lines,
    labels={
        MergeOption.MERGE: Label("Merge it", "Merge approved", Style.PRIMARY),
        MergeOption.CHANGES: CHANGES,
        MergeOption.LEAVE: TAKE_OVER,
        MergeOption.CANCEL: CANCEL_TASK,
    },
    rows=_rows,
    footer=_footer,
    comments=MergeOption.CHANGES,
    at_work="Ready to merge",
)
