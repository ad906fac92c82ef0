"""Which open questions people could see when they said something: in the order of messages, never by two clocks."""

from datetime import timedelta

from agents.domain.decisions.table import questions
from agents.domain.ids import DecisionId, Thread, surface_of
from agents.domain.task.task import Task
from bot.config.platforms import find_platform, load
from bot.messages import Said
from store.transaction import Transaction

Questions = frozenset[DecisionId]
SOON = timedelta(seconds=60)


def order_questions(said: Said, task: Task, tx: Transaction) -> tuple[Questions, Questions]:
    """Questions that were not shown yet when this was said, and those of which nobody knows.

    A platform's clock and ours may be minutes apart, so times are not compared. Who speaks from elsewhere, or replies
    to the card itself, has seen what there is.
    """
    if not said.message or surface_of(said.by) != surface_of(said.thread):
        return frozenset(), frozenset()
    unseen, unsure = set[DecisionId](), set[DecisionId]()
    for question in questions(task):
        place = tx.posts.place_of(f"decision:{question.id}", said.thread)
        if place is None:
            if tx.log.unread("announcer", 1):
                unseen.add(question.id)
        elif not place.message or (place.message != said.on and _comes_before(said, place.message, tx)):
            (unsure if place.elsewhere else unseen).add(question.id)
    return frozenset(unseen), frozenset(unsure)


def is_too_early(thread: Thread, received: timedelta, tx: Transaction) -> bool:
    """Whether a question is being posted there at this moment, so that it is known soon which came first.

    `received`: how long ago the words came in; nobody waits for long.
    """
    if received > SOON:
        return False
    return any(post.key.startswith("decision:") for post in tx.posts.under_way(thread))


def _comes_before(said: Said, card: str, tx: Transaction) -> bool:
    spec = find_platform(surface_of(said.thread))
    if spec is None or not spec.rank:
        return tx.messages.comes_before(said.thread, said.message, card)
    first, second = (load(spec.rank)(message) for message in (said.message, card))
    return first is not None and second is not None and first < second
