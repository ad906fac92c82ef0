"""A command that was almost typed is offered back with a button; a press says it again, rightly or as it stood.

The message and the delivery are rows, so the button works after a restart; nothing waits for it, so it is no decision.
"""

from collections.abc import Sequence
from dataclasses import replace

from agents.domain.decisions.authority import Presser
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, TaskId, Thread, derive_id
from agents.domain.task.task import Task, TaskState
from bot.cards.asking.answers import RIGHTLY, near_miss_card, taken_card
from bot.delivery.announcer import wish
from bot.intake.conversation import Meaning, SmallTalk, Words, understand
from bot.messages import Choice, Pressed, Said, load_card
from store.chat.posts import Wish
from store.codec import shape
from store.transaction import Transaction

OFFERED = "near:"  # what the keys of such messages begin with
_GONE = PressRefused("What you wrote is not kept any more", next_step="Say it again.")
_DONE = PressRefused("That was done already", next_step="Nothing is left to do here.")


def wanted_in(task: Task | None) -> Task | None:
    """The task of a thread; none where it turned out to be no request."""
    return None if task and task.state is TaskState.WITHDRAWN else task


def ended_in(thread: Thread, tx: Transaction) -> TaskId | None:
    """The task that was carried out in a thread and has ended: what is asked for there now follows it."""
    notes = tx.threads.find(thread)
    before = tx.log.find(notes.task) if notes and notes.task else None
    if before is None or not before.has_ended:
        return None
    return before.request.follows if before.state is TaskState.WITHDRAWN else before.id


def near_miss_of(said: Said, meaning: Meaning, *, at_work: bool) -> str:
    """The command that it almost is; nothing where its author has said that it is none. `at_work`: in the thread of a
    task that is not done, "never mind" may mean all of it."""
    if not isinstance(meaning, Words) or said.key.startswith(OFFERED):
        return ""
    return meaning.near if at_work or not isinstance(meaning, SmallTalk) else ""


def offer_back(said: Said, command: str, in_task: bool, tx: Transaction) -> str:
    card = near_miss_card(said.text, command, _id(said), in_task=in_task)
    tx.posts.want(wish(f"{OFFERED}{said.key}", said.thread, card), said.at)
    return f"offered {command}"


def taken_back(
    pressed: Pressed, choice: Choice, speaker: Presser, here: Sequence[Wish], tx: Transaction
) -> Said | None:
    """What is said by a press on such a message; None where it is another one. Only its author says it."""
    post = next((each for each in here if each.key.startswith(OFFERED)), None) if pressed.message else None
    if post is None:
        return None
    received = tx.deliveries.find(post.key.removeprefix(OFFERED))
    if received is None:
        raise _GONE
    said = shape(Said).validate_json(received.body)
    if choice.decision != _id(said) or tx.people.of(said.by).id not in {speaker.person, *speaker.known_as}:
        raise PressRefused("This is not yours to decide", next_step="Whoever wrote it says what they meant.")
    if not any(button.choice == choice for button in load_card(post.body).buttons):
        raise _DONE
    meaning = understand(said.text)
    command = meaning.near if isinstance(meaning, Words) else ""
    words = command if choice.letter == RIGHTLY else said.text
    shown = taken_card(command if choice.letter == RIGHTLY else "")
    tx.posts.want(wish(post.key, pressed.thread, shown), pressed.at)
    return replace(said, key=post.key, also="", text=words, mentions_bot=True, memberships=pressed.memberships)


def _id(said: Said) -> DecisionId:
    return DecisionId(derive_id("near", said.key))
