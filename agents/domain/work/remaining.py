"""What remains of a plan at work: what may still be added to it, and the subtasks that directives become."""

from collections.abc import Sequence
from datetime import datetime

from agents.domain import events as e
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import Decomposition
from agents.domain.supervision.amending import add, covers, differences, small
from agents.domain.supervision.directive import Directive
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work

SMALL = 3  # files of a subtask that may be added without a card


def can_add(task: Task) -> bool:
    """Until the whole is judged."""
    plan = task.plan.draft
    if plan is None or plan.closing is None or not task.in_work:
        return False
    return is_untouched(task.work.on(plan.closing.number))


def is_untouched(work: Work) -> bool:
    """Nobody has begun with it."""
    return work.state is SubtaskState.PENDING and not work.queued and not work.has_begun


def waiting(task: Task) -> tuple[int, ...]:
    """Subtasks that nobody has begun with, in their order, without the closing one."""
    return tuple(
        work.number for work in task.work.subtasks if is_untouched(work) and not task.plan.is_closing(work.number)
    )


def is_left_to_judge(task: Task) -> bool:
    """All but judging the whole is settled."""
    others = (work for work in task.work.subtasks if not task.plan.is_closing(work.number))
    return can_add(task) and all(work.is_settled for work in others)


def amend_for(task: Task, directives: Sequence[Directive], by: tuple[PersonId, ...], at: datetime) -> e.PlanAmended:
    """Each as a small subtask: what is critical before all that waits, what is functional ahead of it in the order,
    cleanups after it."""
    plan, added = _drafted(task), list[int]()
    old, ahead = plan, waiting(task)
    for directive in directives:
        subtask = small(directive.description, directive.rationale, directive.kind, directive.files)
        before = () if directive.is_cleanup else ahead
        phase = plan.subtasks[[s.number for s in plan.subtasks].index(ahead[0])].phase if before else 0
        plan, numbers = add(plan, [subtask], phase=phase, ahead_of=before, held=directive.is_critical)
        added += numbers
    return e.PlanAmended(
        task=task.id,
        at=at,
        number=task.plan.number + 1,
        plan=plan,
        by=by,
        added=tuple(added),
        differences=differences(old, plan),
    )


def is_allowed(task: Task, directive: Directive) -> bool:
    """Whether it may be added without a card: as was chosen with the plan, small, and inside the files of the plan."""
    inside = all(covers(_drafted(task).paths, path) for path in directive.files)
    small_enough = 0 < len(directive.files) <= SMALL
    return bool(task.plan.may_add) and small_enough and inside and can_add(task) and not directive.is_critical


def _drafted(task: Task) -> Decomposition:
    assert task.plan.draft is not None
    return task.plan.draft
