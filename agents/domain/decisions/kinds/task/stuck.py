"""A job failed for good: try it again, go on without a planner where it was planning, or cancel."""

from enum import StrEnum

from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel, retry_jobs
from agents.domain.decisions.kinds.plan.no_plan import outline_plan
from agents.domain.decisions.subject import OfJob
from agents.domain.task.task import Task


class StuckOption(StrEnum):
    RETRY = "retry"
    OUTLINE = "outline"
    CANCEL = "cancel"


def apply(task: Task, subject: OfJob, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case StuckOption.CANCEL:
            return cancel(task, chosen, moment)
        case StuckOption.OUTLINE:
            return outline_plan(task, chosen, moment)
        case _:
            return retry_jobs(task, chosen, moment)


STUCK = DecisionKind(
    name=Kind.STUCK,
    subject=OfJob,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply,
    options=StuckOption,
    needs_words=frozenset({StuckOption.CANCEL}),
    rights={StuckOption.OUTLINE: Kind.PLAN},
)
