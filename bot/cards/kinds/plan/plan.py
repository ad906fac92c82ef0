"""A plan as it was shown, to approve or to change."""

from collections.abc import Mapping

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan.plan import PlanOption
from agents.domain.decisions.subject import OfPlan
from agents.domain.planning.review import Ruling, Stance
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, CHANGES, EDIT_PLAN, NARROW, SNOOZE, KindCard, Label, request_in_short
from bot.cards.plan import plan_footer, rows_of_shown_plan, size_in_words
from bot.cards.planning.edit_form import EDIT_FORM
from bot.messages import Style


def _version(task: Task, decision: Decision) -> tuple[int, str]:
    """The one that is decided on, whatever was planned since; and how a title says it."""
    shown = decision.subject.version if isinstance(decision.subject, OfPlan) else 0
    number = shown or task.plan.number
    return number, f", version {number}" if number > 1 else ""


def _closed_title(task: Task, decision: Decision) -> str:
    """“T-1: plan approved, version 2”; nothing is asked any more."""
    chosen = LABELS.get(decision.option(decision.outcome).value) if decision.outcome else None
    came = f"{chosen.closed[:1].lower()}{chosen.closed[1:]}" if chosen else "the plan"
    return f"{task.id}: {came}{_version(task, decision)[1]}"


def _title(task: Task, decision: Decision) -> str:
    number, again = _version(task, decision)
    if any(option.approves for option in decision.options):
        return f"{task.id}: please look at the plan{again}"
    if task.plan.review is None or number != task.plan.number:
        return f"{task.id}: a reviewer says stop{again}"
    who = "critic" if task.plan.review.critic_stance is Stance.STOP else "scope guard"
    return f"{task.id}: the {who} says stop"


def _text(task: Task, decision: Decision) -> str:
    request = request_in_short(task)
    if task.plan.review and task.plan.review.ruling is Ruling.BLOCKED:
        return f"“{request}” cannot go on like this, and nobody can approve it as it is. Say what should change."
    size = f": {size_in_words(task.plan.draft)}" if task.plan.draft else ""
    return f"“{request}”{size}. Nothing starts before it is approved."


LABELS: Mapping[str, Label] = {
    PlanOption.APPROVE: Label("Approve plan", "Plan approved", Style.PRIMARY),
    PlanOption.CHANGES: CHANGES,
    PlanOption.EDIT: EDIT_PLAN,
    PlanOption.NARROW: NARROW,
    PlanOption.SEND_BACK: Label("Send plan back", "Plan sent back", asks="What is wrong with the whole of it?"),
    PlanOption.BACKBURNER: SNOOZE,
    PlanOption.CANCEL: CANCEL_TASK,
    PlanOption.FULL: Label("Review in full", "Full review asked for"),
    PlanOption.APPROVE_ADD: Label(
        "Approve, and allow small additions",
        "Plan approved, small additions allowed",
        asks="How many small subtasks may supervisors have added inside these files? A number from 1 to 10.",
    ),
}

CARD = KindCard(
    kind=Kind.PLAN,
    name="the plan",
    title=_title,
    closed_title=_closed_title,
    text=_text,
    labels=LABELS,
    tables={PlanOption.EDIT: EDIT_FORM},
    rows=rows_of_shown_plan,
    footer=plan_footer,
    first=2,
)
