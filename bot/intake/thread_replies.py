"""What is said back in the thread of a task: to answers and remarks, to a pasted key, to a button of its checks."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.checks.evaluation import Evaluation
from agents.domain.decisions import answering
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.kind import Facts, Moment, assents
from agents.domain.decisions.table import rule_of
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, TaskId, surface_of
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from bot.cards import replies
from bot.cards.kinds.table import label_of
from bot.cards.links import checks_card, checks_id
from bot.delivery.announcer import wish
from bot.intake.commands import point_to_button
from bot.intake.conversation import Command, Meaning, SmallTalk, Verb, understand
from bot.messages import Card, Choice, Delivery, Edited, Pressed, Said, load_card
from store.chat.posts import Act
from store.codec import Cause
from store.transaction import Transaction

# Commands that are plain words too: "go on" answers "Shall I go on?", and "drop" is a button of stuck work.
_ALSO_WORDS = frozenset({Verb.RESUME, Verb.RETRY, Verb.APPROVE})
_ALSO_BUTTONS = frozenset({Verb.CANCEL, Verb.BACKBURNER})


def words_of(said: Said, tx: Transaction) -> Utterance:
    meaning = understand(said.text)
    talk = isinstance(meaning, SmallTalk) and not assents(meaning.text)
    text, to = said.text.strip(), _card_at(said, tx)
    return Utterance(text=text, at=said.at, mentioned=said.mentions_bot, talk=talk, to=to, label=label_of)


def _card_at(said: Said, tx: Transaction) -> DecisionId | None:
    """The decision on the card that the words reply to, if it is one of ours."""
    post = tx.posts.on_message(said.thread, said.on) if said.on else None
    return load_card(post.body).decision if post else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Something that was said in the thread of a task, by whom, and when."""

    task: Task
    words: Utterance
    said: Said
    speaker: Presser
    moment: Moment

    @property
    def answers(self) -> bool:
        """Whether it answers a question that is answered in words, by somebody who may."""
        found = answering.read(self.task, self.words, self.speaker, self.moment).answers
        scopes = (Kind.SCOPE, Kind.START_SCOPE)
        return any(rule_of(each.decision).by_words or each.decision.kind in scopes for each in found)

    def is_answered_by(self, command: Command) -> bool:
        """Whether a command is meant as an answer here; `stop` and `cancel` never are."""
        if command.task or command.verb not in _ALSO_WORDS | _ALSO_BUTTONS:
            return False
        if command.verb in _ALSO_BUTTONS and not answering.names_option(self.task, self.words.text, label_of):
            return False
        return bool(answering.read(self.task, self.words, self.speaker, self.moment).answers)

    def reply(self, tx: Transaction) -> str:
        """Record what it is, and say what it led to."""
        facts = answering.reply(self.task, self.words, self.speaker, self.moment)
        self._append(facts, tx)
        point_to_button(facts, self.said, tx)
        reading = answering.read(self.task, self.words, self.speaker, self.moment)
        if reading.not_theirs:
            card = replies.remark_card(self.task, reading.not_theirs, self.words.text)
            whisper = wish(f"whisper:{self.said.key}", self.said.thread, card, Act.WHISPER, self.said.by)
            tx.posts.want(whisper, self.moment.at)
        return f"{self.task.id}: {', '.join(type(fact).__name__ for fact in facts)}"

    def overhear(self, meaning: Meaning, tx: Transaction) -> str:
        """It was not said to us. Where the speaker may answer what has a clock, the clock waits all the same."""
        if isinstance(meaning, Command):
            return ""
        facts = answering.wait_for_words(self.task, self.words, self.speaker, self.moment)
        self._append(facts, tx)
        return "not said to me; a clock waits for what was meant" if facts else ""

    def _append(self, facts: Facts, tx: Transaction) -> None:
        tx.log.append(self.task.id, facts, Cause(actor=self.said.by, delivery=self.said.key))


def warn_of_key(delivery: Delivery, redact: Redact, at: datetime, tx: Transaction) -> None:
    """Tell whoever wrote something that looks like a key so, once a message. Those who write elsewhere see it there."""
    if not isinstance(delivery, Said | Edited | Pressed) or surface_of(delivery.by) != surface_of(delivery.thread):
        return
    words = delivery.words if isinstance(delivery, Pressed) else delivery.text
    if redact(words) == words:
        return
    where = delivery.key if isinstance(delivery, Pressed) else f"{delivery.thread}:{delivery.message}"
    key = f"key:{where}"
    if not tx.posts.is_wanted(key):
        card = replies.key_card(surface_of(delivery.by))
        tx.posts.want(wish(key, delivery.thread, card, Act.WHISPER, delivery.by), at)


def checks_at(pressed: Pressed, choice: Choice, tx: Transaction) -> Card | None:
    """What a standing button on the message of a task's checks brings. None: it is another button."""
    post = tx.posts.on_message(pressed.thread, pressed.message) if pressed.message else None
    kind, _, id = post.key.partition(":") if post else ("", "", "")
    if kind != "evaluation":
        return None
    task = tx.log.task(TaskId(id))
    judged = next(
        (w.evaluation for w in task.work.subtasks if w.evaluation and _names(choice, task, w.evaluation)), None
    )
    card = checks_card(task, judged, choice.letter) if judged else None
    if card is None:
        raise PressRefused("This was checked again since", next_step="Press the button on the newest message.")
    return card


def _names(choice: Choice, task: Task, judged: Evaluation) -> bool:
    return choice.decision == checks_id(task, judged)
