"""A minion's question; its options are answers that it suggests, and one that takes words."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.question import QuestionOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import (
    MINION_WAITS,
    KindCard,
    Label,
    is_short,
    no_lines,
    show_request,
    subtask_of,
    why_rows,
)


def _asks(decision: Decision) -> str:
    """What the minion asks; earlier versions stored it with who asks before it."""
    return (decision.question.partition(": ")[2] or decision.question) if decision.question else decision.wording


def _title(task: Task, decision: Decision) -> str:
    who = f"{subtask_of(decision)} asks"
    return who if _whole(decision) else f"{who}: {_asks(decision)}"


def _whole(decision: Decision) -> str:
    """What is too long for a title; empty where the title says it."""
    asks = _asks(decision)
    return "" if is_short(f"{subtask_of(decision)} asks: {asks}") else asks


def _text(task: Task, decision: Decision) -> str:
    whole, about = _whole(decision), show_request(task, decision)
    return f"{whole}\n\n{about}" if whole else about


CARD = KindCard(
    kind=Kind.QUESTION,
    name="a minion's question",
    title=_title,
    text=_text,
    labels={QuestionOption.ANSWER: Label("Answer…", "Answered")},
    asks=lambda d: _asks(d)[:140],
    rows=why_rows,
    lines=no_lines,
    whole=_whole,
    at_work=MINION_WAITS,
    hold="Pause timer",
)
