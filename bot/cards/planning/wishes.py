"""What people asked for on the way, as the page of a task lists it."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.decisions.decision import NameOf
from agents.domain.task.task import Task
from agents.domain.task.wishes import Source, Standing, Wish
from agents.domain.text.redact import Redact
from bot.cards.reasons import put

SOURCE: dict[Source, str] = {
    Source.PLAN: "on the plan",
    Source.EDIT: "edited the plan by hand",
    Source.CLARIFICATION: "answered a question",
    Source.REMARK: "in the thread",
    Source.ANSWER: "answered a minion",
    Source.SCOPE: "kept the scope",
    Source.INTERFACE: "let an interface change",
    Source.HINT: "a hint",
    Source.STEP: "asked for a fix",
    Source.MERGE: "asked for changes at the merge",
    Source.CORRECTION: "edited the request",
    Source.SETTLED: "chose between a wish and the plan",
}
STANDING: dict[Standing, str] = {
    Standing.HOLDS: "",
    Standing.DISPUTED: "against the plan, which holds until somebody chooses",
    Standing.FIRST: "goes before the plan",
    Standing.OVERRULED: "the plan was kept",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WishRow:
    number: int
    at: datetime
    by: str  # name
    where: str
    words: str
    standing: str = ""


def wish_rows(task: Task, name: NameOf, redact: Redact) -> tuple[WishRow, ...]:
    return tuple(_row(task, wish, name, redact) for wish in task.wishes)


def _row(task: Task, wish: Wish, name: NameOf, redact: Redact) -> WishRow:
    where = f"{SOURCE[wish.source]}, {task.id}.{wish.subtask}" if wish.subtask else SOURCE[wish.source]
    words = f"{wish.about} → {wish.words}" if wish.about else wish.words
    standing = STANDING[wish.standing] or (
        f"nobody compared it with the plan: {put(wish.unclear)}" if wish.unclear else ""
    )
    return WishRow(
        number=wish.number, at=wish.at, by=name(wish.by), where=where, words=redact(words), standing=redact(standing)
    )
