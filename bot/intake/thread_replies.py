"""Words in the thread of a task that lives: answers, remarks, and what is said back about them."""

from dataclasses import dataclass

from agents.domain.decisions import answering, pressing
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.assent import assents
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.kind import Facts, Moment
from agents.domain.decisions.table import rule_of
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task
from bot.cards import replies
from bot.cards.words import label_of
from bot.delivery.announcer import wish
from bot.intake.commands import point_to_button
from bot.intake.conversation import Command, Meaning, SmallTalk, Verb, understand
from bot.messages import Said, load_card
from store.books import Books
from store.chat.posts import Act
from store.codec import Cause

# Commands that are plain words too: "go on" answers "Shall I go on?", and "drop" is a button of stuck work.
_ALSO_WORDS = frozenset({Verb.RESUME, Verb.RETRY, Verb.APPROVE})
_ALSO_BUTTONS = frozenset({Verb.CANCEL, Verb.BACKBURNER})


def words_of(said: Said, books: Books) -> Utterance:
    meaning = understand(said.text)
    talk = isinstance(meaning, SmallTalk) and not assents(meaning.text)
    text, to = said.text.strip(), _card_at(said, books)
    return Utterance(text=text, at=said.at, mentioned=said.mentions_bot, talk=talk, to=to, label=label_of)


def _card_at(said: Said, books: Books) -> DecisionId | None:
    """The decision on the card that the words reply to, if it is one of ours."""
    post = books.posts.on_message(said.thread, said.on) if said.on else None
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
        found = pressing.read(self.task, self.words, self.speaker, self.moment).answers
        scopes = (Kind.SCOPE, Kind.START_SCOPE)
        return any(rule_of(each.decision).by_words or each.decision.kind in scopes for each in found)

    def is_answered_by(self, command: Command) -> bool:
        """Whether a command is meant as an answer here; `stop` and `cancel` never are."""
        if command.task or command.verb not in _ALSO_WORDS | _ALSO_BUTTONS:
            return False
        if command.verb in _ALSO_BUTTONS and not answering.names_option(self.task, self.words.text, label_of):
            return False
        return bool(pressing.read(self.task, self.words, self.speaker, self.moment).answers)

    def reply(self, books: Books) -> str:
        """Record what it is, and say what it led to."""
        facts = pressing.reply(self.task, self.words, self.speaker, self.moment)
        self._append(facts, books)
        point_to_button(facts, self.said, books)
        reading = pressing.read(self.task, self.words, self.speaker, self.moment)
        if reading.not_theirs:
            card = replies.remark_card(self.task, reading.not_theirs, self.words.text)
            whisper = wish(f"whisper:{self.said.key}", self.said.thread, card, Act.WHISPER, self.said.by)
            books.posts.want(whisper, self.moment.at)
        return f"{self.task.id}: {', '.join(type(fact).__name__ for fact in facts)}"

    def overhear(self, meaning: Meaning, books: Books) -> str:
        """It was not said to us. Where the speaker may answer what has a clock, the clock waits all the same."""
        if isinstance(meaning, Command):
            return ""
        facts = pressing.wait_for_words(self.task, self.words, self.speaker, self.moment)
        self._append(facts, books)
        return "not said to me; a clock waits for what was meant" if facts else ""

    def _append(self, facts: Facts, books: Books) -> None:
        books.log.append(self.task.id, facts, Cause(actor=self.said.by, delivery=self.said.key))
