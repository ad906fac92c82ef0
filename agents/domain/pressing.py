"""What a press, an answer in words, or silence makes of an open decision, and what follows from that."""

from collections.abc import Callable
from dataclasses import dataclass

from agents.domain import events as e
from agents.domain.asking import Facts, Moment, withdraw
from agents.domain.authority import LEAVES_THE_MACHINE, Kind, Presser, Silence, check
from agents.domain.decision import (
    HOLD,
    Decision,
    Option,
    has_voted,
    next_reminder,
    refuse_unless_entitled,
    voters,
)
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, PersonId
from agents.domain.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    decision: DecisionId
    letter: str
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An option and the people who chose it; nobody, where time did."""

    option: Option
    by: tuple[PersonId, ...] = ()
    words: str = ""


def press(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """What a press on an open decision leads to. Raises PressRefused when it may not count."""
    decision = task.decision(pressed.decision)
    if decision is None:
        raise PressRefused("I do not know this button", next_step="Say `status` to see what is open.")
    refuse_unless_entitled(decision, pressed.letter, presser, task.owner, moment.channel)
    if pressed.letter == HOLD:
        return _hold(task, decision, presser, moment)
    option, words = decision.option(pressed.letter), pressed.words.strip()
    if option.asks and not words:
        raise PressRefused("This needs a word from you", next_step=option.asks)
    if not option.approves:
        return _made(task, decision, Chosen(option=option, by=(presser.person,), words=words), moment)
    people = voters(decision, option.letter, presser)
    if len(people) >= decision.rule.people:
        return _made(task, decision, Chosen(option=option, by=people, words=words), moment)
    return _vote(task, decision, option, presser, moment)


def reply(task: Task, text: str, presser: Presser, moment: Moment) -> Facts:
    """Words in a task's thread: an answer to the oldest question they can answer, or a remark.

    An approval is never given this way (C37), and the words of someone without the right answer nothing (attack 20).
    """
    for decision in task.questions:
        option = decision.option_called(text)
        free = decision.kind in (Kind.QUESTION, Kind.CLARIFICATION)
        if decision.rule.by_words and (option or free) and _may(decision, task, presser, moment):
            if option:
                return press(task, Press(decision=decision.id, letter=option.letter), presser, moment)
            answer = Chosen(option=Option(value=""), by=(presser.person,), words=text.strip())
            return _made(task, decision, answer, moment)
    return [] if task.ended else [e.RemarkMade(task=task.id, at=moment.at, by=presser.person, text=text.strip())]


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
            number, again = decision.reminders + 1, next_reminder(decision, moment.limits)
            return [e.DecisionReminded(task=task.id, at=moment.at, decision=id, number=number, next_due=again)]


def _may(decision: Decision, task: Task, presser: Presser, moment: Moment) -> bool:
    try:
        check(decision.kind, presser, task.owner, moment.channel)
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


# ── what follows ──────────────────────────────────────────────────────────────────────────────────────────────────


def _project(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    project, by = chosen.option.value, chosen.by[0]
    return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=by, why="")]


def _rest_of_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    reason = chosen.words or decision.question
    others = [d for d in task.open if d.id != decision.id]
    cancelled = e.TaskCancelled(task=task.id, at=moment.at, by=chosen.by[0], reason=reason)
    return [cancelled, *withdraw(others, "the task was cancelled", moment)]


def _keep_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    return [] if chosen.option.value == "keep" else _rest_of_cancel(task, decision, chosen, moment)


def _resume_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "cancel":
        return _rest_of_cancel(task, decision, chosen, moment)
    return [e.TaskResumed(task=task.id, at=moment.at, by=chosen.by[0])]


def _retry_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "cancel":
        return _rest_of_cancel(task, decision, chosen, moment)
    return [e.JobRetried(task=task.id, at=moment.at, by=chosen.by[0], job=task.parked_job)]


Consequence = Callable[[Task, Decision, Chosen, Moment], Facts]

# What follows from a decision once it is made. A stage that opens a new kind of decision adds its row.
CONSEQUENCES: dict[Kind, Consequence] = {
    Kind.PROJECT: _project,
    Kind.CANCEL: _keep_or_cancel,
    Kind.STOPPED: _resume_or_cancel,
    Kind.BACKBURNER: _resume_or_cancel,
    Kind.ESCALATION: _retry_or_cancel,
}
