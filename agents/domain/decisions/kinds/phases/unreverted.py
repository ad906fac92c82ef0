"""A phase could not be taken back, for later work changed the same lines. The evidence is the paths."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question, hand_over
from agents.domain.decisions.subject import OfSubtask
from agents.domain.task.task import Task
from agents.domain.work.dispatching import evolve_all, start_next


class UnrevertedOption(StrEnum):
    KEEP = "keep"
    AGAIN = "again"
    LEAVE = "leave"
    CANCEL = "cancel"


def ask_about_conflict(failed: e.PhaseRevertFailed) -> Question:
    about = OfSubtask(subtask=failed.subtask)
    return Question(kind=Kind.UNREVERTED, evidence=failed.paths, subject=about, cause=f"unreverted:{failed.phase}")


def apply_unreverted(task: Task, subject: OfSubtask, chosen: Chosen, moment: Moment) -> Follows:
    reverting = task.work.reverting
    if not task.in_work or reverting is None:
        return []
    match chosen.option.value:
        case UnrevertedOption.KEEP:
            kept = e.PhaseKept(task=task.id, at=moment.at, phase=reverting.phase, by=chosen.person)
            return [kept, *start_next(evolve_all(task, [kept]), moment)]
        case UnrevertedOption.AGAIN:
            again = e.PhaseRevertWanted(
                task=task.id,
                at=moment.at,
                phase=reverting.phase,
                subtasks=reverting.subtasks,
                by=reverting.by,
            )
            return [again]
        case _:
            return hand_over(task, chosen, moment)


UNREVERTED = DecisionKind(
    name=Kind.UNREVERTED,
    subject=OfSubtask,
    rule=TROUBLE,
    apply=apply_unreverted,
    options=UnrevertedOption,
    approves=frozenset({UnrevertedOption.AGAIN}),
)
