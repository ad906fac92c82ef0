"""The ids of a feature, its phases and components, shown beside our own: `P1T5-PH1-C2` is `T-14.2`."""

from agents.domain.ids import TaskId
from agents.domain.planning.decomposition import Decomposition


def feature_id(plan: Decomposition, task: TaskId) -> str:
    """As its file names it; else after the task."""
    return plan.feature or task.replace("-", "")


def phase_id(plan: Decomposition, task: TaskId, number: int) -> str:
    """By its place among the phases, whatever number a planner gave it."""
    return f"{feature_id(plan, task)}-PH{plan.phase_numbers.index(number) + 1}"


def component_ids(plan: Decomposition, task: TaskId) -> dict[int, str]:
    """Of each subtask that somebody planned: what code adds before and after is no component."""
    found = dict[int, str]()
    for phase in plan.phase_numbers:
        here = [each.number for each in plan.steps if each.phase == phase and not each.opening]
        found |= {number: f"{phase_id(plan, task, phase)}-C{at}" for at, number in enumerate(here, 1)}
    return found
