"""All that was planned is done, and cleanups were asked for: work them off first, or go on without."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment
from agents.domain.task.task import Task
from agents.domain.work.dispatching import begin_polishing, evolve_all, start_next


class PolishOption(StrEnum):
    CLEAN = "clean"
    SKIP = "skip"


def apply_polish(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Follows:
    if not task.in_work or task.supervision.polished or task.supervision.polishing:
        return []
    if chosen.option.value == PolishOption.CLEAN:
        return begin_polishing(task, chosen.by, moment)
    without = e.PolishingEnded(task=task.id, at=moment.at, by=chosen.person)
    return [without, *start_next(evolve_all(task, [without]), moment)]


POLISH = DecisionKind(
    name=Kind.POLISH,
    rule=Rule(who=APPROVERS),
    apply=apply_polish,
    options=PolishOption,
    approves=frozenset({PolishOption.CLEAN}),
)
