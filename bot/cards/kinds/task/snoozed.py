"""A task that was snoozed."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.kinds.task.snoozed import SnoozedOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, request_in_short
from bot.messages import Style


def _title(task: Task, decision: Decision) -> str:
    return f"{task.id} {'is' if decision.state is DecisionState.OPEN else 'was'} snoozed"


def _text(task: Task, decision: Decision) -> str:
    return f"“{request_in_short(task)}” waits here and costs nothing. Bring it back whenever you like."


CARD = KindCard(
    kind=Kind.BACKBURNER,
    name="whether to bring it back",
    title=_title,
    text=_text,
    labels={
        SnoozedOption.RESUME: Label("Bring task back", "Brought back", Style.PRIMARY),
        SnoozedOption.CANCEL: CANCEL_TASK,
    },
)
