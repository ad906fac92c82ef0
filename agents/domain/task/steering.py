"""Stop, resume, lay aside, cancel, mute: what people may do to a task at any time."""

from collections.abc import Callable

from agents.domain import events as e
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import STEERING, Kind, Presser, check
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, ask, withdraw
from agents.domain.decisions.kinds.task.cancel import confirmation
from agents.domain.decisions.kinds.task.controls import ControlOption
from agents.domain.decisions.kinds.task.snoozed import SNOOZED
from agents.domain.decisions.kinds.task.stopped import STOPPED, StoppedOption
from agents.domain.decisions.pressing import Press
from agents.domain.decisions.table import approvable, questions, rule_of
from agents.domain.task.task import Task

Steer = Callable[[Task, Presser, str, Moment], Facts]


def stop(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    check(STEERING, presser, task.request.by, moment.channel)
    stopped = e.TaskStopped(task=task.id, at=moment.at, by=presser.person)
    options = () if task.in_work else (StoppedOption.RESUME, StoppedOption.CANCEL)
    return [stopped, *ask(task, Question(kind=STOPPED, options=STOPPED.offer(*options)), moment)]


def backburner(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    check(STEERING, presser, task.request.by, moment.channel)
    stopped = task.of_kind(Kind.STOPPED)
    return [
        e.TaskBackburnered(task=task.id, at=moment.at, by=presser.person),
        *withdraw((stopped,) if stopped else (), Withdrawal.SNOOZED, moment),
        *ask(task, Question(kind=SNOOZED), moment),
    ]


def ask_to_cancel(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    """A cancel asks to confirm, and wants a reason."""
    check(STEERING, presser, task.request.by, moment.channel)
    if task.ended:
        raise Refused(Refusal.ENDED, task=task.id, option=task.state)
    if task.of_kind(Kind.CANCEL):
        raise Refused(Refusal.ASKED, task=task.id)
    return ask(task, confirmation(words.strip()), moment)


def mute(muted: bool) -> Steer:
    def command(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
        check(STEERING, presser, task.request.by, moment.channel)
        return [e.TaskMuted(task=task.id, at=moment.at, by=presser.person, muted=muted)]

    return command


def take(value: str, *also: str) -> Steer:
    """A command that presses the open decision which offers this: `resume`, `retry`."""

    def command(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
        for decision in questions(task):
            for option in decision.options:
                if option.value in (value, *also):
                    said = words or (value if option.needs_words else "")
                    pressed = Press(decision=decision.id, letter=option.letter, words=said)
                    return pressing.press(task, pressed, presser, moment)
        raise Refused(Refusal.NOTHING, task=task.id, option=value)

    return command


def offer_approval(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    """Words never approve. Someone who may is given the button, on one card."""
    for decision in approvable(task):
        if any(option.approves for option in decision.options):
            check(rule_of(decision), presser, task.request.by, moment.channel)
            return [e.ApprovalOffered(task=task.id, at=moment.at, by=presser.person, decision=decision.id)]
    raise Refused(Refusal.NO_APPROVAL, task=task.id)


def press(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """Any press: the standing buttons of a status card steer the task, all others decide something."""
    decision = task.decision(pressed.decision)
    if decision is None or decision.kind is not Kind.CONTROLS:
        return pressing.press(task, pressed, presser, moment)
    return _CONTROLS[decision.option(pressed.letter).value](task, presser, pressed.words, moment)


_CONTROLS: dict[str, Steer] = {
    ControlOption.STOP: stop,
    ControlOption.BACKBURNER: backburner,
    ControlOption.CANCEL: ask_to_cancel,
}
