"""The workflow: what its file says, and that nothing in it is written in vain."""

from typing import Any

import pytest

from agents.catalog.library import OBEYED, WORKFLOW, Declared, odd_declared
from agents.catalog.validation import Wrong
from agents.catalog.yaml import Value, read_packaged
from agents.domain.workflow.workflow import DEFAULT, ORDER, Workflow
from store.codec import shape


def read(**changes: dict[str, Value]) -> Workflow:
    data: Any = read_packaged("workflows", "default.yaml").data
    return WORKFLOW.read({**data, "steps": {**data["steps"], **changes}})


def test_the_file_says_what_held_before_there_was_one() -> None:
    assert WORKFLOW.read(read_packaged("workflows", "default.yaml").data) == DEFAULT
    assert tuple(OBEYED) == ORDER == tuple(step.name for step in DEFAULT.steps)


def test_a_change_makes_another_version() -> None:
    other = read(implement={"role": "implementer", "max_retries": 1, "retry_policy": "aggressive"})
    assert other.implement.max_retries == 1 and other.hash != DEFAULT.hash
    assert read() == DEFAULT and read().hash == DEFAULT.hash


def test_what_a_task_keeps_is_written_out_whole() -> None:
    """Nothing in it depends on what a later version of the program takes for granted."""
    adapter = shape(Workflow)
    kept = adapter.serializer.to_json(DEFAULT, exclude_defaults=True)
    assert kept == adapter.dump_json(DEFAULT)
    assert adapter.validate_json(kept) == DEFAULT


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"implement": {"max_retries": 6}}, "steps.implement.max_retries: `6` cannot be used. Write at most 5."),
        ({"implement": {"human_approval": True}}, "steps.implement.human_approval: there is no such setting."),
        ({"review": {"parallel": 3}}, "steps.review.parallel: `3` cannot be used. Write at most 2."),
        ({"plan": {"next": "implement"}}, "`implement` does not follow `plan`. Write `next: plan_review`"),
        ({"commit": {"next": "plan"}}, "steps.commit.next: there is no such setting."),
        (
            {"plan": {"retry_policy": "stubborn"}},
            "there is no retry policy `stubborn`. Write one of default, aggressive",
        ),
        ({"deploy": {}}, "steps.deploy: there is no such setting."),
    ],
)
def test_what_is_not_obeyed_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(Wrong) as wrong:
        read(**changes)
    assert told in str(wrong.value)


@pytest.mark.parametrize(
    ("role", "told"), [("wizard", "there is no role `wizard`"), ("reviewer", "`reviewer` is no implementer")]
)
def test_a_step_has_a_role_of_its_kind(role: str, told: str) -> None:
    odd = list(odd_declared(Declared(workflow=read(implement={"role": role}))))
    assert [(where, what) for where, what, _ in odd] == [(("workflow", "steps", "implement", "role"), told)]
