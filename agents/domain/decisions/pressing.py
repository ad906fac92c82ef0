"""What a press, an answer in words, or silence makes of an open decision, and what follows from that."""

from dataclasses import dataclass, replace
from datetime import datetime

from agents.domain import events as e
from agents.domain.decisions import answering
from agents.domain.decisions.answering import Answer, Reading, Utterance
from agents.domain.decisions.authority import STEERING, Kind, Presser, Requester, Rule, Silence, may
from agents.domain.decisions.concluding import conclude
from agents.domain.decisions.decision import (
    HOLD,
    AnswerTo,
    Decision,
    Option,
    Refusal,
    Refused,
    Vote,
    has_voted,
    lettered,
    voters,
)
from agents.domain.decisions.kind import Chosen, Facts, Moment, Question, Withdrawal, ask, first_due, withdraw
from agents.domain.decisions.kinds.task.meant import MEANT, MeantOption
from agents.domain.decisions.refusing import refuse_if_late, refuse_unless_entitled
from agents.domain.decisions.subject import OfWords
from agents.domain.decisions.table import (
    can_be_held,
    closed_by_silence,
    kind_of,
    lapsed,
    questions,
    rights_to,
    rule_name,
    rule_of,
)
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line

GOES_ON = ("resume", "retry")  # options that take no words of their own

DECIDES_BY_TIME = (Silence.TAKES_DEFAULT, Silence.PASSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    decision: DecisionId
    letter: str
    words: str = ""


def press(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """What a press on an open decision leads to. Raises PressRefused when it may not count."""
    decision = task.decision(pressed.decision)
    if decision is None:
        raise Refused(Refusal.UNKNOWN)
    refuse_if_late(decision, moment.at)
    refuse_unless_entitled(decision, pressed.letter, presser, task.request.by, moment.channel)
    if pressed.letter == HOLD:
        return _hold(task, decision, presser, moment)
    option, words = decision.option(pressed.letter), pressed.words.strip()
    _refuse_without_words(decision, option, words)
    if not option.approves:
        return conclude(task, Chosen(decision=decision, option=option, by=(presser.person,), words=words), moment)
    counting = replace(decision, votes=tuple(v for v in decision.votes if _counts(v, decision, task, moment)))
    people = voters(counting, option.letter, presser)
    if len(people) >= rule_of(decision).people:
        return conclude(task, Chosen(decision=decision, option=option, by=people, words=words), moment)
    return _vote(task, decision, option, presser, moment)


def _refuse_without_words(decision: Decision, option: Option, words: str) -> None:
    if option.needs_words and not words:
        raise Refused(Refusal.NEEDS_WORDS, decision=decision, option=option.letter)


def reply(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    """Words in a task's thread: an answer, something to ask back about, or a remark.

    An approval is never given this way, and the words of someone without the right answer nothing.
    """
    reading = read(task, words, presser, moment)
    answers = reading.answers
    if len(answers) == 1:
        return _answered(task, answers[0], words, presser, moment)
    if answers:
        answers = tuple(a for a in answers if not a.approves or rule_of(a.decision).people == 1) or answers[:1]
        return [*_wait(task, words, presser, moment), *_ask_which(task, answers, words.text, presser, moment)]
    if task.ended:
        return []
    waits = [] if words.talk else _wait(task, words, presser, moment)
    remark = _remark(task, words, presser, moment)
    to_us = words.mentioned and not words.talk and reading.not_theirs is None
    return [*waits, replace(remark, asks=to_us and not presser.is_(task.request.by))]


def read(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Reading:
    """What the words answer, given what the speaker may decide at this moment."""

    def may_take(decision: Decision, option: Option) -> bool:
        return _entitled(task, presser, moment, *rights_to(decision, option))

    return answering.read(task, words, may_take, _said_at(words, moment))


def _said_at(words: Utterance, moment: Moment) -> datetime:
    """Words count at the time they were said, however late they are read."""
    return min(words.at or moment.at, moment.at)


def wait_for_words(task: Task, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    """Somebody who may answer wrote something that was not said to us: no clock decides against it."""
    return [] if task.ended or words.talk else _wait(task, words, presser, moment)


def _answered(task: Task, answer: Answer, words: Utterance, presser: Presser, moment: Moment) -> Facts:
    decision, option = answer.decision, answer.option
    if answer.approves:
        if answer.words:
            return _ask_which(task, (answer,), answer.words, presser, moment)
        by, letter = presser.person, option.letter
        return [e.ApprovalOffered(task=task.id, at=moment.at, by=by, decision=decision.id, option=letter)]
    _refuse_without_words(decision, option, answer.words)
    facts = conclude(task, Chosen(decision=decision, option=option, by=(presser.person,), words=answer.words), moment)
    if answer.words and option.value in GOES_ON:  # “go on, but use tabs”: the rest is for whoever goes on
        facts.append(_remark(task, replace(words, text=answer.words), presser, moment))
    return facts


def _remark(task: Task, words: Utterance, presser: Presser, moment: Moment) -> e.RemarkMade:
    entitled = _entitled(task, presser, moment, STEERING)
    return e.RemarkMade(
        task=task.id,
        at=moment.at,
        by=presser.person,
        text=words.text.strip(),
        entitled=entitled,
        urgent=entitled and words.mentioned,
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
        if can_be_held(decision) and not lapsed(decision, _said_at(words, moment))
        if _entitled(task, presser, moment, rule_of(decision))
    ]


def _ask_which(task: Task, answers: tuple[Answer, ...], text: str, presser: Presser, moment: Moment) -> Facts:
    """One card, with the words on it. Words that waited for the same question are not lost."""
    before = [d for d in task.open if d.kind is Kind.MEANT and presser.is_(d.put_to)]
    said = (d.subject.words for d in before if isinstance(d.subject, OfWords))
    words = "\n".join((*said, text.strip()))
    options = lettered(*(_as_option(answer) for answer in answers), MEANT.option(MeantOption.REMARK))
    question = Question(kind=MEANT, options=options, subject=OfWords(words=words), put_to=presser.person)
    return [*withdraw(before, Withdrawal.SAID_SINCE, moment), *ask(task, question, moment)]


def _as_option(answer: Answer) -> Option:
    decision, option = answer.decision, answer.option
    what = f"Allow {answer.words}" if answer.approves and answer.words else decision.question or str(decision.kind)
    return Option(
        value="answer",
        answers=AnswerTo(decision=decision.id, letter=option.letter),
        label=one_line(what, 70),
        right=option.right or rule_name(decision),
        approves=answer.approves,
    )


def when_due(task: Task, id: DecisionId, moment: Moment) -> Facts:
    """What silence means, once the decision's time has come."""
    decision = task.decision(id)
    if decision is None or decision.due is None or decision.due > moment.at:
        return []
    match rule_of(decision).silence:
        case Silence.TAKES_DEFAULT | Silence.PASSES if can_be_held(decision) and not kind_of(decision).leaves_machine:
            return conclude(task, Chosen(decision=decision, option=decision.option(decision.default)), moment)
        case Silence.EXPIRES:
            return [e.DecisionExpired(task=task.id, project=decision.project, at=moment.at, decision=id)]
        case _:
            number, again = decision.reminders + 1, _next_reminder(decision, moment)
            return [
                e.DecisionReminded(
                    task=task.id, project=decision.project, at=moment.at, decision=id, number=number, next_due=again
                )
            ]


def _next_reminder(decision: Decision, moment: Moment) -> datetime | None:
    """When to remind again after one more reminder now. One that came late does not bring the next one sooner."""
    again = decision.reminders + 1 < rule_of(decision).reminders
    return max(decision.due or moment.at, moment.at) + moment.limits.within("reminder") if again else None


def begin_clock_again(task: Task, id: DecisionId, moment: Moment, until: datetime | None = None) -> Facts:
    """Give a decision more time where silence would decide it: its whole time once more, or until then."""
    decision = task.decision(id)
    if decision is None or not closed_by_silence(decision) or rule_of(decision).silence not in DECIDES_BY_TIME:
        return []
    anew = replace(decision, opened_at=moment.at)
    due = until or first_due(anew, rule_of(decision), moment.channel, moment.limits)
    if due is None or due <= moment.at:
        return []
    return [e.DecisionDeferred(task=task.id, project=decision.project, at=moment.at, decision=id, next_due=due)]


def _counts(vote: Vote, decision: Decision, task: Task, moment: Moment) -> bool:
    """Someone who turned out to be the requester, when accounts were linked, was never one of the others."""
    return rule_of(decision).requester is not Requester.NEVER or moment.who(vote.by) != moment.who(task.request.by)


def _entitled(task: Task, presser: Presser, moment: Moment, rule: Rule, wider: Rule | None = None) -> bool:
    return may(rule, presser, task.request.by, moment.channel, wider)


def _hold(task: Task, decision: Decision, presser: Presser, moment: Moment) -> Facts:
    if not can_be_held(decision):
        raise Refused(Refusal.NO_CLOCK, decision=decision)
    on, by = decision.project, presser.person
    return [e.DecisionHeld(task=task.id, project=on, at=moment.at, decision=decision.id, by=by)]


def _vote(task: Task, decision: Decision, option: Option, presser: Presser, moment: Moment) -> Facts:
    if has_voted(decision, option.letter, presser):
        raise Refused(Refusal.VOTED, decision=decision)
    on, by = decision.project, presser.person
    return [e.DecisionVoted(task=task.id, project=on, at=moment.at, decision=decision.id, option=option.letter, by=by)]
