"""A project's own workflow files: they add and tighten; what else they say is left out, and told with its line."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from agents.catalog.library import Catalog, Declared, load_catalog
from agents.catalog.project_workflows import MOST_FILES, with_project
from agents.catalog.workflows import TEMPLATES, ChosenWorkflow
from agents.catalog.yaml import Value, write_yaml
from agents.domain.workflow.steps import STEP_TYPES
from agents.domain.workflow.workflow import Resolved, Workflow

CATALOG = load_catalog()


def narrowed(written: str, name: str = "default", file: str = "ours.yaml", catalog: Catalog = CATALOG) -> Resolved:
    return with_project(name, {f".overlord/workflows/{file}": written.encode()}, catalog)


def names(workflow: Workflow) -> list[str]:
    return [step.name for step in workflow.steps]


def test_a_project_adds_gates_and_hooks_and_asks_for_more() -> None:
    found = narrowed(
        """
        steps:
          licences: {type: gate, command: make licences, position: after test}
          review: {parallel: 2, human_approval: true}
          test: {max_retries: 0, config: {coverage: 90}}
          plan_review: {human_approval: true}
        hooks: {pre_commit: [lint]}
        """
    )
    assert found.left_out == ()
    added = ["licences", "review", "pre_commit_lint", "approval", "commit"]
    assert names(found.workflow)[5:10] == added and found.workflow.name == "default"
    assert found.workflow.step("review").parallel == 2 and found.workflow.step("test").max_retries == 0
    assert found.workflow.step("test").config == {"check": "project", "coverage": 90}
    assert found.workflow.plan_review.human_approval


REFUSED = [
    ("template: mvp", 1, "Choose the workflow in overlord.yaml, or say it with the request."),
    ("extends: mvp", 1, "Choose the workflow in overlord.yaml, or say it with the request."),
    ("on_request: [mvp]", 1, "Write it under `workflow:` in overlord.yaml."),
    ("initial_step: implement", 1, "every workflow begins with the plan"),
    ("disable: [ci]", 1, "Ask whoever runs Overlord to disable it."),
    ("settings: {require_tests: false}", 1, "write it in overlord.yaml"),
    ("settings:\n  human_approval: false", 2, "write it in overlord.yaml"),
    ("steps:\n  implement: {max_retries: 5}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  implement: {role: implementer_fast}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  implement: {retry_policy: default}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  test: {config: {check: tests}}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  test: {type: review}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  merge: {terminal: true}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("overrides:\n  review: {gate: security.passed, next: merge}", 2, "Write it under `workflow:` in overlord.yaml"),
    ("steps:\n  skip: {type: gate, command: x, position: after implement, next: commit}", 2, "Use `position` alone."),
    ("steps:\n  skip: {type: gate, command: x, position: after implement, terminal: true}", 2, "Use `position` alone."),
    ("steps:\n  late: {type: worker, role: implementer, position: after review}", 2, "it may stand in overlord.yaml"),
    ("steps:\n  more: {type: worker, role: nobody, position: after implement}", 2, "there is no role `nobody`"),
    ("steps:\n  more: {type: gate, command: x, position: after tset}", 2, "Did you mean `test`?"),
    ("steps:\n  more: {type: merge, position: after test}", 2, "`more` is"),
    ("steps: [test]", 1, "Write `name: value` lines, indented."),
    ("steps: {", 2, "Fix the line"),
]


@pytest.mark.parametrize(("written", "line", "told"), REFUSED)
def test_what_it_may_not_say_is_left_out_with_its_line_and_place(written: str, line: int, told: str) -> None:
    found = narrowed(f"{written}\n")
    assert found.workflow == CATALOG.workflows["default"], "nothing of it holds"
    assert any(f"ours.yaml line {line}" in each and told in each for each in found.left_out), found.left_out


def test_what_is_wrong_with_one_part_leaves_the_others() -> None:
    found = narrowed(
        "disable: [review]\nsteps:\n  licences: {type: gate, command: make licences, position: after test}\n"
        "  implement: {max_retries: 9, human_approval: true}\n  odd: {type: gat, position: after test}\n"
    )
    assert {"licences", "approval", "review"} <= set(names(found.workflow)) and "odd" not in names(found.workflow)
    assert [each.split(", ")[0][-1] for each in found.left_out] == ["4", "5", "1"], found.left_out


def test_a_file_named_after_a_workflow_is_about_that_one() -> None:
    gate = "steps: {licences: {type: gate, command: make licences, position: after test}}\n"
    assert "licences" not in names(narrowed(gate, "default", "mvp.yaml").workflow)
    assert "licences" in names(narrowed(gate, "mvp", "mvp.yaml").workflow)
    assert "licences" in names(narrowed(gate, "open_source").workflow)


def test_files_are_laid_over_each_other_and_one_cannot_loosen_what_another_asks() -> None:
    files = {
        ".overlord/workflows/a.yaml": b"steps: {review: {parallel: 2}}\n",
        ".overlord/workflows/b.yaml": b"steps: {review: {parallel: 1, human_approval: true}}\n",
        ".overlord/workflows/c.txt": b"steps: {}\n",
    }
    found = with_project("default", files, CATALOG)
    assert found.workflow.step("review").parallel == 2 and "approval" in names(found.workflow)
    [told] = found.left_out
    assert told.startswith(".overlord/workflows/b.yaml line 1, steps.review.parallel")
    many = {f"{number}.yaml": b"" for number in range(MOST_FILES + 1)}
    assert "only 10 files are read" in with_project("default", many, CATALOG).left_out[0]


def test_it_is_laid_over_what_the_operator_chose() -> None:
    own = TEMPLATES.read({"careful": {"extends": "default", "steps": {"review": {"parallel": 2}}}})
    catalog = load_catalog(Declared(workflow=ChosenWorkflow(template="careful", disable=("ci",)), workflows=own))
    found = narrowed("steps: {review: {parallel: 1}, test: {max_retries: 0}}\n", "careful", catalog=catalog)
    assert "ci" not in names(found.workflow) and found.workflow.step("review").parallel == 2
    assert found.workflow.step("test").max_retries == 0 and len(found.left_out) == 1


@pytest.mark.parametrize("step", ["plan_review", "rules", "commit", "pull", "merge"])
def test_a_step_that_every_workflow_has_cannot_be_replaced_where_no_template_names_it(step: str) -> None:
    found = narrowed(f"steps: {{{step}: {{position: after implement, role: implementer}}}}\n", "mvp")
    assert found.workflow == CATALOG.workflows["mvp"] and len(found.left_out) == 2


ATTRIBUTES: dict[str, Any] = {
    "type": st.sampled_from([*STEP_TYPES, "gat"]),
    "position": st.sampled_from(["after implement", "after test", "before review", "before merge", "after nowhere", 1]),
    "next": st.sampled_from(["merge", "commit", "test", "nowhere"]),
    "terminal": st.booleans(),
    "level": st.sampled_from(["task", "subtask", "all"]),
    "required": st.booleans(),
    "role": st.sampled_from(["implementer", "reviewer", "nobody"]),
    "parallel": st.integers(0, 3),
    "command": st.sampled_from(["make", ""]),
    "config": st.fixed_dictionaries({}, optional={"check": st.just("tests"), "coverage": st.integers(0, 100)}),
    "gate": st.sampled_from(["review.all_approved", "security.passed", "x"]),
    "on_fail": st.just("implement"),
    "on_reject": st.just("implement"),
    "max_retries": st.integers(-1, 6),
    "human_approval": st.booleans(),
    "retry_policy": st.sampled_from(["default", "never"]),
}
FILE = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.dictionaries(
            st.sampled_from(
                ["plan_review", "implement", "rules", "test", "review", "commit", "ci", "merge", "one", "two"]
            ),
            st.fixed_dictionaries({}, optional=ATTRIBUTES),
            max_size=4,
        ),
        "disable": st.lists(st.sampled_from(["rules", "test", "review", "merge", "nowhere"]), max_size=2),
        "hooks": st.fixed_dictionaries({"pre_commit": st.lists(st.sampled_from(["lint", "no"]), max_size=2)}),
        "settings": st.dictionaries(st.sampled_from(["require_tests", "human_approval"]), st.booleans(), max_size=2),
        "template": st.just("mvp"),
        "extends": st.sampled_from(["mvp", "default"]),
    },
)


@settings(max_examples=150, deadline=None)
@given(FILE, st.sampled_from(("default", "mvp", "open_source")))
def test_whatever_a_project_writes_nothing_of_the_operators_is_lost_or_weaker(
    file: dict[str, Value], name: str
) -> None:
    before = CATALOG.workflows[name]
    after = narrowed(write_yaml(file) if file else "", name).workflow
    kept = [step for step in after.steps if step.name in names(before)]
    assert [step.name for step in kept] == names(before), "every step, in its order"
    for old, new in zip(before.steps, kept, strict=True):
        same = ("type", "level", "roles", "command", "gate", "retry_policy", "context_scope", "required", "outputs")
        assert all(getattr(old, each) == getattr(new, each) for each in same)
        assert new.parallel >= old.parallel and new.max_retries <= old.max_retries
        assert new.human_approval >= old.human_approval and old.config.items() <= {**new.config}.items()
    assert after.require_tests >= before.require_tests
    added = [step for step in after.steps if step.name not in names(before)]
    first_check = next(at for at, step in enumerate(after.steps) if step.type in ("gate", "review"))
    assert all(after.steps.index(step) < first_check for step in added if step.type == "worker")
