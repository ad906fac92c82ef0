"""A budget that is used up; the options are limits in dollars."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kinds.task.budget import BudgetOption
from agents.domain.decisions.subject import OfBudget
from agents.domain.task.task import Task
from agents.domain.text.dollars import dollars
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, request_in_short
from bot.messages import Style


def _raise_label(decision: Decision, option: Option) -> Label:
    """Earlier versions stored the label."""
    limit = dollars(float(option.value))
    return Label(option.label or f"Raise to {limit}", f"Raised to {limit}", Style.PRIMARY)


def _text(task: Task, decision: Decision) -> str:
    about = decision.subject
    assert isinstance(about, OfBudget)
    budget = about.budget or f"task {task.id}"
    used = f"The budget of {budget} is {dollars(about.limit)}, and {dollars(about.spent)} is spent or promised."
    return f"{used} “{request_in_short(task)}” waits. What is finished is kept and is not paid for again."


CARD = KindCard(
    kind=Kind.BUDGET,
    name="more budget",
    title=lambda task, d: f"{task.id}: the budget is used up",
    text=_text,
    labels={BudgetOption.CANCEL: CANCEL_TASK},
    other=_raise_label,
)
