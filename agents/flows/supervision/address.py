"""Have the planner address each directive before a person is asked: a task, done already, or up to a person."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.table import open_questions
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.supervision.directive import Directive
from agents.domain.supervision.reporting import after_address
from agents.domain.task.task import Task
from agents.domain.text.sanitize import AnswerBound, Sentence, clean, one_line
from agents.flows.supervision.inputs import Seen, compress, describe
from agents.flows.supervision.looking import look_up
from agents.ports import Ask, Ports


class Addressed(StrEnum):
    TASK = "task"
    HANDLED = "already_handled"
    ESCALATE = "escalate"


class DirectiveAnswer(BaseModel):
    number: int
    answer: Addressed
    why: Sentence = ""


class AddressAnswer(BaseModel):
    directives: Annotated[tuple[DirectiveAnswer, ...], AnswerBound(20)] = ()


async def address(event: Event, ports: Ports) -> None:
    """Without an answer all of them go to a person as they are."""
    assert isinstance(event, e.SupervisorsReported)
    task = await ports.store.task(event.task)
    state = await look_up(task, ports)
    raised = [found for id in event.raised if (found := state.directive(id))]
    about = compress(task, state, None, Seen())
    asked = Ask(
        question="address",
        role="primary",
        step=f"address:{event.call}",
        task=task,
        about={
            **{name: about[name] for name in ("done", "remaining", "results")},
            "directives": [f"{number}. {describe(each)}" for number, each in enumerate(raised, 1)],
        },
        refuse=lambda answer: missing_in(answer, len(raised)),
    )
    handled: dict[str, str] = {}
    try:
        if raised:
            says, _ = await ports.llm.ask(asked, AddressAnswer)
            handled = _handled(says, raised)
    except (NoAnswer, BudgetReached):
        handled = {}

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        return open_questions(now, after_address(now, event, handled, moment), moment)

    await ports.store.record(task.id, decide)


def missing_in(answer: AddressAnswer, count: int) -> str:
    """Each must be addressed, and once; and what is done already must be shown to be."""
    said = sorted(each.number for each in answer.directives)
    if said != list(range(1, count + 1)):
        return f"each of the directives 1 to {count} must be addressed once"
    silent = next((each.number for each in answer.directives if each.answer is Addressed.HANDLED and not each.why), 0)
    return f"it does not say how {silent} is handled already" if silent else ""


def _handled(says: AddressAnswer, raised: Sequence[Directive]) -> dict[str, str]:
    """By id: how it is done already. No model's word takes away what is critical."""
    found = ((raised[each.number - 1], each) for each in says.directives if each.answer is Addressed.HANDLED)
    return {directive.id: one_line(clean(each.why), 300) for directive, each in found if not directive.is_critical}
