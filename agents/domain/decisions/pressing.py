"""What a press, a command or silence makes of a task and its open decisions.

The commands (stop, resume, lay aside, cancel, mute) are what people may do to a task at any time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agents.domain import events as e
from agents.domain.decisions.authority import STEERING, Kind, Presser, Requester, Rule, Silence, check, may
from agents.domain.decisions.decision import HOLD, Decision, Option, Refusal, Refused, Vote, has_voted, voters
from agents.domain.decisions.kind import Chosen, Facts, Moment, Question, Withdrawal, withdraw
from agents.domain.decisions.kinds.phases.phase_change import ask_about_phase
from agents.domain.decisions.kinds.task.cancel import confirmation
from agents.domain.decisions.kinds.task.controls import ControlOption
from agents.domain.decisions.kinds.task.stopped import STOPPED, StoppedOption
from agents.domain.decisions.subject import PhaseAct
from agents.domain.decisions.table import (
    approvable,
    ask,
    can_be_held,
    closed_by_silence,
    conclude,
    first_due,
    kind_of,
    questions,
    refuse_if_late,
    refuse_unless_entitled,
    refuse_without_words,
    rights_to,
    rule_of,
)
from agents.domain.ids import DecisionId
from agents.domain.phases.changing import phases_of, refuse_unless_possible
from agents.domain.task.task import Task
from agents.domain.text.sanitize import small_number

DECIDES_BY_TIME = (Silence.TAKES_DEFAULT, Silence.PASSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    decision: DecisionId
    letter: str
    words: str = ""


def press(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """Any press: the standing buttons of a status card steer the task, all others decide something."""
    decision = task.decision(pressed.decision)
    if decision is None or decision.kind is not Kind.CONTROLS:
        return _press_decision(task, pressed, presser, moment)
    return _CONTROLS[decision.option(pressed.letter).value](task, presser, pressed.words, moment)


def _press_decision(task: Task, pressed: Press, presser: Presser, moment: Moment) -> Facts:
    """What a press on an open decision leads to. Raises PressRefused when it may not count."""
    decision = task.decision(pressed.decision)
    if decision is None:
        raise Refused(Refusal.UNKNOWN)
    refuse_if_late(decision, moment.at)
    refuse_unless_entitled(decision, pressed.letter, presser, task.request.by, moment.channel)
    if pressed.letter == HOLD:
        return _hold(task, decision, presser, moment)
    option, words = decision.option(pressed.letter), pressed.words.strip()
    refuse_without_words(decision, option, words)
    if not option.approves:
        entitled = may(STEERING, presser, task.request.by, moment.channel)
        chosen = Chosen(decision=decision, option=option, by=(presser.person,), words=words, entitled=entitled)
        return conclude(task, chosen, moment)
    rule, _ = rights_to(decision, option)
    counting = replace(decision, votes=tuple(v for v in decision.votes if _counts(v, rule, task, moment)))
    people = voters(counting, option.letter, presser)
    if len(people) >= rule.people:
        return conclude(task, Chosen(decision=decision, option=option, by=people, words=words), moment)
    return _vote(task, decision, option, presser, moment)


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
    due = until or first_due(anew, moment.channel, moment.limits)
    if due is None or due <= moment.at:
        return []
    return [e.DecisionDeferred(task=task.id, project=decision.project, at=moment.at, decision=id, next_due=due)]


def hold_reminder(task: Task, id: DecisionId, moment: Moment, until: datetime) -> Facts:
    """In somebody's quiet hours nobody reminds them. What silence decides keeps its time."""
    decision = task.decision(id)
    if decision is None or rule_of(decision).silence is not Silence.WAITS or until <= moment.at:
        return []
    return [e.DecisionDeferred(task=task.id, project=decision.project, at=moment.at, decision=id, next_due=until)]


def _counts(vote: Vote, rule: Rule, task: Task, moment: Moment) -> bool:
    """Someone who turned out to be the requester, when accounts were linked, was never one of the others."""
    return rule.requester is not Requester.NEVER or moment.who(vote.by) != moment.who(task.request.by)


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


Steer = Callable[[Task, Presser, str, Moment], Facts]


def stop(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    check(STEERING, presser, task.request.by, moment.channel)
    stopped = e.TaskStopped(task=task.id, at=moment.at, by=presser.person)
    options = () if task.in_work else (StoppedOption.RESUME, StoppedOption.CANCEL)
    return [stopped, *ask(task, Question(kind=Kind.STOPPED, options=STOPPED.offer(*options)), moment)]


def backburner(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    check(STEERING, presser, task.request.by, moment.channel)
    stopped = task.of_kind(Kind.STOPPED)
    return [
        e.TaskBackburnered(task=task.id, at=moment.at, by=presser.person),
        *withdraw((stopped,) if stopped else (), Withdrawal.SNOOZED, moment),
        *ask(task, Question(kind=Kind.BACKBURNER), moment),
    ]


def ask_to_cancel(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    """A cancel asks to confirm, and wants a reason."""
    check(STEERING, presser, task.request.by, moment.channel)
    if task.has_ended:
        raise Refused(Refusal.ENDED, task=task.id, option=task.state)
    if task.of_kind(Kind.CANCEL):
        raise Refused(Refusal.ASKED, task=task.id)
    return ask(task, confirmation(words.strip()), moment)


def change_phase(act: PhaseAct) -> Steer:
    """Asking changes nothing: an approver decides, on a card that shows what it means for the rest. A newer card stands
    for an older one."""

    def command(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
        check(STEERING, presser, task.request.by, moment.channel)
        there = phases_of(task)
        phase = small_number(words.strip()) or (there[0] if len(there) == 1 and not words.strip() else 0)
        refuse_unless_possible(task, phase)
        older = [decision for decision in task.open if decision.kind is Kind.PHASE]
        return [*withdraw(older, Withdrawal.PHASE, moment), *ask(task, ask_about_phase(task, act, phase), moment)]

    return command


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
                    return _press_decision(task, pressed, presser, moment)
        raise Refused(Refusal.NOTHING, task=task.id, option=value)

    return command


def offer_approval(task: Task, presser: Presser, words: str, moment: Moment) -> Facts:
    """Words never approve. Someone who may is given the button, on one card."""
    for decision in approvable(task):
        if any(option.approves for option in decision.options):
            check(rule_of(decision), presser, task.request.by, moment.channel)
            return [e.ApprovalOffered(task=task.id, at=moment.at, by=presser.person, decision=decision.id)]
    raise Refused(Refusal.NO_APPROVAL, task=task.id)


_CONTROLS: dict[str, Steer] = {
    ControlOption.STOP: stop,
    ControlOption.BACKBURNER: backburner,
    ControlOption.CANCEL: ask_to_cancel,
    ControlOption.RESTART_PHASE: change_phase(PhaseAct.RESTART),
    ControlOption.REVERT_PHASE: change_phase(PhaseAct.REVERT),
}
