"""Read what a remark is meant to do. With no model it stays a remark, and the commands still work."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, RemarkMade
from agents.domain.task import remarks
from agents.domain.task.remarks import Intent, Understood
from agents.domain.task.task import Task
from agents.ports import Ask, Ports

_INTENTS = (
    "change: the plan or the request should be different; approve: consent to what is open; status: how it stands; "
    "why: the reasons for a plan, a verdict or a wait; cost: money; other: anything else, small talk too"
)
_CONFIDENCE = "how sure you are, from 0 to 1; below 0.7 the person is asked"


class IntentAnswer(BaseModel):
    intent: Intent = Field(description=_INTENTS)
    confidence: float = Field(ge=0, le=1, description=_CONFIDENCE)


async def understand(event: Event, ports: Ports) -> None:
    assert isinstance(event, RemarkMade)
    task = await ports.store.task(event.task)
    about = {"said": event.text, "known": remarks.known(task)}
    asked = Ask(question="intent", role="summarizer", step="intent", task=task, about=about)
    try:
        says, _ = await ports.llm.ask(asked, IntentAnswer)
        understood = Understood(intent=says.intent, confidence=says.confidence)
    except (NoAnswer, BudgetReached):  # advice fails open, and no task stops for want of it
        understood = Understood(intent=Intent.OTHER, confidence=0)

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return remarks.after_remark(task, event, understood, moment)

    await ports.store.record(task.id, decide)
