"""What a message is, where nobody could tell."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.route import RouteOption
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label, no_lines
from bot.cards.reasons import put
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    words = decision.subject.words if isinstance(decision.subject, OfWords) else ""
    why = f" I could not read it: {put(decision.evidence[0]).rstrip('.')}." if decision.evidence else ""
    return f"You wrote: “{words}”.{why} Nothing is done before you say."


CARD = KindCard(
    kind=Kind.ROUTE,
    name="what a message is",
    title=lambda task, d: f"{task.id}: shall I answer this, or change something?",
    text=_text,
    lines=no_lines,
    labels={
        RouteOption.ANSWER: Label("Answer it", "Taken as a question", Style.PRIMARY),
        RouteOption.CHANGE: Label("Change something", "Taken as a request"),
        RouteOption.NOTHING: Label("Do nothing", "Nothing to do"),
    },
    takes_words=False,
)
