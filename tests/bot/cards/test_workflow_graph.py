"""The picture of a task's workflow: every step once, in its order, with the subtasks that stand there."""

from dataclasses import replace

import pytest

from agents.catalog.library import load_catalog
from agents.domain.work.work import SubtaskState
from agents.domain.workflow.steps import STEP_TYPES
from bot.cards import workflow as drawing
from bot.cards.workflow import workflow_graph
from tests.domain.work.test_dispatching import at_work, subtask


@pytest.mark.parametrize("name", ["default", "mvp", "open_source"])
def test_the_graph_has_every_step_and_says_who_is_where(name: str) -> None:
    workflow = load_catalog().workflows[name]
    task = at_work(subtask(1), subtask(2))
    assert workflow_graph(task) is None, "nothing is kept before a plan is approved"
    first = replace(task.work.on(1), state=SubtaskState.EVALUATING, step="test")
    task = replace(
        task,
        plan=replace(task.plan, accepted="abc", workflow=workflow),
        work=replace(task.work, subtasks=(first, *task.work.subtasks[1:])),
    )
    graph = workflow_graph(task)
    assert graph and [node.id for node in graph.nodes] == [step.name for step in workflow.steps]
    assert len(graph.arrows) == len(graph.nodes) - 1
    assert [node.label for node in graph.nodes if "T-1" in node.label] == ["▸ T-1.1"]
    columns = [node.column for node in graph.nodes]
    assert columns == sorted(columns) and set(columns) == {0, 1, 2, 3}
    assert graph.text.startswith(
        f"{name}, version {workflow.version}: plan, plan_review, implement, rules, test (T-1.1)"
    )


def test_every_type_of_step_has_its_words() -> None:
    assert set(drawing.DOES) == set(STEP_TYPES)
