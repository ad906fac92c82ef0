"""A question of the planner; its options are answers that the planner suggests."""

from agents.domain.decisions.authority import Kind
from bot.cards.kinds.kind_card import KindCard, ask_whole, is_short, no_lines, whole_question, why_rows

_NAME = "a question about the request"

CARD = KindCard(
    kind=Kind.CLARIFICATION,
    name=_NAME,
    title=lambda task, d: f"{task.id}: {d.question if is_short(d.question) else _NAME}",
    text=ask_whole,
    rows=why_rows,
    lines=no_lines,
    whole=whole_question,
)
