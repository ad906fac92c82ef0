"""A task's workflow as a picture: its steps in their order, and where each subtask stands."""

from collections import Counter, defaultdict
from datetime import timedelta

from agents.domain.task.task import Task
from agents.domain.work.step_times import Times
from agents.domain.work.stepping import stands_at, workflow_pinned
from agents.domain.workflow.steps import JOIN, RULES, WORKER, Step
from agents.domain.workflow.workflow import Part, Workflow
from bot.cards.scene import duration_in_words
from bot.messages import Arrow, Graph, Node

# What a step does, in few words; its name stands above them.
DOES: dict[str, str] = {
    "plan": "plans",
    "plan_review": "argues, then a person",
    "worker": "a minion works",
    "rules": "rules of every project",
    "gate": "a check",
    "review": "reads the work",
    "human": "a person looks",
    "join": "joins the work",
    "pull": "hands it over",
    "merge": "a person merges",
}


def workflow_graph(task: Task, times: Times | None = None) -> Graph | None:
    """None until a plan is approved: nothing is kept before."""
    if not task.plan.accepted:
        return None
    workflow, here, past = workflow_pinned(task), _standing(task), _past(task, times or {})
    columns = _columns(workflow)
    nodes = tuple(
        Node(
            id=step.name,
            label=_label(step, here.get(step.name, []), past.get(step.name, "")),
            column=columns[step.name],
        )
        for step in workflow.steps
    )
    arrows = tuple(Arrow(start=step.name, end=step.next) for step in workflow.steps if step.next)
    said = ", ".join(_said(step, here.get(step.name, [])) for step in workflow.steps)
    return Graph(nodes=nodes, arrows=arrows, text=f"{workflow.name}, version {workflow.version}: {said}")


def _standing(task: Task) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for work in task.work.subtasks:
        if step := stands_at(task, work):
            found.setdefault(step.name, []).append(f"{task.id}.{work.number}")
    return found


def _columns(workflow: Workflow) -> dict[str, int]:
    """A column for each stretch: the plan, a worker and its rules, what looks at the work, and the end."""
    before = {step.name for step in (*workflow.steps[:2], *workflow.part(Part.OPENING))}
    found: dict[str, int] = {}
    column, last, joined = -1, "", False
    for step in workflow.steps:
        joined = joined or step.type == JOIN.name
        stretch = "plan" if step.name in before else "end" if joined else _stretch(step)
        column += stretch != last
        found[step.name], last = column, stretch
    return found


def _stretch(step: Step) -> str:
    return "work" if step.type in (WORKER.name, RULES.name) else "checks"


def _past(task: Task, times: Times) -> dict[str, str]:
    """What is behind each step, such as "3 visits, 12 s"."""
    visits, took = Counter[str](), defaultdict[str, timedelta](timedelta)
    for work in task.work.subtasks:
        visits.update(work.visits)
    for (_, step), each in times.items():
        took[step] += each
    names = {*visits, *took}
    said = {name: f"{visits[name]} visit{'s' if visits[name] > 1 else ''}, " if visits[name] else "" for name in names}
    return {name: f"{said[name]}{duration_in_words(took[name])}" for name in names}


def _label(step: Step, here: list[str], past: str) -> str:
    return f"▸ {', '.join(here)}" if here else past or DOES[step.type]


def _said(step: Step, here: list[str]) -> str:
    return f"{step.name} ({', '.join(here)})" if here else step.name
