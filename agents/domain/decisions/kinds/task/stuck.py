"""A job failed for good: try it again, ask for less or go on without a planner where it was planning, or cancel."""

from enum import StrEnum

from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, retry_jobs
from agents.domain.decisions.subject import OfJob
from agents.domain.planning.ladder import ask_for_less, choose_outline
from agents.domain.task.task import Task


class StuckOption(StrEnum):
    RETRY = "retry"
    LESS = "less"  # where the question was longer than the model takes
    OUTLINE = "outline"
    CANCEL = "cancel"


def apply_stuck(task: Task, subject: OfJob, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case StuckOption.LESS:
            return ask_for_less(task, chosen, moment)
        case StuckOption.OUTLINE:
            return choose_outline(task, chosen, moment)
        case _:
            return retry_jobs(task, chosen, moment)


STUCK = DecisionKind(
    name=Kind.STUCK,
    subject=OfJob,
    rule=TROUBLE,
    apply=apply_stuck,
    options=StuckOption,
    needs_words=frozenset({StuckOption.LESS}),
    by_name=frozenset({StuckOption.LESS}),
    rights={StuckOption.OUTLINE: Kind.PLAN},
)
