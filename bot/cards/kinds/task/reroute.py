"""The standing buttons that turn a question into a task, a task into a question, or either into nothing."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.task.reroute import RerouteOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label


def words_to_start_with(task: Task) -> str:
    """The last question, or what was said at first."""
    inquiries = task.talk.inquiries
    return inquiries[-1].text if inquiries else task.request.text


CARD = KindCard(
    kind=Kind.REROUTE,
    name="what the message is",
    title=lambda task, d: f"{task.id}: was it taken for what it is?",
    labels={
        RerouteOption.CHANGE: Label("Turn this into a task", "Turned into a task", asks="What should be changed?"),
        RerouteOption.ANSWER: Label("Just answer it", "Turned into a question"),
        RerouteOption.WITHDRAW: Label("Withdraw it", "Withdrawn"),
    },
    takes_words=False,
)
