"""A subtask that a person works on: check their branch, drop it, or cancel the task."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, drop, waiting_run


class TakenOption(StrEnum):
    HAND_IN = "hand_in"
    DROP = "drop"
    CANCEL = "cancel"


def apply_taken(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Follows:
    work = waiting_run(task, subject)
    if work is None:
        return []
    if chosen.option.value == TakenOption.DROP:
        return drop(task, work, chosen.person, moment, chosen.decision.id)
    about = about_run(task, work, moment.at)
    return [e.WorkHandedIn(**about, commit="", summary="finished by hand", by=chosen.person)]


TAKEN = DecisionKind(name=Kind.TAKEN, subject=OfRun, rule=TROUBLE, apply=apply_taken, options=TakenOption)
