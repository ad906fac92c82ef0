"""What words in a task's thread answer: which of its open questions, and with which option. It decides nothing."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.domain.decisions.assent import assents
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option, numbers
from agents.domain.decisions.kinds.plan.clarification import FREE
from agents.domain.decisions.kinds.work.start_scope import StartScopeOption
from agents.domain.decisions.subject import OfRun, OfStep, OfSubtask
from agents.domain.decisions.table import kind_of, lapsed, questions
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task
from agents.domain.work.scope import paths_within

LabelOf = Callable[[Decision, Option], str]  # what the button of an option says
May = Callable[[Decision, Option], bool]  # whether the speaker may take this option now


def own_label(decision: Decision, option: Option) -> str:
    """For readers who know no buttons."""
    return option.label or option.value.replace("_", " ")


# What people say for a button, beside its label and its value; labels of earlier versions too.
_ALSO: dict[str, tuple[str, ...]] = {
    "resume": ("go on", "continue", "carry on", "go ahead", "bring it back", "bring back"),
    "hand_over": ("i'll finish it myself", "i will finish it myself", "hand it to me", "leave it to me"),
    "take": (
        *("i'll finish it myself", "i will finish it myself", "take over", "take over branch", "i take it"),
        *("leave it to me", "take it on"),
    ),
    "pass": ("let it pass", "let pass"),
    "outline": ("use a bare outline", "bare outline", "one-step plan", "use a one-step plan"),
    "leave": ("i'll finish it myself", "i will finish it myself", "leave it to me"),
    "hint": ("retry", "try again", "retry with hint", "retry with a hint"),
    "retry": ("try again", "try it again", "retry it", "again"),
    "again": ("retry", "try again", "try it again"),
    "drop": ("drop it", "drop this", "drop the subtask", "drop subtask"),
    "hand_in": ("done", "i'm done", "i am done", "it is done", "check my branch", "judge my branch"),
    "refuse": ("no", "nope", "keep the scope"),
    "changes": ("request changes", "ask for changes"),
    "reject": ("ask for a fix", "send it back"),
    "backburner": ("snooze", "lay aside", "later", "not now"),
}
_BESIDE = r"\s*(?:[,:;–—-]|\bbut\b|\band\b|\bbecause\b|\bwith\b)[\s,:]*(?:but\s+|and\s+)?(?P<rest>.+)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something that was said in a task's thread, and how it was said."""

    text: str
    at: datetime | None = None  # when it was said, where that is earlier than it is read
    mentioned: bool = False  # with the bot's name
    talk: bool = False  # a thank-you or a greeting: it answers nothing
    to: DecisionId | None = None  # the card that it replies to
    label: LabelOf = own_label  # what buttons say


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One way to read the words: as this option of this decision, with what was said beside it."""

    decision: Decision
    option: Option
    words: str = ""

    @property
    def approves(self) -> bool:
        """Words alone never do that; they bring the button."""
        return self.option.approves or self.option.right == Kind.PLAN


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One answer: it is that. Several: the speaker is asked which. None: a remark."""

    answers: tuple[Answer, ...] = ()
    not_theirs: Decision | None = None  # what they would answer, if the speaker had the right


def read(task: Task, words: Utterance, may: May, at: datetime) -> Reading:
    """What is named by its button counts before what takes any words, and that before a plain yes."""
    if words.talk:
        return Reading()
    open = [d for d in questions(task) if d.kind is not Kind.CANCEL and not lapsed(d, at)]
    asked, said = _addressed(task, [d for d in open if words.to in (None, d.id)], words.text)
    theirs: list[Decision] = []
    for look in (_named, _free, _assented):
        found = list(look(asked, said, words.label))
        if mine := tuple(answer for answer in found if may(answer.decision, answer.option)):
            return Reading(answers=mine)
        theirs += [answer.decision for answer in found]
    return Reading(not_theirs=theirs[0] if theirs else None)


def names_option(task: Task, text: str, label: LabelOf) -> bool:
    """Whether the words are a button of something open, so that they are no command."""
    asked, said = _addressed(task, questions(task), text)
    return any(_named(asked, said, label))


def option_named(decision: Decision, text: str, label: LabelOf) -> tuple[Option, str] | None:
    """The option whose button these words are, and what was said beside it; none, if they fit several."""
    said = " ".join(text.replace("’", "'").strip("`\"'“” \n").rstrip(".!").split())
    said = re.sub(r"^please\s+|,?\s+please$", "", said, flags=re.IGNORECASE)
    if not said:
        return None
    exact = [o for o in decision.options if said.casefold() in (*_names(decision, o, label), o.letter)]
    if exact:
        return (exact[0], "") if len(exact) == 1 else None
    if kind_of(decision).answers:
        return None  # "argon2, but with three rounds" is an answer of its own
    for option in decision.options:
        for name in sorted(_names(decision, option, label), key=len, reverse=True):
            if found := re.fullmatch(re.escape(name) + _BESIDE, said, re.IGNORECASE | re.DOTALL):
                return option, found["rest"].strip()
    return None


def _names(decision: Decision, option: Option, label: LabelOf) -> tuple[str, ...]:
    spelt = option.value.replace("_", " ")
    names = (option.value, spelt, option.label, label(decision, option).rstrip("…"), *_ALSO.get(option.value, ()))
    number = numbers(decision).get(option.letter)
    counted = (str(number), f"option {number}", f"number {number}") if number else ()
    return tuple(dict.fromkeys(name.casefold() for name in (*names, *counted) if name))


def _addressed(task: Task, asked: Sequence[Decision], text: str) -> tuple[Sequence[Decision], str]:
    """“T-1.2: bcrypt” answers what subtask 2 asks."""
    found = re.fullmatch(rf"{task.id}\.(?P<number>\d+)[\s:,–—-]+(?P<said>.+)", text.strip(), re.IGNORECASE | re.DOTALL)
    about = [d for d in asked if found and _subtask_of(d) == int(found["number"])]
    return (about, found["said"]) if found and about else (asked, text)


def _subtask_of(decision: Decision) -> int | None:
    about = decision.subject
    return about.subtask if isinstance(about, OfSubtask | OfRun | OfStep) else None


def _named(asked: Sequence[Decision], text: str, label: LabelOf) -> Iterator[Answer]:
    for decision in asked:
        found = option_named(decision, text, label)
        if found is None or found[0].value in ("cancel", "answer"):  # a cancel asks to confirm; the form wants words
            continue
        option, beside = found
        words = beside or (text.strip() if option.value == "hint" else "")  # a bare "retry" is a whole sentence too
        yield Answer(decision=decision, option=option, words=words)


def _free(asked: Sequence[Decision], text: str, label: LabelOf) -> Iterator[Answer]:
    for decision in asked:
        if option := kind_of(decision).reads(decision, text):
            words = "\n".join(paths_within(text)) if option.value == StartScopeOption.PATHS else text.strip()
            yield Answer(decision=decision, option=option, words=words if option is FREE or option.needs_words else "")


def _assented(asked: Sequence[Decision], text: str, label: LabelOf) -> Iterator[Answer]:
    if assents(text):
        for decision in asked:
            if option := next((o for o in decision.options if o.approves), None):
                yield Answer(decision=decision, option=option)
