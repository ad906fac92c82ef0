"""The request was edited after its plan was approved: ask for that change, or keep what was approved."""

from enum import StrEnum

from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.task.task import Task
from agents.domain.work.dispatching import heed_in_whole


class CorrectionOption(StrEnum):
    CHANGE = "change"
    KEEP = "keep"


def apply_correction(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    """At the merge the whole is worked on again; before it the minions are told, as it is a wish."""
    if chosen.option.value == CorrectionOption.KEEP or not task.in_work:
        return []
    return heed_in_whole(task, moment)


CORRECTION: DecisionKind[None] = DecisionKind(
    name=Kind.CORRECTION, rule=Rule(who=OWNERS), apply=apply_correction, options=CorrectionOption, waits=False
)
