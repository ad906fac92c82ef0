"""What somebody said while minions work contradicts the accepted plan: follow it, or keep to the plan.

Nothing waits for it: until somebody chooses, the plan holds where the two differ. The evidence is what contradicts.
"""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfWish
from agents.domain.task.task import Task
from agents.domain.work.dispatching import heed_in_whole


class AgainstPlanOption(StrEnum):
    FOLLOW = "follow"
    KEEP = "keep"


def apply_against_plan(task: Task, subject: OfWish, chosen: Chosen, moment: Moment) -> Facts:
    if not task.in_work:
        return []
    first = chosen.option.value == AgainstPlanOption.FOLLOW
    settled = e.WishSettled(task=task.id, at=moment.at, wish=subject.wish, by=chosen.person, first=first)
    return [settled, *(heed_in_whole(task, moment) if first else ())]


AGAINST_PLAN = DecisionKind(
    name=Kind.AGAINST_PLAN,
    subject=OfWish,
    rule=APPROVAL,
    apply=apply_against_plan,
    options=AgainstPlanOption,
    approves=frozenset({AgainstPlanOption.FOLLOW}),
    wider={AgainstPlanOption.KEEP: Rule(who=OWNERS)},
    waits=False,
)
