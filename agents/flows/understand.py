"""Read what a remark is meant to do. With no model it stays a remark, and the commands still work."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain import remarks
from agents.domain.asking import Moment
from agents.domain.errors import NoAnswer
from agents.domain.events import Event, RemarkMade
from agents.domain.remarks import Intent, Understood
from agents.domain.task import Task
from agents.ports import Ask, Ports


class IntentAnswer(BaseModel):
    intent: Intent
    confidence: float = Field(ge=0, le=1)


async def understand(event: Event, ports: Ports) -> None:
    assert isinstance(event, RemarkMade)
    task = await ports.store.task(event.task)
    asked = Ask(question="intent", role="summarizer", step="intent", task=task, about={"remark": event.text})
    try:
        says, _ = await ports.llm.ask(asked, IntentAnswer)
    except NoAnswer:
        says = IntentAnswer(intent=Intent.OTHER, confidence=0)  # C06: advice fails open
    understood = Understood(intent=says.intent, confidence=says.confidence)

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return remarks.after_remark(task, event, understood, moment)

    await ports.store.record(task.id, decide)
