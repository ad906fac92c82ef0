"""A map of a plan at work: its phases in their order, the subtasks in each, and how each of them stands."""

from dataclasses import dataclass

from agents.domain.phases.changing import phases_of
from agents.domain.phases.feature_ids import component_ids, phase_id
from agents.domain.planning.decomposition import Decomposition
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work, phase_state
from bot.cards.progress import MARK

S = SubtaskState
WORDS: dict[SubtaskState, str] = {
    S.PENDING: "not begun",
    S.RUNNING: "running",
    S.EVALUATING: "being checked",
    S.DONE: "done",
    S.NEEDS_HUMAN: "needs you",
    S.PAUSED: "stopped",
    S.FAILED: "failed",
    S.BLOCKED: "dropped, for it needs what failed",
    S.CANCELLED: "dropped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A subtask or a phase on the map. The mark is for those who see it; the words say the same."""

    id: str
    also: str  # its id as a component or phase of a feature
    title: str
    mark: str
    state: SubtaskState
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseOnMap:
    phase: Place
    subtasks: tuple[Place, ...]


def map_of(task: Task) -> tuple[PhaseOnMap, ...]:
    """None where there is one phase alone: the status card has it all."""
    plan = task.plan.draft
    if plan is None or len(phases_of(task)) < 2:
        return ()
    return tuple(_phase(task, plan, number) for number in plan.phase_numbers)


def _phase(task: Task, plan: Decomposition, number: int) -> PhaseOnMap:
    also = component_ids(plan, task.id)
    works = [work for work in task.work.subtasks if task.plan.subtask(work.number).phase == number]
    state = phase_state([work.state for work in works])
    settled = sum(work.is_settled for work in works)
    return PhaseOnMap(
        phase=Place(
            id=f"Phase {number}",
            also=phase_id(plan, task.id, number),
            title=plan.phase(number).title,
            mark=MARK[state],
            state=state,
            words=f"{WORDS[state]}, {settled} of {len(works)}",
        ),
        subtasks=tuple(_subtask(task, work, also.get(work.number, "")) for work in works),
    )


def _subtask(task: Task, work: Work, also: str) -> Place:
    closing = task.plan.is_closing(work.number)
    return Place(
        id=f"{task.id}.{work.number}",
        also=also,
        title="All of it together" if closing else task.plan.subtask(work.number).title,
        mark=MARK[work.state],
        state=work.state,
        words="taken back" if work.was_reverted else "about to start" if work.queued else WORDS[work.state],
    )
