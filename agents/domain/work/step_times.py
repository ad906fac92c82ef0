"""How long each step of a workflow took for each subtask, read off the facts. A person's time is the step's they keep
waiting."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.workflow.steps import HUMAN, JOIN, Step
from agents.domain.workflow.workflow import DEFAULT

Times = Mapping[tuple[int, str], timedelta]  # by subtask and step
READS: frozenset[type[Event]] = frozenset(
    {
        *(e.SubtaskReady, e.MinionStarted, e.MinionAsked, e.MinionStopped, e.MinionFailed, e.WorkHandedIn),
        *(e.StepDue, e.StepPassed, e.StepRefused, e.WorkEvaluated, e.GatePassed, e.SubtaskDone),
    }
)
_ENDS = (e.MinionAsked, e.MinionStopped, e.MinionFailed, e.WorkHandedIn, e.StepPassed, e.StepRefused)


def step_times(task: Task, facts: Iterable[Event]) -> Times:
    """`facts`: of the task, those in READS are enough."""
    workflow = task.plan.workflow or DEFAULT
    found, workers = defaultdict[tuple[int, str], timedelta](timedelta), dict[int, str]()
    since = dict[int, tuple[str, datetime]]()  # the step that a subtask is at, and since when
    for fact in facts:
        if not isinstance(fact, e.AboutWork) or type(fact) not in READS:
            continue
        number = fact.subtask
        if isinstance(fact, e.SubtaskReady):
            first = workflow.worker(task.plan.part(number)).name
            workers[number] = fact.step or workers.get(number, first)
        if isinstance(fact, (*_ENDS, e.GatePassed, e.SubtaskDone, e.WorkEvaluated)) and number in since:
            step, began = since.pop(number)
            found[number, step] += fact.at - began
        if begins := _begins(fact, workflow.part(task.plan.part(number)), workers.get(number, "")):
            since[number] = begins, fact.at
    return dict(found)


def _begins(fact: Event, steps: Sequence[Step], worker: str) -> str:
    """The step that a fact is the beginning of; empty: of none."""
    match fact:
        case e.MinionStarted():
            return worker
        case e.StepDue(step=step):
            return step
        case e.WorkEvaluated():
            return next(step.name for step in steps if step.type in (HUMAN.name, JOIN.name))
        case e.GatePassed():
            return next(step.name for step in steps if step.type == JOIN.name)
        case _:
            return ""
