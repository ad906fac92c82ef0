"""What a press, an answer in words, or silence makes of an open decision, and what follows from that."""

from dataclasses import replace

from agents.domain import events as e
from agents.domain.asking import Chosen, Facts, Moment
from agents.domain.authority import LEAVES_THE_MACHINE, Kind, Presser, Requester, Silence, check
from agents.domain.consequences import CONSEQUENCES
from agents.domain.decision import (
    HOLD,
    Decision,
    Option,
    Vote,
    has_voted,
    next_reminder,
    refuse_if_late,
    refuse_unless_entitled,
    voters,
)
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId
from agents.domain.records import dataclass
from agents.domain.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    decision: DecisionId
    letter: str
    words: str = ""


def press(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """What a press on an open decision leads to. Raises PressRefused when it may not count."""
    decision = task.decision(pressed.decision)
    if decision is None:
        raise PressRefused("I do not know this button", next_step="Say `status` to see what is open.")
    refuse_if_late(decision, moment.at)
    refuse_unless_entitled(decision, pressed.letter, presser, task.owner, moment.channel)
    if pressed.letter == HOLD:
        return _hold(task, decision, presser, moment)
    option, words = decision.option(pressed.letter), pressed.words.strip()
    if option.asks and not words:
        raise PressRefused("This needs a few words from you", next_step=option.asks)
    if not option.approves:
        return _made(task, decision, Chosen(option=option, by=(presser.person,), words=words), moment)
    counting = replace(decision, votes=tuple(v for v in decision.votes if _counts(v, decision, task, moment)))
    people = voters(counting, option.letter, presser)
    if len(people) >= decision.rule.people:
        return _made(task, decision, Chosen(option=option, by=people, words=words), moment)
    return _vote(task, decision, option, presser, moment)


def reply(task: Task, text: str, presser: Presser, moment: Moment, *, mentioned: bool = False) -> Facts:
    """Words in a task's thread: an answer to the oldest question they can answer, or a remark.

    An approval is never given this way (C37), and the words of someone without the right answer nothing (attack 20).
    """
    for decision in task.questions:
        option = decision.option_called(text)
        free = decision.kind in (Kind.QUESTION, Kind.CLARIFICATION) and not decision.subject
        in_time = not decision.lapsed(moment.at)
        if decision.rule.by_words and in_time and (option or free) and _may(decision, task, presser, moment):
            if option:
                return press(task, Press(decision=decision.id, letter=option.letter), presser, moment)
            answer = Chosen(option=Option(value=""), by=(presser.person,), words=text.strip())
            return _made(task, decision, answer, moment)
    if task.ended:
        return []
    entitled = _entitled(Kind.CONTROLS, task, presser, moment)
    remark = e.RemarkMade(
        task=task.id,
        at=moment.at,
        by=presser.person,
        text=text.strip(),
        entitled=entitled,
        urgent=entitled and mentioned,
    )
    return [remark]


def when_due(task: Task, id: DecisionId, moment: Moment) -> Facts:
    """What silence means, once the decision's time has come."""
    decision = task.decision(id)
    if decision is None or decision.due is None or decision.due > moment.at:
        return []
    match decision.rule.silence:
        case Silence.TAKES_DEFAULT | Silence.PASSES if decision.default and decision.kind not in LEAVES_THE_MACHINE:
            return _made(task, decision, Chosen(option=decision.option(decision.default)), moment)
        case Silence.EXPIRES:
            return [e.DecisionExpired(task=task.id, at=moment.at, decision=id)]
        case _:
            number, again = decision.reminders + 1, next_reminder(decision, moment.limits, moment.at)
            return [e.DecisionReminded(task=task.id, at=moment.at, decision=id, number=number, next_due=again)]


def _counts(vote: Vote, decision: Decision, task: Task, moment: Moment) -> bool:
    """Someone who turned out to be the requester, when accounts were linked, was never one of the others."""
    return decision.rule.requester is not Requester.NEVER or moment.who(vote.by) != moment.who(task.owner)


def _may(decision: Decision, task: Task, presser: Presser, moment: Moment) -> bool:
    return _entitled(decision.kind, task, presser, moment)


def _entitled(kind: Kind, task: Task, presser: Presser, moment: Moment) -> bool:
    try:
        check(kind, presser, task.owner, moment.channel)
    except PressRefused:
        return False
    return True


def _hold(task: Task, decision: Decision, presser: Presser, moment: Moment) -> Facts:
    if not decision.can_be_held:
        raise PressRefused("No clock is running here", next_step="Decide when you are ready; it waits for you.")
    return [e.DecisionHeld(task=task.id, at=moment.at, decision=decision.id, by=presser.person)]


def _vote(task: Task, decision: Decision, option: Option, presser: Presser, moment: Moment) -> Facts:
    if has_voted(decision, option.letter, presser):
        raise PressRefused(
            "Your approval is counted already", next_step="Another person must approve as well; you count once."
        )
    person = presser.person
    return [e.DecisionVoted(task=task.id, at=moment.at, decision=decision.id, option=option.letter, by=person)]


def _made(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    made = e.DecisionMade(
        task=task.id,
        at=moment.at,
        decision=decision.id,
        option=chosen.option.letter,
        by=chosen.by,
        words=chosen.words,
    )
    consequence = CONSEQUENCES.get(decision.kind)
    return [made, *(consequence(task, decision, chosen, moment) if consequence else [])]
