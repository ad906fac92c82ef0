"""Workflows as files: templates, what is laid over them, and that nothing in them is written in vain."""

import re
from pathlib import Path
from typing import Any

import pytest

from agents.catalog.composition import Layer, compose
from agents.catalog.library import Declared, load_catalog, odd_declared
from agents.catalog.validation import Odd, Wrong
from agents.catalog.workflows import CHOSEN, TEMPLATES, WORKFLOW, WorkflowPart
from agents.catalog.yaml import Value, parse_yaml, read_packaged
from agents.domain.workflow.steps import STEP_TYPES, Drafts, StepLevel
from agents.domain.workflow.workflow import DEFAULT, Part, Workflow
from bot.config.settings_source import load_settings
from store.codec import shape

OURS = TEMPLATES.read(read_packaged("workflows").data)


def catalog_with(written: str) -> Workflow:
    return load_catalog(Declared(workflow=CHOSEN.read(parse_yaml(written, name="overlord.yaml").data))).workflow


def odd_with(written: str, **templates: str) -> list[Odd]:
    more: dict[str, Value] = {
        name: {"name": name, **parse_yaml(body, name=name).data} for name, body in templates.items()
    }
    chosen = CHOSEN.read(parse_yaml(written, name="overlord.yaml").data)
    return list(odd_declared(Declared(workflow=chosen, workflows=TEMPLATES.read(more) if more else {})))


def names(workflow: Workflow, part: Part = Part.CLOSING) -> list[str]:
    return [step.name for step in workflow.part(part)]


def test_the_file_says_what_the_program_takes_for_granted() -> None:
    assert load_catalog().workflow == DEFAULT


def test_what_a_task_keeps_is_written_out_whole() -> None:
    """Nothing in it depends on what a later version of the program takes for granted."""
    adapter = shape(Workflow)
    for workflow in load_catalog().workflows.values():
        kept = adapter.serializer.to_json(workflow, exclude_defaults=True)
        assert kept == adapter.dump_json(workflow)
        assert adapter.validate_json(kept) == workflow


def test_every_template_has_the_steps_that_keep_people_safe() -> None:
    found = load_catalog().workflows
    family = {"enterprise", "security_critical", "with_test_engineer"}
    assert set(found) == {"default", "mvp", "open_source", *family}
    for workflow in found.values():
        kinds = [step.type for step in workflow.steps]
        assert kinds[:2] == ["plan", "plan_review"] and kinds[-1] == "merge"
        assert {kind.name for kind in STEP_TYPES.values() if kind.fixed} <= set(kinds)
        for worker, after in zip(workflow.steps, workflow.steps[1:], strict=False):
            assert worker.type != "worker" or after.type == "rules"


def test_what_a_template_extends_is_under_it() -> None:
    mvp = load_catalog().workflows["mvp"]
    body = ["implement", "rules", "test", "quick_review", "pre_commit_lint", "pre_commit_type_check", "commit"]
    assert names(mvp, Part.ORDINARY) == body and names(mvp) == [*body, "pull", "merge"]
    assert not mvp.require_tests and mvp.implement.config == {"tdd": False, "skip_edge_cases": True}
    open_source = load_catalog().workflows["open_source"]
    assert names(open_source)[-6:] == ["commit", "changelog", "ci", "create_pr", "await_review", "merge"]
    assert (open_source.drafts, open_source.waits_for_forge) == (Drafts.END, True)
    assert {load_catalog().workflows[name].drafts for name in ("default", "mvp")} == {Drafts.NONE}
    assert {step.level for step in open_source.part(Part.ORDINARY)} == {StepLevel.SUBTASK}


def test_a_team_overrides_adds_and_disables() -> None:
    workflow = catalog_with("""
template: default
overrides:
  implement: {max_retries: 1, config: {tdd: true}}
  review: {parallel: true, human_approval: true}
  docs: {command: make docs, position: after test}
  threats: {type: review, role: reviewer, level: task, gate: security.passed, position: after commit}
disable: [ci]
""")
    assert names(workflow) == [
        *("implement", "rules", "test", "docs", "review", "approval", "commit", "threats", "pull", "merge")
    ]
    assert (workflow.implement.max_retries, workflow.implement.config) == (1, {"tdd": True})
    assert workflow.review.parallel == 2 and workflow.step("approval").type == "human"
    docs = workflow.step("docs")
    assert (docs.type, docs.back, docs.max_retries) == ("gate", "implement", 1), "as often as its worker may try"
    assert workflow.step("threats").gate == "security.passed" and workflow.hash != DEFAULT.hash


def test_the_old_way_of_writing_it_still_counts() -> None:
    assert catalog_with("steps: {implement: {max_retries: 1}}").implement.max_retries == 1


def test_no_extra_approvals_means_none() -> None:
    written = "settings: {human_approval: false}\noverrides: {review: {human_approval: true}}"
    assert [step.type for step in catalog_with(written).steps] == [step.type for step in DEFAULT.steps]


def test_a_step_that_is_disabled_leaves_no_gap() -> None:
    """As the seed has it: the step that replaces another names it as its next one, and the other is disabled."""
    workflow = catalog_with("""
overrides:
  risk_validation: {type: review, role: reviewer, position: after test, next: review}
disable: [review, ci]
""")
    assert names(workflow) == ["implement", "rules", "test", "risk_validation", "commit", "pull", "merge"]


BROKEN: list[tuple[str, str]] = [
    ("template: enterprize", "workflow.template: there is no workflow `enterprize`"),
    ("template: _base", "workflow.template: `_base` is only there to be extended"),
    ("overrides: {deploy: {}}", "workflow.overrides.deploy: nobody knows what it does. Add `type:`"),
    ("overrides: {deploy: {command: make}}", "workflow.overrides.deploy: nobody knows where it belongs. Add `position"),
    (
        "overrides: {deploy: {command: make, position: after tests}}",
        "workflow.overrides.deploy.position: there is no step `tests`. Did you mean `test`?",
    ),
    ("overrides: {implement: {next: comit}}", "workflow.overrides.implement.next: there is no step `comit`. Did you"),
    (
        "overrides: {implement: {next: commit}}",
        "workflow.overrides.implement.next: no step leads to test, review any more. Name one",
    ),
    ("overrides: {review: {next: implement}}", "the steps go in a circle: plan → plan_review → implement"),
    ("overrides: {test: {role: tester}}", "overrides.test.role: nothing obeys `role` on a step of type gate. Remove"),
    ("overrides: {commit: {max_retries: 1}}", "overrides.commit.max_retries: nothing obeys `max_retries` on a step"),
    ("overrides: {pull: {human_approval: true}}", "overrides.pull.human_approval: nothing obeys `human_approval`"),
    ("overrides: {implement: {on_fail: plan}}", "overrides.implement.on_fail: nothing obeys `on_fail` on a step of"),
    ("overrides: {test: {on_fail: review}}", "overrides.test.on_fail: `review` is no worker before it. Write one of"),
    ("overrides: {test: {on_fail: plan}}", "overrides.test.on_fail: `plan` is no worker before it. Write one of impl"),
    ("overrides: {test: {on_reject: implement}}", "overrides.test.on_reject: nothing obeys `on_reject` on a step of"),
    (
        "overrides: {test: {command: make test, config: {check: tests}}}",
        "a gate runs one command or one check. Write `command:`, or",
    ),
    ("overrides: {test: {config: {check: project, covrage: 3}}}", "config.covrage: a step of type gate has no such"),
    ("overrides: {test: {config: {coverage: high}}}", "config.coverage: `high` cannot be used. Write a whole number."),
    ("overrides: {pull: {config: {draft: soon}}}", "config.draft: `soon` cannot be used. Write none or early or end."),
    (
        "overrides: {test: {config: {remote: true}}}",
        "config.remote: the forge's checks are of everything together. Put",
    ),
    ("overrides: {ci: {config: {remote: always}}}", "config.remote: `always` cannot be used. Write true or false."),
    (
        "overrides: {late: {type: gate, level: task, command: make late, position: after pull}}",
        "what was handed over is not checked any more. Put this step before the pull step.",
    ),
    ("overrides: {implement: {config: {tdd: 1}}}", "config.tdd: `1` cannot be used. Write true or false."),
    ("overrides: {implement: {role: wizard}}", "workflow.overrides.implement.role: there is no role `wizard`."),
    ("overrides: {implement: {role: reviewer}}", "workflow.overrides.implement.role: `reviewer` is no implementer."),
    ("overrides: {implement: {context_scope: all}}", "implement.context_scope: there is no context `all`."),
    (
        "overrides: {implement: {context_scope: reviewer_diff}}",
        "implement.context_scope: `reviewer_diff` gathers `plan`, which no implementer reads. Name one whose inputs",
    ),
    ("overrides: {review: {context_scope: planner_docset}}", "review.context_scope: `planner_docset` gathers `files`"),
    (
        "overrides: {implement: {outputs: [design]}, review: {outputs: [look, design]}}",
        "review.outputs: `design` is what `implement` hands in already. Give it another name.",
    ),
    ("overrides: {second: {type: plan, role: planner, position: after test}}", "there are two steps of type plan"),
    ("overrides: {second: {type: merge, position: after test}}", "there are two steps of type merge. Keep one"),
    (
        "overrides: {look: {type: human, level: task, position: after test}}",
        "stands between steps of subtasks. Move it",
    ),
    ("overrides: {again: {type: join, position: after test}}", "must end by joining the work, once"),
    ("overrides: {after: {type: human, level: task, position: after merge}}", "nothing comes after the merge"),
    ("overrides: {first: {type: human, level: task, position: after plan}}", "the plan is reviewed before anything"),
    (
        "overrides: {look: {type: human, position: after test}}",
        "a person looks at what passed all checks. Put it right",
    ),
    ("overrides: {merge: {terminal: true, next: pull}}", "a terminal step has nothing after it. Remove `next`"),
    ("disable: [rules]", "workflow.disable[0]: `rules` keeps people safe and is always there. Remove it"),
    ("disable: [tests]", "workflow.disable[0]: there is no step `tests`. Did you mean `test`?"),
    ("template: mvp\ndisable: [implement]", "workflow.disable[0]: `implement` is required. Remove it from the list."),
    ("disable: [implement]", "nobody works on a subtask. Add a step such as `implement`"),
    ("initial_step: review", "workflow.initial_step: `review` is no plan. Begin with a step of type plan."),
    ("initial_step: begin", "workflow.initial_step: there is no step `begin`."),
]


@pytest.mark.parametrize(("written", "told"), BROKEN)
def test_a_workflow_that_cannot_be_run_is_refused_with_its_place_and_advice(written: str, told: str) -> None:
    said = [f"{_dotted(where)}: {what}. {step}" for where, what, step in odd_with(written)]
    assert any(told in each for each in said), said


def _dotted(where: tuple[str | int, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).lstrip(".")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("steps: {implement: {max_retries: 6}}", "steps.implement.max_retries: `6` cannot be used. Write at most 5."),
        ("steps: {review: {parallel: 3}}", "steps.review.parallel: `3` cannot be used. Write at most 2."),
        ("steps: {test: {type: gait}}", "steps.test.type: there is no step type `gait`. Did you mean `gate`?"),
        (
            "steps: {test: {postion: after plan}}",
            "steps.test.postion: there is no such setting. Did you mean `position`",
        ),
        ("steps: {test: {position: beside plan}}", "`beside plan` is no place. Write `after` or `before` and the name"),
        ("steps: {review: {gate: ALL_GOOD}}", "`ALL_GOOD` is no gate of a review. Write one of review.all_approved"),
        ("settings: {unheard_of: true}", "settings.unheard_of: there is no such setting."),
        ("hooks: {post_commit: [lint]}", "hooks.post_commit: there is no such setting. Did you mean `pre_commit`?"),
    ],
)
def test_what_is_not_known_is_refused(written: str, told: str) -> None:
    with pytest.raises(Wrong) as wrong:
        CHOSEN.read(parse_yaml(written, name="overlord.yaml").data)
    assert told in str(wrong.value)


def test_templates_that_extend_each_other_are_told_once() -> None:
    odd = odd_with("template: default", one="extends: two", two="extends: one")
    assert any("it goes in a circle: one → two → one" in what for _, what, _ in odd)


NARROW: list[tuple[str, str]] = [
    ("extends: mvp", "a project's own file may not say this"),
    ("disable: [review]", "a project's own file may not disable a step"),
    ("steps: {pull: {config: {draft: early}}}", "a project's own file may only add steps and tighten those that are"),
    (
        "steps: {more: {type: gate, level: task, position: after commit, config: {check: ci, remote: true}}}",
        "a project's own file may not have work pushed before it is finished",
    ),
    ("settings: {require_tests: false}", "a project's own file may not say this"),
    ("steps: {implement: {role: reviewer}}", "may only add steps and tighten those that are there"),
    ("steps: {implement: {max_retries: 5}}", "may only add steps and tighten those that are there"),
    ("steps: {review: {on_reject: implement}}", "may only add steps and tighten those that are there"),
]


@pytest.mark.parametrize(("written", "told"), NARROW)
def test_a_projects_own_file_takes_nothing_away(written: str, told: str) -> None:
    _, odd = compose("default", OURS, [_narrow(written)])
    assert any(told in what for _, what, _ in odd), odd


def test_a_projects_own_file_adds_and_tightens() -> None:
    written = (
        "steps:\n"
        "  review: {parallel: 2, human_approval: true, max_retries: 1}\n"
        "  schema: {command: make schema, position: after test}\n"
        "  test: {config: {coverage: 90}}\n"
    )
    workflow, odd = compose("default", OURS, [_narrow(written)])
    assert not odd and workflow is not None
    assert "schema" in names(workflow) and "approval" in names(workflow)
    assert workflow.step("test").config == {"check": "project", "coverage": 90}


def _narrow(written: str) -> Layer:
    part: WorkflowPart = WORKFLOW.read(parse_yaml(written, name="w.yaml").data)
    return Layer(where=("w",), part=part, narrows=True)


def test_files_that_come_with_the_program_are_named_as_they_call_themselves() -> None:
    data: dict[str, Any] = read_packaged("workflows").data
    assert all(body["name"] == name for name, body in data.items()), Path(read_packaged("workflows").name)


PAGE = (Path(__file__).parents[2] / "docs/workflows.md").read_text()
SHOWN = [block.partition("```")[0] for block in PAGE.split("```yaml\n")[1:]]


@pytest.mark.parametrize("shown", SHOWN)
def test_what_the_page_shows_can_be_written(shown: str, tmp_path: Path) -> None:
    (tmp_path / "src/shop").mkdir(parents=True)
    (tmp_path / "overlord.yaml").write_text(shown)
    environ = {"HOME": str(tmp_path), "OVERLORD_CONFIG": "overlord.yaml"}
    catalog = load_catalog(load_settings(environ, cwd=tmp_path).declared)
    assert {"default", "mvp", "open_source"} <= set(catalog.workflows)


def test_the_page_names_every_type_with_what_it_obeys() -> None:
    rows = [
        line.strip("| ").split(" | ") for line in PAGE.partition("## Types of steps")[2].splitlines() if "|" in line
    ]
    told = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[2])) if len(row) > 2 else set() for row in rows[2:]}
    obeyed = {
        kind.name: kind.obeys | set(kind.config) | ({kind.back} if kind.back else set()) for kind in STEP_TYPES.values()
    }
    assert {name: words - {"config"} for name, words in told.items()} == obeyed
