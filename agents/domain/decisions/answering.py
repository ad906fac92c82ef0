"""Words in a task's thread: which of its open questions they answer, with which option, and what follows."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.scope import paths_within
from agents.domain.decisions.authority import STEERING, Kind, Presser, Rule, may
from agents.domain.decisions.decision import AnswerTo, Decision, Option, numbers, with_letters
from agents.domain.decisions.kind import FREE, Chosen, Facts, Moment, Question, Withdrawal, assents, withdraw
from agents.domain.decisions.kinds.task.meant import MEANT, MeantOption
from agents.domain.decisions.kinds.work.start_scope import StartScopeOption
from agents.domain.decisions.subject import OfRun, OfStep, OfSubtask, OfWords
from agents.domain.decisions.table import (
    ask,
    can_be_held,
    conclude,
    kind_of,
    questions,
    refuse_without_words,
    rights_to,
    rule_name,
    rule_of,
)
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line

LabelOf = Callable[[Decision, Option], str]  # what the button of an option says
TitleOf = Callable[[Task, Decision], str]  # what its card says first
GOES_ON = ("resume", "retry")  # options that take no words of their own


def own_label(decision: Decision, option: Option) -> str:
    """For readers who know no buttons."""
    return option.label or option.value.replace("_", " ")


def own_title(task: Task, decision: Decision) -> str:
    """For readers who know no cards."""
    return decision.wording or str(decision.kind)


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
    mentioned: bool = False  # with the bot's name
    talk: bool = False  # a thank-you or a greeting: it answers nothing
    to: DecisionId | None = None  # the card that it replies to
    unseen: frozenset[DecisionId] = frozenset()  # questions that were not shown yet when it was said
    unsure: frozenset[DecisionId] = frozenset()  # those of which nobody knows whether they were
    label: LabelOf = own_label  # what buttons say
    title: TitleOf = own_title  # what cards say first


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


def reply(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    """Words in a task's thread: an answer, something to ask back about, or a remark.

    An approval is never given this way, and the words of someone without the right answer nothing.
    """
    reading = read(task, words, presser, moment)
    answers = reading.answers
    if len(answers) == 1 and answers[0].decision.id not in words.unsure:
        return _answered(task, answers[0], words, presser, moment)
    if answers:
        answers = tuple(a for a in answers if not a.approves or rule_of(a.decision).people == 1) or answers[:1]
        return [*_wait(task, words, presser, moment), *_ask_which(task, answers, words, presser, moment)]
    if task.is_question:
        return [] if words.talk else [_follow_up(task, words, presser, moment)]
    if task.has_ended:
        return []
    waits = [] if words.talk else _wait(task, words, presser, moment)
    remark = _remark(task, words, presser, moment)
    to_us = words.mentioned and not words.talk and reading.not_theirs is None
    return [*waits, replace(remark, asks=to_us and not presser.is_(task.request.by))]


def read(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Reading:
    """What the words answer, of what the speaker may decide at this moment.

    What is named by its button counts before what takes any words, and that before a plain yes. While a question is
    open no clock has decided it, so words count however late they are read; what nobody could see yet is not answered.
    """
    if words.talk:
        return Reading()
    open = [d for d in questions(task) if d.kind is not Kind.CANCEL and d.id not in words.unseen]
    asked, said = _addressed(task, [d for d in open if words.to in (None, d.id)], words.text)
    theirs: list[Decision] = []
    for look in (_named, _free, _assented):
        found = list(look(asked, said, words.label))
        mine = [each for each in found if _entitled(task, presser, moment, *rights_to(each.decision, each.option))]
        if mine:
            return Reading(answers=tuple(mine))
        theirs += [answer.decision for answer in found]
    return Reading(not_theirs=theirs[0] if theirs else None)


def wait_for_words(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    """Somebody who may answer wrote something that was not said to us: no clock decides against it."""
    return [] if task.has_ended or words.talk else _wait(task, words, presser, moment)


def _answered(task: Task, answer: Answer, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    decision, option = answer.decision, answer.option
    if answer.approves:
        if answer.words:
            return _ask_which(task, (answer,), replace(words, text=answer.words), presser, moment)
        by, letter = presser.person, option.letter
        return [e.ApprovalOffered(task=task.id, at=moment.at, by=by, decision=decision.id, option=letter)]
    refuse_without_words(decision, option, answer.words)
    entitled = _entitled(task, presser, moment, STEERING)
    chosen = Chosen(decision=decision, option=option, by=(presser.person,), words=answer.words, entitled=entitled)
    facts = conclude(task, chosen, moment)
    if answer.words and option.value in GOES_ON:  # “go on, but use tabs”: the rest is for whoever goes on
        facts.append(_remark(task, replace(words, text=answer.words), presser, moment))
    return facts


def _follow_up(task: Task, words: Utterance, presser: Presser, moment: Moment) -> e.FollowUpSaid:
    text, cause = words.text.strip(), moment.cause
    return e.FollowUpSaid(task=task.id, at=moment.at, by=presser.person, text=text, delivery=cause)


def _remark(task: Task, words: Utterance, presser: Presser, moment: Moment) -> e.RemarkMade:
    entitled = _entitled(task, presser, moment, STEERING)
    return e.RemarkMade(
        task=task.id,
        at=moment.at,
        by=presser.person,
        text=words.text.strip(),
        entitled=entitled,
        urgent=entitled and words.mentioned and not words.talk,
        talk=words.talk,
        delivery=moment.cause,
    )


def _wait(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    """Silence never overrules words that were said: what they may answer waits until that is known."""
    again, words_said = moment.at + moment.limits.within("reminder"), one_line(words.text, 100)
    return [
        e.DecisionHeld(
            task=task.id,
            project=decision.project,
            at=moment.at,
            decision=decision.id,
            by=presser.person,
            because=words_said,
            next_due=again if rule_of(decision).reminders else None,
        )
        for decision in questions(task)
        if can_be_held(decision) and decision.id not in words.unseen
        if _entitled(task, presser, moment, rule_of(decision))
    ]


def _ask_which(task: Task, answers: tuple[Answer, ...], heard: Utterance, presser: Presser, moment: Moment) -> Facts:
    """One card, with the words on it. Words that waited for the same question are not lost."""
    before = [d for d in task.open if d.kind is Kind.MEANT and presser.is_(d.put_to)]
    said = (d.subject.words for d in before if isinstance(d.subject, OfWords))
    words = "\n".join((*said, heard.text.strip()))
    offered = (_as_option(answer, heard.title(task, answer.decision)) for answer in answers)
    options = with_letters(*offered, MEANT.option(MeantOption.REMARK))
    question = Question(kind=Kind.MEANT, options=options, subject=OfWords(words=words), put_to=presser.person)
    return [*withdraw(before, Withdrawal.SAID_SINCE, moment), *ask(task, question, moment)]


def _as_option(answer: Answer, title: str) -> Option:
    decision, option = answer.decision, answer.option
    what = f"Allow {answer.words}" if answer.approves and answer.words else title
    return Option(
        value="answer",
        answers=AnswerTo(decision=decision.id, letter=option.letter),
        label=one_line(what, 70),
        right=option.right or rule_name(decision),
        approves=answer.approves,
    )


def _entitled(task: Task, presser: Presser, moment: Moment, rule: Rule, wider: Rule | None = None) -> bool:
    return may(rule, presser, task.request.by, moment.channel, wider)


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
        reads = kind_of(decision).reads
        if option := reads(decision, text) if reads else None:
            words = "\n".join(paths_within(text)) if option.value == StartScopeOption.PATHS else text.strip()
            yield Answer(decision=decision, option=option, words=words if option is FREE or option.needs_words else "")


def _assented(asked: Sequence[Decision], text: str, label: LabelOf) -> Iterator[Answer]:
    if assents(text):
        for decision in asked:
            if option := next((o for o in decision.options if o.approves), None):
                yield Answer(decision=decision, option=option)
