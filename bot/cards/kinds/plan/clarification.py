"""A question of the planner. Its options are answers that the planner suggests."""

from agents.domain.decisions.authority import Kind
from bot.cards.kinds.asked import ask_whole, is_short, no_lines, whole_question, why_rows
from bot.cards.kinds.kind_card import KindCard

_NAME = "a question about the request"

CLARIFICATION = KindCard(
    kind=Kind.CLARIFICATION,
    name=_NAME,
    title=lambda task, d: f"{task.id}: {d.question if is_short(d.question) else _NAME}",
    text=ask_whole,
    rows=why_rows,
    lines=no_lines,
    whole=whole_question,
)
