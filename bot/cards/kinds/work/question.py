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
    whole_question,
    why_rows,
)


def _title(task: Task, decision: Decision) -> str:
    return decision.question if is_short(decision.question) else decision.question.partition(":")[0]


def _whole(decision: Decision) -> str:
    whole = whole_question(decision)
    return whole.partition(": ")[2] or whole


def _text(task: Task, decision: Decision) -> str:
    whole, about = _whole(decision), show_request(task, decision)
    return f"{whole}\n\n{about}" if whole else about


CARD = KindCard(
    kind=Kind.QUESTION,
    name="a minion's question",
    title=_title,
    text=_text,
    labels={QuestionOption.ANSWER: Label("Answer…", "Answered")},
    asks=lambda d: d.question.partition(": ")[2][:140],
    rows=why_rows,
    lines=no_lines,
    whole=_whole,
    at_work=MINION_WAITS,
    hold="Pause timer",
)
