"""Which workflow a task goes by, also one whose facts are older than workflows are."""

from dataclasses import replace

from agents.catalog.library import load_catalog
from agents.domain.events import PlanAccepted
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.planning.facts import PlanState
from agents.domain.planning.ladder import accept
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.work import stepping
from agents.domain.workflow.workflow import DEFAULT, Workflow
from store.codec import dump, load_event, shape, stream_kind
from tests.builders.steered import NOW, moment

EAGER = replace(
    DEFAULT,
    name="eager",
    steps=(*DEFAULT.steps[:2], replace(DEFAULT.implement, max_retries=5), *DEFAULT.steps[3:]),
)
OLD = f'{{"task":"T-1","at":"{NOW.isoformat()}","hash":"abc","by":["ana"]}}'


def task(plan: PlanState = PlanState()) -> Task:  # noqa: B008, it is frozen
    thread = Thread("console:general:1")
    request = Request(text="x", by=PersonId("ana"), thread=thread, channel="console:general", at=NOW)
    return Task(id=TaskId("T-1"), request=request, changed_at=NOW, plan=plan)


def test_a_plan_that_was_accepted_before_workflows_were_kept_goes_by_what_held_then() -> None:
    accepted = load_event("PlanAccepted", OLD)
    assert isinstance(accepted, PlanAccepted) and accepted.workflow is None
    assert dump(accepted) == dump(replace(accepted, workflow=None)), "and its hash stays the same"
    old = stream_kind(TaskId("T-1")).load(dump(task(PlanState(accepted="abc"))))
    assert stepping.workflow_pinned(old) is DEFAULT and stepping.most_attempts(old) == 3


def test_until_a_plan_is_accepted_the_current_workflow_holds_and_then_that_one() -> None:
    accepted = accept(task(), "abc", (), replace(moment(), workflow=lambda _: EAGER))
    assert load_event("PlanAccepted", dump(accepted)) == accepted and accepted.workflow == EAGER
    kept = stream_kind(TaskId("T-1")).load(dump(task(PlanState(accepted="abc", workflow=EAGER))))
    assert stepping.workflow_pinned(kept) == EAGER and stepping.most_attempts(kept) == 6


def test_a_workflow_has_the_same_version_when_it_is_read_again() -> None:
    adapter = shape(Workflow)
    for workflow in load_catalog().workflows.values():
        assert adapter.validate_json(adapter.dump_json(workflow)).hash == workflow.hash


def test_what_was_shown_with_the_plan_is_what_its_approval_pins() -> None:
    """Also where the settings were changed in between."""
    shown = task(PlanState(proposed=EAGER))
    assert accept(shown, "abc", (), replace(moment(), workflow=lambda _: DEFAULT)).workflow == EAGER
    assert accept(task(), "abc", (), replace(moment(), workflow=lambda _: DEFAULT)).workflow == DEFAULT, "an old draft"
