"""What the runner of a step is given."""

from dataclasses import dataclass

from agents.domain.task.task import Task
from agents.domain.work.work import Work
from agents.domain.workflow.steps import Step
from agents.ports import Ports


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    task: Task
    work: Work
    step: Step
    commit: str  # what it looks at
    ports: Ports
