"""The subtask that code puts before all others, where a workflow has steps for it."""

from agents.catalog.composition import Layer, compose
from agents.catalog.workflows import TEMPLATES, WORKFLOW
from agents.catalog.yaml import Value, read_packaged
from agents.domain.planning.decomposition import with_closing
from agents.domain.planning.opening import with_opening
from agents.domain.planning.plan_faults import faults
from agents.domain.workflow.workflow import DEFAULT, Part, Workflow
from tests.builders.decompositions import plan, subtask

OURS = TEMPLATES.read(read_packaged("workflows").data)
DESIGN: dict[str, Value] = {
    "type": "worker",
    "level": "task",
    "role": "implementer",
    "position": "after plan_review",
    "description": "Says how the parts fit together.",
    "config": {"files": "docs/design/"},
}
REVIEW: dict[str, Value] = {"type": "review", "level": "task", "role": "reviewer", "position": "after design"}


def opened(**steps: Value) -> Workflow:
    over = Layer(where=("workflow",), part=WORKFLOW.read({"steps": steps}))
    workflow, odd = compose("default", OURS, [over])
    assert workflow is not None, odd
    return workflow


def test_rules_and_a_join_are_added_and_a_person_where_one_is_wanted() -> None:
    steps = opened(design={**DESIGN, "human_approval": True}, design_review=REVIEW).part(Part.OPENING)
    assert [(step.name, step.type) for step in steps] == [
        *(("design", "worker"), ("design_rules", "rules"), ("design_review", "review")),
        *(("approval", "human"), ("commit_opening", "join")),
    ]
    assert all(step.level == "task" for step in steps) and [s.back for s in steps[1:4]] == ["design"] * 3


def test_what_ordinary_subtasks_go_through_and_where_they_go_back_stays_as_it_is() -> None:
    workflow = opened(design=DESIGN)
    for part in (Part.ORDINARY, Part.CLOSING):
        assert [step.name for step in workflow.part(part)] == [step.name for step in DEFAULT.part(part)]
        assert [step.back for step in workflow.part(part)] == [step.back for step in DEFAULT.part(part)]
    assert workflow.implement.name == "implement" and workflow.worker(Part.OPENING).name == "design"
    assert not opened(design={**DESIGN, "human_approval": True}).waits_for_review


def test_it_is_the_first_and_all_others_wait_for_it() -> None:
    drafted = with_closing(plan(subtask(1), subtask(2, 1), subtask(3, phase=2)))
    made = with_opening(drafted, opened(design=DESIGN))
    first, *others = made.subtasks
    assert (first.number, first.opening, first.closing, first.files) == (1, True, False, ("docs/design/",))
    assert first.title == "Prepare: design" and first.why == "Says how the parts fit together."
    assert [each.number for each in others] == [2, 3, 4, 5] and made.is_closing(5) and made.is_opening(1)
    assert made.order() == [[1], [2], [3], [4], [5]] and not faults(made)
    assert made.hash != drafted.hash and with_opening(made, opened(design=DESIGN)) == made
    assert with_opening(drafted, DEFAULT) is drafted, "a workflow without such steps adds none"
