"""Who is asked when a person sends work back: whoever can mend it, never the last one to have added something."""

from dataclasses import replace

import pytest

from agents.catalog.library import load_catalog
from agents.domain.workflow.workflow import Part

FOUND = load_catalog().workflows


@pytest.mark.parametrize(
    ("workflow", "part", "at", "passed", "mender"),
    [
        # a person at the approval, right after the last check passed
        ("enterprise", Part.ORDINARY, "pre_commit_type_check_2", True, "implement"),
        ("enterprise", Part.OPENING, "pre_commit_type_check", True, "interface_definition"),
        ("security_critical", Part.ORDINARY, "penetration_test_gate", False, "implement"),
        # what was refused is the test engineer's own
        ("enterprise", Part.ORDINARY, "integration_tests_rules", False, "integration_tests"),
        # the risk asks for a person where the workflow does not
        ("with_test_engineer", Part.ORDINARY, "review", True, "implement"),
        ("default", Part.ORDINARY, "review", True, "implement"),
        # a minion failed
        ("with_test_engineer", Part.ORDINARY, "integration_tests", False, "integration_tests"),
        # the whole, when its merge is asked for
        ("with_test_engineer", Part.CLOSING, "", False, "implement"),
        ("security_critical", Part.CLOSING, "", False, "implement"),
        ("security_critical", Part.OPENING, "", False, "interface_definition"),
        ("default", Part.CLOSING, "ci", False, "implement"),
    ],
)
def test_the_worker_who_can_mend_it_is_asked(workflow: str, part: Part, at: str, passed: bool, mender: str) -> None:
    assert FOUND[workflow].mender(part, at, passed=passed).name == mender


def test_where_all_only_add_the_last_is_asked() -> None:
    workflow = FOUND["with_test_engineer"]
    steps = tuple(replace(step, config={"files": "tests/"}) if step.role else step for step in workflow.steps)
    assert replace(workflow, steps=steps).mender(Part.ORDINARY, "commit").name == "integration_tests"
