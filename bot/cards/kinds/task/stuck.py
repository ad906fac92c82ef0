"""A job that failed for good."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.stuck import StuckOption
from agents.domain.decisions.subject import OfJob
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL, KindCard, Label, show_request
from bot.cards.kinds.plan.no_plan import OUTLINE
from bot.cards.parts.words import FLOW
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    flow = decision.subject.flow if isinstance(decision.subject, OfJob) else ""
    failed = f"{FLOW.get(flow, flow).capitalize()} could not be finished, and I stopped trying."
    return f"{failed} {show_request(task, decision)}"


STUCK = KindCard(
    kind=Kind.STUCK,
    name="work that got stuck",
    title=lambda task, d: f"{task.id} got stuck",
    text=_text,
    labels={
        StuckOption.RETRY: Label("Retry step", "Retried", Style.PRIMARY),
        StuckOption.OUTLINE: OUTLINE,
        StuckOption.CANCEL: CANCEL,
    },
    at_work="Got stuck: it needs you",
    trouble=True,
)
