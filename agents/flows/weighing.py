"""Compare what people say while minions work with the accepted plan."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.task import decide
from agents.domain.task.decide import Weighed
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.ports import Ask, Ports


class WishAnswer(BaseModel):
    contradicts: bool
    what: str = Field(default="", max_length=300, description="which part of the plan, and how, in one sentence")
    confidence: float = Field(ge=0, le=1, description="how sure you are, from 0 to 1; below 0.7 it counts as unclear")

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        return "it says that something is contradicted, and not what" if self.contradicts and not self.what else ""


async def weigh_wishes(event: Event, ports: Ports) -> None:
    """Without a model a wish is kept all the same, and people are told that nobody compared it."""
    seen = await ports.store.task(event.task)
    found = [(wish.number, await _weigh(wish, seen, ports)) for wish in decide.to_weigh(seen)]

    def record(task: Task, moment: Moment) -> Sequence[Event]:
        return [fact for number, weighed in found for fact in decide.weigh(task, number, weighed, moment)]

    await ports.store.record(seen.id, record)


async def _weigh(wish: Wish, task: Task, ports: Ports) -> Weighed:
    step, about = f"wish:{wish.number}", {"said": wish.words}
    asked = Ask(question="wish", role="summarizer", step=step, task=task, about=about, refuse=WishAnswer.contradiction)
    try:
        says, _ = await ports.llm.ask(asked, WishAnswer)
    except (NoAnswer, BudgetReached) as none:
        return Weighed(unclear=none.what)
    return Weighed(contradicts=says.what if says.contradicts else "", confidence=says.confidence)
