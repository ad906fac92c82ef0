"""A subtask that a person took over."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.taken import TakenOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, DROP, STEP_WAITS, KindCard, Label, show_request, subtask_of
from bot.messages import Style

_HAND_IN = "When you are done, hand it in: I judge it like any other work."


def _title(task: Task, decision: Decision) -> str:
    """The evidence is the branch; earlier versions stored the sentence."""
    return decision.question or f"{subtask_of(decision)} is yours: commit on {', '.join(decision.plain_evidence)}"


def _lines(decision: Decision) -> tuple[str, ...]:
    return decision.plain_evidence if decision.question else (_HAND_IN,)


CARD = KindCard(
    kind=Kind.TAKEN,
    name="work that somebody took over",
    title=_title,
    text=show_request,
    lines=_lines,
    labels={
        TakenOption.HAND_IN: Label("Check my branch", "Handed in", Style.PRIMARY),
        TakenOption.DROP: DROP,
        TakenOption.CANCEL: CANCEL_TASK,
    },
    at_work=STEP_WAITS,
    checks=True,
    trouble=True,
)
