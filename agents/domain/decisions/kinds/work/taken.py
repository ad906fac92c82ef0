"""A subtask that a person works on: check their branch, drop it, or cancel the task."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import drop
from agents.domain.work.runs import about_run, waiting_run


class TakenOption(StrEnum):
    HAND_IN = "hand_in"
    DROP = "drop"
    CANCEL = "cancel"


def apply(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == TakenOption.CANCEL:
        return cancel(task, chosen, moment)
    work = waiting_run(task, subject)
    if work is None:
        return []
    if chosen.option.value == TakenOption.DROP:
        return drop(task, work, chosen.person, moment, chosen.decision.id)
    about = about_run(task, work, moment.at)
    return [e.WorkHandedIn(**about, commit="", summary="finished by hand", by=chosen.person)]


TAKEN = DecisionKind(
    name=Kind.TAKEN,
    subject=OfRun,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply,
    options=TakenOption,
    needs_words=frozenset({TakenOption.CANCEL}),
)
