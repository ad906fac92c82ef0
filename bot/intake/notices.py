"""What one person alone is told, besides the answer to what they asked."""

from datetime import datetime

from agents.domain.checks.evaluation import Evaluation
from agents.domain.errors import PressRefused
from agents.domain.ids import TaskId, surface_of
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from bot.cards import replies
from bot.cards.links import checks_card, checks_id
from bot.delivery.announcer import wish
from bot.messages import Card, Choice, Delivery, Edited, Pressed, Said
from store.books import Books
from store.chat.posts import Act


def warn_of_key(delivery: Delivery, redact: Redact, at: datetime, books: Books) -> None:
    """Tell whoever wrote something that looks like a key so, once a message. Those who write elsewhere see it there."""
    if not isinstance(delivery, Said | Edited | Pressed) or surface_of(delivery.by) != surface_of(delivery.thread):
        return
    words = delivery.words if isinstance(delivery, Pressed) else delivery.text
    if redact(words) == words:
        return
    where = delivery.key if isinstance(delivery, Pressed) else f"{delivery.thread}:{delivery.message}"
    key = f"key:{where}"
    if not books.posts.is_wanted(key):
        card = replies.key_card(surface_of(delivery.by))
        books.posts.want(wish(key, delivery.thread, card, Act.WHISPER, delivery.by), at)


def checks_at(pressed: Pressed, choice: Choice, books: Books) -> Card | None:
    """What a standing button on the message of a task's checks brings. None: it is another button."""
    post = books.posts.on_message(pressed.thread, pressed.message) if pressed.message else None
    kind, _, id = post.key.partition(":") if post else ("", "", "")
    if kind != "evaluation":
        return None
    task = books.log.task(TaskId(id))
    judged = next(
        (w.evaluation for w in task.work.subtasks if w.evaluation and _names(choice, task, w.evaluation)), None
    )
    card = checks_card(task, judged, choice.letter) if judged else None
    if card is None:
        raise PressRefused("This was checked again since", next_step="Press the button on the newest message.")
    return card


def _names(choice: Choice, task: Task, judged: Evaluation) -> bool:
    return choice.decision == checks_id(task, judged)
