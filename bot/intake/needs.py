"""What waits for somebody: found by small rows, and read only where it is shown."""

from collections.abc import Sequence
from functools import cache

from agents.domain.decisions.authority import Presser, may
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.table import RULES, rule_name
from agents.domain.task.task import Task
from bot.permissions import Permissions
from store.books import Books
from store.streams.ledger import Right, Waiting


def count_needs(books: Books, speaker: Presser, permissions: Permissions) -> int:
    """How many open decisions this person may make now. No decision and no task is read for it."""
    return sum(count for right, count in books.ledger.count_waiting() if _has(right, speaker, permissions))


def mine_of(books: Books, speaker: Presser, permissions: Permissions) -> list[Waiting]:
    """Open decisions this person may make now, oldest first."""

    @cache
    def has(right: Right) -> bool:
        return _has(right, speaker, permissions)

    return [waiting for waiting in books.ledger.waiting() if has(waiting.right)]


def mine_in(books: Books, task: Task, speaker: Presser, permissions: Permissions) -> list[Decision]:
    """Those of one task, oldest first."""

    def right(decision: Decision) -> Right:
        return Right(rule_name(decision), decision.put_to, task.request.by, task.request.channel)

    return [each for each in books.ledger.questions_of(task.id) if _has(right(each), speaker, permissions)]


def search(books: Books, waiting: Sequence[Waiting], words: str) -> list[Waiting]:
    """Those whose task, kind or question has each of these words in it, or whose id begins so."""
    parts = words.casefold().split()
    if not parts:
        return list(waiting)
    words_of = books.log.words({each.task for each in waiting})
    questions = {decision.id: decision.question for decision in books.ledger.read([each.id for each in waiting])}

    def text(each: Waiting) -> str:
        kind = each.right.rule
        return f"{kind} {kind.replace('_', ' ')} {questions[each.id]} {words_of[each.task]}".casefold()

    begins = words.strip()
    return [each for each in waiting if each.id.startswith(begins) or all(part in text(each) for part in parts)]


def read(books: Books, waiting: Sequence[Waiting]) -> list[tuple[Task, Decision]]:
    decisions = books.ledger.read([each.id for each in waiting])
    return [(books.log.in_thread(decision.task), decision) for decision in decisions]


def _has(right: Right, speaker: Presser, permissions: Permissions) -> bool:
    rule = RULES[right.rule]
    if rule.put_to and speaker.is_(right.put_to):
        return True
    return may(rule, speaker, right.owner, permissions.channel(right.channel))
