"""Opening and withdrawing decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from agents.domain import events as e
from agents.domain.decisions.authority import ChannelPolicy, Kind, OnTimeout, Rule, Silence
from agents.domain.decisions.decision import Decision, Option, decision_id
from agents.domain.decisions.kind import DecisionKind, Facts, Moment, risk_of
from agents.domain.decisions.subject import Subject
from agents.domain.ids import DecisionId, PersonId, ProjectId
from agents.domain.limits import Limits
from agents.domain.task.task import Task

OUTLIVES = frozenset({Kind.PROPOSAL})  # no work waits for these, and they stay open when their task has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to put to a person."""

    kind: DecisionKind[Any]
    options: tuple[Option, ...] = ()  # empty: all that the kind has
    text: str = ""
    evidence: tuple[str, ...] = ()
    subject: Subject | None = None
    default: str = ""  # the value that silence takes
    put_to: PersonId | None = None  # None: the task's owner
    project: ProjectId | None = None  # that asks, in the thread of the task; None: the task itself asks


def ask(task: Task, question: Question, moment: Moment) -> Facts:
    """Open a decision, put to the task's owner or to whom the question says."""
    kind, options = question.kind, question.options or question.kind.offer()
    decision = Decision(
        id=decision_id(task.id, kind.name, moment.cause),
        task=task.id,
        project=question.project,
        kind=kind.name,
        options=options,
        question=question.text,
        evidence=question.evidence,
        subject=question.subject,
        put_to=question.put_to or task.request.by,
        opened_at=moment.at,
        default=next((o.letter for o in options if o.value == question.default), ""),
    )
    due = first_due(decision, kind.row(risk_of(question.subject)), moment.channel, moment.limits)
    timed = replace(decision, due=due)
    return [e.DecisionOpened(task=task.id, project=question.project, at=moment.at, decision=timed)]


def first_due(decision: Decision, rule: Rule, channel: ChannelPolicy, limits: Limits) -> datetime | None:
    """The moment at which silence first means something."""
    match rule.silence:
        case Silence.TAKES_DEFAULT if decision.default:
            return decision.opened_at + limits.within("question_default")
        case Silence.PASSES if channel.on_timeout is OnTimeout.PASS and decision.default:
            return decision.opened_at + limits.within("medium_gate")
        case Silence.EXPIRES:
            return decision.opened_at + limits.within("confirm")
        case _:
            return decision.opened_at + limits.within("reminder") if rule.reminders else None


def withdraw(decisions: Sequence[Decision], why: str, moment: Moment) -> Facts:
    return [
        e.DecisionWithdrawn(task=d.task, project=d.project, at=moment.at, decision=d.id, why=why) for d in decisions
    ]


def ending_with(task: Task, but: DecisionId | None = None) -> tuple[Decision, ...]:
    """Open decisions that are pointless once their task has ended."""
    return tuple(d for d in task.open if d.id != but and d.kind not in OUTLIVES)


def offers_to_go_on(task: Task) -> tuple[Decision, ...]:
    """The cards of a task that was stopped or snoozed. Where it is blocked meanwhile, their buttons lead nowhere."""
    return tuple(d for d in task.open if d.kind in (Kind.STOPPED, Kind.BACKBURNER))


def supersede(old: Decision, task: Task, question: Question, moment: Moment) -> Facts:
    """What was shown has changed: the old card says so, a new one asks."""
    opened = ask(task, question, moment)
    new = decision_id(task.id, question.kind.name, moment.cause)
    return [e.DecisionSuperseded(task=task.id, project=old.project, at=moment.at, decision=old.id, by=new), *opened]
