"""What a sentence means: a grammar that needs no model; then an answer or a remark where a task lives, or a request."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

from agents.domain.asking.names import Route
from agents.domain.decisions import answering
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.kind import Facts, Moment, assents
from agents.domain.decisions.table import rule_of
from agents.domain.errors import PressRefused
from agents.domain.events import ApprovalOffered
from agents.domain.ids import DecisionId, TaskId, surface_of
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from bot.cards import replies
from bot.cards.approved_plan import PLAN, plan_card, plan_id
from bot.cards.kinds import label_of, title_of
from bot.cards.scene import checks_card, checks_id
from bot.delivery.announcer import whisper, wish
from bot.intake.card_order import order_questions
from bot.intake.naming import NAMING
from bot.intake.near_misses import nearest_command
from bot.messages import Card, Choice, Delivery, Edited, Pressed, Said, load_card
from store.chat.posts import Act
from store.codec import Cause
from store.transaction import Transaction


class Verb(StrEnum):
    HELP = "help"
    STATUS = "status"
    TASKS = "tasks"
    STOP = "stop"
    RESUME = "resume"
    CANCEL = "cancel"
    BACKBURNER = "backburner"
    RETRY = "retry"
    RESTART_PHASE = "restart phase"
    REVERT_PHASE = "revert phase"
    APPROVE = "approve"
    COST = "cost"
    WHY = "why"
    WHO_CAN_APPROVE = "who can approve"
    WHAT_NEEDS_ME = "what needs me"
    DIGEST = "digest"
    QUIET = "quiet"
    MUTE = "mute"
    UNMUTE = "unmute"
    ASIDE = "aside"
    LINK = "link"
    PAUSE_QUEUE = "pause the queue"
    RESUME_QUEUE = "resume the queue"
    QUEUE = "queue status"
    NAMING = "projects, people and models"


# What is answered to the asker alone.
PRIVATE = frozenset(
    {Verb.HELP, Verb.STATUS, Verb.TASKS, Verb.WHAT_NEEDS_ME, Verb.QUEUE, Verb.NAMING, Verb.DIGEST, Verb.QUIET}
)
# Commands that are plain words too: "go on" answers "Shall I go on?", and "drop" is a button of stuck work.
_ALSO_WORDS = frozenset({Verb.RESUME, Verb.RETRY, Verb.APPROVE})
_ALSO_BUTTONS = frozenset({Verb.CANCEL, Verb.BACKBURNER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    verb: Verb
    task: TaskId | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Anything else: a request where no task lives yet, an answer or a remark where one does."""

    text: str
    wants: Route | None = None  # `ask: …` and `task: …` say what they are
    near: str = ""  # the command that it almost is


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk(Words):
    """No request, wherever it is said; in a task's thread it may still be an answer."""

    greets: bool  # wants a word in return


Meaning = Command | Words

_TASK = r"(?:\s+(?:it|this|(?:the |this )?task))?(?:\s+(?P<task>T-\d+))?"
_PAGE = r"(?:\s+(?:page\s+)?(?P<words>[0-9]{1,6}))?"
_PHASE = r"(?:\s+(?P<words>[0-9]{1,4}))?(?:\s+of(?=\s))?"
_CLOCK = r"\d{1,2}(?:[:.]\d{2})?"
_ZONE = r"(?:\s+[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)*)?"
_REASON = r"(?:\s*(?:[:,;–—-]|\bbecause\b)\s*(?P<words>.+))?"

# A command is the whole message, so that "stop the server from crashing" stays a request.
_GRAMMAR: tuple[tuple[Verb, str], ...] = (
    (Verb.HELP, r"help|\?|what can you do\??"),
    (Verb.STATUS, rf"(?:status|how is it going|what(?: i|')s happening)(?:\s+of)?{_TASK}\??"),
    (Verb.TASKS, rf"(?:tasks|list(?: tasks)?|queue){_PAGE}"),
    (Verb.STOP, rf"(?:stop|pause|halt|🛑){_TASK}"),
    (Verb.RESUME, rf"(?:resume|continue|go on|bring back){_TASK}"),
    (Verb.CANCEL, rf"(?:cancel|abort|drop){_TASK}{_REASON}"),
    (Verb.BACKBURNER, rf"(?:snooze|backburner|later|not now){_TASK}"),
    (Verb.RETRY, rf"(?:retry|try again){_TASK}"),
    (Verb.RESTART_PHASE, rf"(?:restart|redo|rerun) (?:the )?phase{_PHASE}{_TASK}"),
    (Verb.REVERT_PHASE, rf"(?:revert|undo|roll ?back|take back) (?:the )?phase{_PHASE}{_TASK}"),
    (Verb.APPROVE, rf"(?:approved?|lgtm|ship it){_TASK}"),
    (Verb.COST, rf"(?:costs?|what did it cost)(?:\s+of)?{_TASK}\??"),
    (Verb.WHY, rf"(?:why(?: is that)?){_TASK}\??"),
    (Verb.WHO_CAN_APPROVE, r"who (?:can|may) approve(?: this)?"),
    (Verb.WHAT_NEEDS_ME, rf"(?:what needs me|needs me|for (?:you|me)|inbox)\??{_PAGE}"),
    (Verb.DIGEST, rf"(?P<words>digest(?:\s+(?:status|off|on(?:\s+(?:at\s+)?{_CLOCK})?{_ZONE}))?)"),
    (Verb.QUIET, rf"(?P<words>quiet(?:\s+hours)?(?:\s+(?:off|{_CLOCK}\s*(?:-|–|to|until)\s*{_CLOCK}))?)"),
    (Verb.MUTE, rf"mute{_TASK}"),
    (Verb.UNMUTE, rf"unmute{_TASK}"),
    (Verb.ASIDE, r"aside\b[\s:,]*(?P<words>.*)"),
    (Verb.PAUSE_QUEUE, r"(?:pause|stop|halt|hold) (?:the )?queue|queue pause"),
    (Verb.RESUME_QUEUE, r"(?:resume|continue|unpause|restart) (?:the )?queue|queue resume"),
    (Verb.QUEUE, r"queue status|status of the queue|is the queue paused\??"),
    (Verb.NAMING, NAMING),
    (Verb.LINK, r"link(?:\s+(?P<words>[A-Za-z0-9-]{6,20}))?"),
)
# What is put in front of words, or after them, without another meaning.
_BEFORE = r"(?:(?:please|pls|plz|bitte|kindly|can you|could you|would you|just|ok|okay|no(?=,))[\s,]+)*+"
_AFTER = r"[\s,](?:please|pls|plz|bitte|now|right now|immediately|asap|thanks|thx|for now|then)\Z"
_END = 40  # characters at the end of a message in which such a word stands
_BLANKS = " \t\r\n\f\v,"
_ADDRESSED = r"(?:(?:hey|hi|hello|ok|okay)[\s,]+)?(?:overlord|bot)[\s,:]+(?P<core>\S.*)"
_SAID_TWICE = r"(?P<core>\w+)(?:[\s,!.]+(?P=core))+"
# What people put around a command: quotes, marks of a chat, the slash of other bots, a sign that they mean it well.
_DECORATION = re.compile(r"^[\s`\"'“”‘’*_~/!]+(?=[^\W_])|(?<=[\w\)?])[^\w?)\]]+$")
_SAID_TO_BE = r"(?P<what>ask|task|skill)\s*:\s*(?P<words>\S.*)"
_ROUTES = {"ask": Route.QUESTION, "task": Route.CHANGE, "skill": Route.SKILL}
_SKILL = (
    r"(?:please\s+)?(?:draft|write|make|create|add)\s+(?:me\s+|us\s+)?(?:a|one|another)\s+(?:new\s+)?skill\b"
    r"[\s:,]*(?:for|to|that|about|on|which)?\b.*\S"
)

# Deterministic on purpose: a thank-you must never open a task, with or without a model. Whole messages only.
_TO_YOU = (
    r"(?:[\s,]+(?:overlord|bot|all|everyone|everybody|there|folks|team|zusammen|alle|à tous|tout le monde|a todos|"
    r"you|so much|a lot|very much|again))*"
)
_GREETS = (
    r"(?:hi+|hey+|hello+|hallo|yo|good (?:morning|afternoon|evening|day)|how are you|who are you|👋|"
    r"guten (?:morgen|tag|abend)|moin|servus|grüe?zi|bonjour|bonsoir|salut|coucou|hola|buenos d[ií]as|ciao|"
    rf"buongiorno){_TO_YOU}"
)
_THANKS = (
    r"(?:thanks?|thank you|thx|ty|cheers|(?:vielen |herzlichen )?dank|danke ?(?:schön|sehr)?|merci(?: beaucoup| bien)?|"
    r"gracias|grazie|prima|parfait|tschüss|au revoir|great|nice|cool|perfect|awesome|lovely|well done|"
    r"(?:great|good|nice) (?:job|work|bot|stuff|one)|ok(?:ay)?|k|fine|sure|got it|i see|all right|alright|bye|"
    r"good ?(?:bye|night)|see you|sorry|lol|haha+)"
)
# Said where nothing was begun it is talk; in the thread of a task it may take the task back.
_TAKES_BACK = r"(?:actually,? |ok(?:ay)?,? |oh,? )?(?:never ?mind|nvm|forget (?:about )?(?:it|that)|scratch that)"
_SAID_BESIDE = rf"(?:[\s,.!]+{_THANKS}{_TO_YOU})*\W*"
_SMALL_TALK = rf"(?:{_THANKS}{_TO_YOU}{_SAID_BESIDE}|[^\w\s]+{_TO_YOU})"


def understand(text: str) -> Meaning:
    """Read a message that is meant for the bot."""
    said = text.strip().strip("`").rstrip(".!").strip()
    bare = _without_decoration(said)
    if command := read_command(said) or read_command(bare):
        return command
    plain, whole = said.rstrip("?, "), text.strip()
    if _whole(_TAKES_BACK + _SAID_BESIDE).fullmatch(plain):
        return SmallTalk(text=whole, greets=False, near=Verb.CANCEL.value)
    greets = bool(_whole(_GREETS).fullmatch(plain))
    if whole and (not plain or greets or _whole(_SMALL_TALK).fullmatch(plain)):
        return SmallTalk(text=whole, greets=greets)
    if told := _whole(_SAID_TO_BE).fullmatch(whole):
        return Words(text=told["words"].strip(), wants=_ROUTES[told["what"].casefold()])
    if _whole(_SKILL).fullmatch(whole):
        return Words(text=whole, wants=Route.SKILL)
    return Words(text=whole, near=nearest_command(_core(bare), lambda words: read_command(words) is not None))


def _without_decoration(said: str) -> str:
    """Without what stands around the words, a call to us, and the same word again."""
    for pattern in (_ADDRESSED, _SAID_TWICE):
        plain = _DECORATION.sub("", said)
        found = _whole(pattern).fullmatch(plain)
        said = found["core"] if found else plain
    return said


def read_command(said: str) -> Command | None:
    """Exactly one of the commands, however politely."""
    for words in dict.fromkeys((said, _core(said).rstrip(" ,?"))):
        for verb, pattern in _GRAMMAR:
            if match := _whole(pattern).fullmatch(words):
                parts = match.groupdict()
                task = parts.get("task")
                given = (parts.get("words") or "").strip()
                return Command(verb=verb, task=TaskId(task.upper()) if task else None, words=given)
    return None


def _core(said: str) -> str:
    """Without politeness. Each word is looked at once, however many there are."""
    begins = _whole(_BEFORE).match(said)
    core = said[begins.end() if begins else 0 :]
    core = core[:-1] if core[1:].endswith("?") else core
    while found := _whole(_AFTER).search(core[-_END:]):
        shorter = core[: len(core) - len(found[0])].rstrip(_BLANKS)
        if not shorter:
            break
        core = shorter
    return core or said


def may_answer(meaning: Meaning) -> bool:
    """Whether it may be an answer where something is asked; `stop` never is."""
    return not isinstance(meaning, Command) or (not meaning.task and meaning.verb in _ALSO_WORDS | _ALSO_BUTTONS)


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    """Made when somebody first speaks: nobody does while the program starts."""
    return re.compile(rf"(?:{pattern})", re.IGNORECASE | re.DOTALL)


def is_private(text: str) -> bool:
    """Whether only the asker wants to know: help, and how things stand."""
    meaning = understand(text)
    return meaning.verb in PRIVATE if isinstance(meaning, Command) else not meaning.text


# ── in the thread of a task ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Something that was said in the thread of a task, by whom, and when."""

    task: Task
    words: Utterance
    said: Said
    speaker: Presser
    moment: Moment

    @classmethod
    def of(cls, said: Said, task: Task, speaker: Presser, moment: Moment, tx: Transaction) -> "Talk":
        meaning = understand(said.text)
        unseen, unsure = order_questions(said, task, tx)
        words = Utterance(
            text=said.text.strip(),
            mentioned=said.mentions_bot,
            talk=isinstance(meaning, SmallTalk) and not assents(meaning.text),
            to=_card_at(said, tx),
            label=label_of,
            title=title_of,
            unseen=unseen,
            unsure=unsure,
        )
        return cls(task=task, words=words, said=said, speaker=speaker, moment=moment)

    @property
    def answers(self) -> bool:
        """Whether it answers a question that is answered in words, by somebody who may."""
        found = answering.read(self.task, self.words, self.speaker, self.moment).answers
        scopes = (Kind.SCOPE, Kind.START_SCOPE, Kind.INTERFACE)
        return any(rule_of(each.decision).by_words or each.decision.kind in scopes for each in found)

    def is_answered_by(self, command: Command) -> bool:
        """Whether a command is meant as an answer here; `stop` and `cancel` never are."""
        if not may_answer(command):
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
            whisper(self.said, card, tx, self.moment.at)
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


def _card_at(said: Said, tx: Transaction) -> DecisionId | None:
    """The decision on the card that the words reply to, if it is one of ours."""
    post = tx.posts.on_message(said.thread, said.on) if said.on else None
    return load_card(post.body).decision if post else None


def point_to_button(facts: Facts, said: Said, tx: Transaction) -> None:
    """The one card with the button stands above already, and an edit of it calls nobody."""
    for fact in facts:
        if isinstance(fact, ApprovalOffered) and tx.posts.is_wanted(f"confirm:{fact.decision}"):
            whisper(said, replies.BUTTON_ABOVE, tx, said.at)


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


def _plan_at(decision: DecisionId, choice: Choice, tx: Transaction) -> Card | None:
    """The plan that was approved, from the button on its closed card."""
    known = tx.ledger.find(decision)
    task = tx.log.task(known.task) if known else None
    return plan_card(task) if task and choice.decision == plan_id(task) else None


def checks_at(pressed: Pressed, choice: Choice, tx: Transaction) -> Card | None:
    """What a standing button on the message of a task's checks brings. None: it is another button."""
    post = tx.posts.on_message(pressed.thread, pressed.message) if pressed.message else None
    kind, _, id = post.key.partition(":") if post else ("", "", "")
    if kind == "decision" and choice.letter == PLAN:
        return _plan_at(DecisionId(id), choice, tx)
    if kind != "evaluation":
        return None
    task = tx.log.task(TaskId(id))
    every = (work.evaluation for work in task.work.subtasks if work.evaluation)
    judged = next((each for each in every if choice.decision == checks_id(task, each)), None)
    card = checks_card(task, judged, choice.letter) if judged else None
    if card is None:
        raise PressRefused("This was checked again since", next_step="Press the button on the newest message.")
    return card
