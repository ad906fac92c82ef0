"""Templates as other tools write them: they load as they stand, and mean what our own steps mean."""

from dataclasses import replace

import pytest

from agents.catalog.library import Declared, load_catalog, odd_declared
from agents.catalog.project_workflows import with_project
from agents.catalog.roles.role_files import ROLES
from agents.catalog.validation import Wrong
from agents.catalog.workflows import CHOSEN, TEMPLATES
from agents.catalog.yaml import parse_yaml
from agents.domain.workflow.steps import Drafts, StepLevel
from agents.domain.workflow.workflow import Part, Workflow

ENTERPRISE = """
careful_base:
  steps:
    plan: {role: planner, required: true}
    implement: {role: implementer, required: true}
    commit: {type: orchestrator_gate, command: "git commit", required: true}
  hooks: {pre_commit: [lint, type_check]}
careful:
  extends: careful_base
  settings: {parallel_reviews: true, require_tests: true, human_approval: true, security_review: true}
  steps:
    plan: {role: planner, next: plan_review}
    plan_review:
      {role: reviewer_gemini, next: interface_definition, gate: "REVIEW_STATUS: APPROVED", human_approval: true}
    interface_definition:
      {role: tech_lead, next: implement, outputs: [interfaces, dependency_graph], human_approval: true}
    implement:
      role: implementer
      config: {tdd: true, coverage: 90}
      retry_policy: {max_attempts: 3, on_failure: "ask_human"}
      context_scope: "component_only"
      next: unit_test_gate
    unit_test_gate: {type: orchestrator_gate, command: make test-unit, next: integration_tests, on_fail: implement}
    integration_tests: {role: test_engineer, next: integration_test_gate}
    integration_test_gate:
      {type: orchestrator_gate, command: make test-integration, next: security_review, on_fail: implement}
    security_review: {role: security_auditor, next: code_review, gate: "SECURITY_STATUS: PASSED", on_reject: implement}
    code_review:
      parallel: true
      roles: [reviewer_gemini, reviewer_codex]
      next: ci_gate
      gate: "BOTH_APPROVED"
      human_approval: true
      on_reject: implement
    ci_gate: {type: orchestrator_gate, command: make ci-full, next: commit, on_fail: implement}
    commit: {type: orchestrator_gate, human_approval: true}
critical:
  extends: careful
  settings: {dual_review: true, audit_trail: true}
  steps:
    threat_modeling:
      role: security_auditor
      position: after plan_review
      next: interface_definition
      outputs: [threat_model, security_requirements]
    security_review:
      parallel: true
      roles: [security_auditor, security_auditor_external]
      gate: "BOTH_PASSED"
      human_approval: true
    penetration_test:
      role: security_auditor
      position: after integration_test_gate
      config: {test_types: [injection, auth_bypass, data_exposure]}
      next: security_review
quick:
  extends: careful_base
  settings: {parallel_reviews: false, require_tests: false, human_approval: false}
  steps:
    plan: {role: planner, next: implement}
    implement: {role: implementer_fast, config: {tdd: false, skip_edge_cases: true}, next: quick_review}
    quick_review: {role: reviewer_codex, next: commit, gate: structured_json_only, on_reject: implement}
    commit: {type: orchestrator_gate}
community:
  extends: careful_base
  settings: {auto_pr: true, require_changelog: true}
  steps:
    plan: {role: planner, next: implement, outputs: [plan, changelog_entry]}
    implement: {role: implementer, config: {tdd: true, add_docstrings: true}, next: test_gate}
    test_gate: {type: orchestrator_gate, command: make test, next: docs_check}
    docs_check: {type: orchestrator_gate, command: make docs-check, next: create_pr}
    create_pr:
      type: orchestrator_gate
      command: |
        gh pr create \\
          --title "${PR_TITLE}" \\
          --draft
      next: await_review
      outputs: [pr_url]
    await_review: {type: human_gate, description: Waiting for community review}
"""
TEST_ENGINEER = """
steps:
  implement:
    role: implementer
    config: {tdd: true, unit_test_coverage: 80}
    next: unit_test_gate
    outputs: [code, unit_tests]
  unit_test_gate:
    type: orchestrator_gate
    command: pytest tests/unit/
    next: integration_tests
    on_fail: implement
    max_retries: 3
  integration_tests:
    {role: test_engineer, config: {test_types: [integration, contract]}, next: integration_test_gate, outputs: [tests]}
  integration_test_gate:
    {type: orchestrator_gate, command: pytest tests/integration/, next: review, on_fail: implement, max_retries: 2}
disable: [rules_of_old]
"""
FINANCE = """
template: enterprise
overrides:
  implement: {role: quant_dev, config: {tdd: true, coverage: 95}}
  risk_validation: {position: after integration_test_gate, role: risk_manager, next: security_review}
disable: [security_review]
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Workflow]:
    workflows = TEMPLATES.read(parse_yaml(ENTERPRISE, name="overlord.yaml").data)
    return dict(load_catalog(Declared(workflows=workflows)).workflows)


def shape(workflow: Workflow, part: Part) -> list[str]:
    return [step.name for step in workflow.part(part)]


def test_enterprise_loads_as_it_stands(found: dict[str, Workflow]) -> None:
    careful = found["careful"]
    assert shape(careful, Part.OPENING) == [
        *("interface_definition", "rules", "pre_commit_lint", "pre_commit_type_check", "approval", "commit_opening")
    ]
    assert shape(careful, Part.ORDINARY) == [
        *("implement", "implement_rules", "unit_test_gate", "integration_tests", "integration_tests_rules"),
        *("integration_test_gate", "security_review", "code_review", "ci_gate"),
        *("pre_commit_lint_2", "pre_commit_type_check_2", "approval_2", "commit"),
    ]
    assert careful.plan_review.role == "reviewer_gemini" and careful.plan_review.human_approval
    assert careful.implement.max_retries == 2 and careful.implement.context_scope == "component_only"
    assert careful.step("unit_test_gate").config == {"coverage": 90} and careful.step("ci_gate").config == {}
    assert (careful.step("security_review").gate, careful.step("code_review").gate) == (
        *("security.passed", "review.all_approved"),
    )
    assert careful.step("code_review").parallel == 2 and careful.step("commit").type == "join"


def test_what_extends_it_loads_too(found: dict[str, Workflow]) -> None:
    critical = found["critical"]
    assert shape(critical, Part.OPENING)[:4] == [
        *("threat_modeling", "rules", "interface_definition", "interface_definition_rules")
    ]
    assert critical.step("threat_modeling").level is StepLevel.TASK
    both = critical.step("security_review")
    assert both.roles == ("security_auditor", "security_auditor_external") and both.gate == "security.passed"
    attacks = critical.step("penetration_test")
    assert attacks.type == "worker" and attacks.config == {"test_types": ("injection", "auth_bypass", "data_exposure")}
    assert critical.keeps_audit and not found["careful"].keeps_audit


def test_the_quick_one_and_the_one_for_communities_load_too(found: dict[str, Workflow]) -> None:
    assert shape(found["quick"], Part.ORDINARY)[:3] == ["implement", "rules", "quick_review"]
    community = found["community"]
    assert shape(community, Part.CLOSING)[-5:] == ["commit", "changelog", "create_pr", "await_review", "merge"]
    assert community.drafts is Drafts.END and community.step("await_review").level is StepLevel.TASK


def test_a_test_engineer_is_put_into_the_default(found: dict[str, Workflow]) -> None:
    written = TEST_ENGINEER.replace("disable: [rules_of_old]", "disable: [test]")
    workflow = load_catalog(Declared(workflow=CHOSEN.read(parse_yaml(written, name="overlord.yaml").data))).workflow
    assert shape(workflow, Part.ORDINARY) == [
        *("implement", "rules", "unit_test_gate", "integration_tests", "integration_tests_rules"),
        *("integration_test_gate", "review", "commit"),
    ]
    assert workflow.step("unit_test_gate").config == {"coverage": 80}
    engineer = workflow.step("integration_tests").config
    assert engineer["blind"] is True and engineer["files"] == "tests/integration/", "its role may not see internals"


def test_finance_lays_its_own_over_it() -> None:
    roles = {"quant_dev": "implementer", "risk_manager": "implementer"}
    chosen = CHOSEN.read(parse_yaml(FINANCE, name="overlord.yaml").data)
    declared = Declared(workflow=chosen, roles=ROLES.read({n: {"extends": base} for n, base in roles.items()}))
    assert list(odd_declared(declared)) == []
    workflow = load_catalog(declared).workflow
    steps = shape(workflow, Part.ORDINARY)
    assert "security_review" not in steps
    assert steps[steps.index("integration_test_gate") + 1 :][:2] == ["risk_validation", "risk_validation_rules"]
    assert workflow.implement.role == "quant_dev" and workflow.step("unit_test_gate").config["coverage"] == 95


@pytest.mark.parametrize(
    "written",
    [
        "steps: {implement: {retry_policy: {max_attempts: 0}}}",
        "steps: {implement: {retry_policy: {max_attempts: 2, on_failure: merge}}}",
        "steps: {review: {gate: LOOKS_GOOD}}",
        "settings: {auto_pr: false}",
    ],
)
def test_what_has_no_meaning_is_refused(written: str) -> None:
    with pytest.raises(Wrong):
        CHOSEN.read(parse_yaml(written, name="overlord.yaml").data)


SEEDED = """
seeded:
  initial_step: plan
  steps:
    plan: {role: planner, next: plan_review, outputs: [task_breakdown, file_targets]}
    plan_review: {role: reviewer_gemini, next: implement, gate: "REVIEW_STATUS: APPROVED", on_reject: plan}
    implement: {role: implementer, next: test, outputs: [files_modified]}
    test: {gate_type: orchestrator, command: make test, next: review, on_fail: implement, max_retries: 3}
    review:
      {parallel: true, roles: [reviewer_gemini, reviewer_codex], next: ci, gate: BOTH_APPROVED, on_reject: implement}
    ci: {gate_type: orchestrator, command: make ci-local, next: commit, on_fail: implement}
    commit: {gate_type: orchestrator, command: git commit, terminal: true}
"""


def test_gates_of_the_orchestrator_are_gates_that_we_run() -> None:
    workflows = TEMPLATES.read(parse_yaml(SEEDED, name="overlord.yaml").data)
    seeded = load_catalog(Declared(workflows=workflows)).workflows["seeded"]
    assert [(step.name, step.type) for step in seeded.part(Part.ORDINARY)] == [
        *(("implement", "worker"), ("rules", "rules"), ("test", "gate"), ("review", "review")),
        *(("ci", "gate"), ("commit", "join")),
    ]
    assert (seeded.step("test").command, seeded.step("test").max_retries) == ("make test", 3)


def chosen(written: str) -> Workflow:
    return load_catalog(Declared(workflow=CHOSEN.read(parse_yaml(written, name="overlord.yaml").data))).workflow


def test_a_workflow_that_says_how_it_begins_is_laid_over_none() -> None:
    """The same under `workflow:` of overlord.yaml: its `ci` is a step of each subtask, as it says."""
    alone = chosen(SEEDED.replace("\n  ", "\n").replace("\nseeded:", ""))
    assert shape(alone, Part.ORDINARY) == ["implement", "rules", "test", "review", "ci", "commit"]
    assert alone.step("test").command == "make test" and alone.name == "default"


def test_what_a_gate_runs_is_said_anew_by_whoever_comes_later() -> None:
    mine = chosen("overrides: {test: {command: make test}, ci: {command: make ci}}")
    assert [(mine.step(name).command, dict(mine.step(name).config)) for name in ("test", "ci")] == [
        *(("make test", {}), ("make ci", {}))
    ]
    back = {"own": TEMPLATES.read({"own": {"extends": "default", "steps": {"test": {"command": "make test"}}}})["own"]}
    over = CHOSEN.read({"template": "own", "overrides": {"test": {"config": {"check": "tests"}}}})
    found = load_catalog(Declared(workflow=over, workflows=back)).workflow.step("test")
    assert (found.command, dict(found.config)) == ("", {"check": "tests"})


def test_a_check_that_another_takes_the_place_of_is_left_out_and_no_other() -> None:
    engineer = TEST_ENGINEER.replace("disable: [rules_of_old]", "")
    own = TEMPLATES.read({"own": parse_yaml(engineer, name="own.yaml").data})
    found = load_catalog(Declared(workflows=own)).workflows["own"]  # it plans nothing, so it extends the default
    assert shape(found, Part.ORDINARY) == [
        *("implement", "rules", "unit_test_gate", "integration_tests", "integration_tests_rules"),
        *("integration_test_gate", "review", "commit"),
    ]
    for way in ("review: {next: commit}, implement: {next: review}", "implement: {next: review}"):
        late = f"overrides: {{{way}, docs: {{command: make docs, position: after review}}}}"
        declared = Declared(workflow=CHOSEN.read(parse_yaml(late, name="overlord.yaml").data))
        assert any("no step leads to test any more" in what for _, what, _ in odd_declared(declared)), late


BLIND = """
extends: default
steps:
  tests_of_another: {role: test_engineer, position: after test}
  look: {role: security_auditor, position: after tests_of_another}
"""


def test_what_comes_after_a_test_engineer_goes_back_to_whoever_can_mend_it() -> None:
    """The steps say nothing of it: their roles do, in a template as under `workflow:`, and beside a project's own."""
    own = TEMPLATES.read({"own": parse_yaml(BLIND + "hooks: {pre_commit: [lint]}\n", name="own.yaml").data})
    catalog = load_catalog(Declared(workflows=own))
    added = {".overlord/workflows/more.yaml": b"steps: {docs: {type: gate, command: make docs, position: after look}}"}
    for found in (catalog.workflows["own"], with_project("own", added, catalog).workflow):
        engineer = found.step("tests_of_another")
        assert engineer.config["blind"] is True and engineer.config["files"] == "tests/integration/"
        assert found.step("look").type == "review" and found.step("tests_of_another_rules").back == engineer.name
        assert {found.step(name).back for name in ("look", "pre_commit_lint")} == {"implement"}
    assert with_project("own", added, catalog).workflow.step("docs").back == "implement"
    named = own["own"].steps["look"]
    asked = {
        **own,
        "own": replace(own["own"], steps={**own["own"].steps, "look": replace(named, on_reject="tests_of_another")}),
    }
    assert load_catalog(Declared(workflows=asked)).workflows["own"].step("look").back == "tests_of_another"


@pytest.mark.parametrize(
    "written", ["worker", "3", "[orchestrator]", "orchestrator, type: review", "human, type: gate"]
)
def test_a_gate_type_that_says_nothing_or_something_else_is_refused(written: str) -> None:
    with pytest.raises(Wrong, match="gate_type"):
        CHOSEN.read(parse_yaml(f"steps: {{look: {{gate_type: {written}}}}}", name="overlord.yaml").data)


def test_settings_of_a_workflow_reach_its_steps() -> None:
    def steps(written: str) -> Workflow:
        return load_catalog(Declared(workflow=CHOSEN.read(parse_yaml(written, name="overlord.yaml").data))).workflow

    assert "security_review" not in shape(
        steps("{template: enterprise, settings: {security_review: false}}"), Part.ORDINARY
    )
    both = steps("{template: security_critical, settings: {parallel_reviews: false}}")
    assert both.step("security_review").parallel == 2 and both.step("code_review").parallel == 1
