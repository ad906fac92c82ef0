"""Role files as teams write them elsewhere load as they stand, from overlord.yaml, the user's folder or a pack; in a
project's own folder what chooses or grants is left out."""

from pathlib import Path

import pytest

from agents.catalog.library import Catalog, Declared, load_catalog
from agents.catalog.roles.checking import check_file
from agents.catalog.roles.project_roles import with_project_roles
from agents.domain.checks.evaluation import OnFail
from agents.domain.errors import SettingsProblem
from bot.config.settings_source import load_settings

ROLES = {
    "trader": """
extends: implementer
description: "Trading logic with strict risk adherence"
system_prompt_additions: |
  You are a quantitative developer.
  NEVER remove stop-loss checks.
context:
  always_include: ["config/risk_limits.py", "core/order_execution.py", "libs/risk/**"]
  exclude: ["**/backtest/**"]
allowed_tools:
  - read_file
  - edit_file
  - run_backtest_simulation
gates:
  - name: risk_check
    command: "python -m risk.validate"
    on_fail: block
""",
    "risk_manager": """
extends: reviewer
description: "Validates trading logic against risk rules"
system_prompt_additions: REJECT any code that bypasses circuit breaker checks.
context: {always_include: ["config/risk_limits.py", "core/circuit_breaker.py"]}
gates:
  - name: backtest_risk
    command: "python -m backtest.risk_scenarios"
""",
    "quant_dev": """
extends: implementer
description: "Quantitative strategy development"
context: {always_include: ["libs/strategy/**", "libs/signals/**"]}
""",
    "ui_designer": """
extends: implementer
description: "Frontend UI/UX implementation"
cli: "claude"
context:
  include: ["src/components/**", "src/styles/**", "docs/STANDARDS/UI.md"]
  exclude: ["**/*.test.*", "**/api/**"]
""",
    "etl_architect": """
extends: planner
description: "ETL pipeline design"
context: {always_include: ["dags/**", "models/**", "migrations/**"]}
""",
    "security_auditor": """
extends: reviewer
description: "Security-focused code review"
cli: "claude"  # Best for security reasoning
context: {always_include: ["**/*auth*", "**/*security*", "**/middleware/**", "requirements.txt", "package-lock.json"]}
""",
    "infra_reviewer": """
extends: reviewer
context: {always_include: ["docker-compose*.yml", "Dockerfile*", "k8s/**", ".github/workflows/**"]}
""",
    "test_engineer": """
name: test_engineer
description: "Integration and E2E test specialist"
extends: implementer
cli: "claude"
context:
  include:
    - "$INTERFACE_DEFINITIONS"
    - "$COMPONENT_PUBLIC_API"
    - "tests/conftest.py"
    - "docs/STANDARDS/TESTING.md"
  exclude:
    - "$IMPLEMENTATION_INTERNALS"
gates:
  - name: coverage_check
    command: "pytest --cov --cov-fail-under=70"
    on_fail: retry
config:
  test_types: [integration, e2e, contract]
  min_tests_per_component: 3
""",
}
PERSONAS = """
roles:
  planner:
    cli: "claude"
    flags: ["-p", "--output-format", "json"]
    template: "planning.j2"
    context: {include: ["README.md", "docs/TASKS/**", "docs/ADRs/**"], token_budget: 30000}
    strengths: ["architecture", "edge cases", "refactoring"]
  implementer:
    cli: "claude"
    flags: ["-p", "--output-format", "json"]
    template: "implement.j2"
    context: {include: ["$TARGET", "$TARGET_IMPORTS"], git_diff: true, token_budget: 25000}
  implementer_fast:
    cli: "codex"
    context: {include: ["$TARGET"], token_budget: 15000}
    strengths: ["boilerplate", "single-function tasks"]
  reviewer_gemini:
    cli: "gemini"
    flags: ["-o", "json", "--yolo"]
    template: "review_strict.j2"
    context: {include: ["git diff --cached", "docs/STANDARDS/**"], token_budget: 15000}
"""
FINANCE = """
packs: [finance]
workflow:
  template: enterprise
  overrides:
    implement:
      role: quant_dev
      config: {tdd: true, coverage: 95}
    risk_validation:
      position: after integration_test_gate
      role: risk_manager
      next: security_review
  disable:
    - security_review
"""
TOOL = (
    "tools: {run_backtest_simulation: {command: 'python -m backtest.run {strategy}', arguments: {strategy: string}}}\n"
)


def load(home: Path, settings: str, **roles: str) -> Catalog:
    (home / "overlord.yaml").write_text(settings)
    (home / "roles").mkdir(exist_ok=True)
    for name, text in roles.items():
        (home / "roles" / f"{name}.yaml").write_text(text)
    found = load_settings({"OVERLORD_HOME": str(home), "OVERLORD_CONFIG": str(home / "overlord.yaml")}, cwd=home)
    return load_catalog(found.declared)


def test_role_files_load_from_the_users_folder_as_they_stand(tmp_path: Path) -> None:
    roles = load(tmp_path, TOOL, **ROLES).roles
    assert [tool.name for tool in roles["trader"].tools] == ["run_backtest_simulation"]
    assert {*roles["trader"].allowed_tools} == {"read_file", "edit_file", "ask_human", "task_complete", "task_blocked"}
    assert [(gate.name, gate.on_fail) for gate in roles["trader"].gates] == [("risk-check", OnFail.BLOCK)]
    assert [gate.name for gate in roles["risk_manager"].gates] == ["backtest-risk"]
    assert roles["test_engineer"].engine == roles["ui_designer"].engine == roles["security_auditor"].engine == "claude"
    assert roles["test_engineer"].config["min_tests_per_component"] == 3


def test_personas_with_their_engines_flags_and_templates_load_from_overlord_yaml(tmp_path: Path) -> None:
    roles = load(tmp_path, PERSONAS).roles
    assert (roles["planner"].engine, roles["planner"].template) == ("claude", "planning")
    assert roles["implementer"].flags == ("-p", "--output-format", "json")
    assert "git_diff" in roles["implementer"].context.inputs and roles["reviewer_gemini"].engine == "gemini"


def test_the_overrides_of_a_trading_team_stand_in_the_operators_settings(tmp_path: Path) -> None:
    catalog = load(tmp_path, FINANCE)
    steps = {step.name: step for step in catalog.workflow.steps}
    assert "security_review" not in steps
    assert steps["implement"].role == "quant_dev" and steps["implement"].config["coverage"] == 95
    names = [step.name for step in catalog.workflow.steps]
    assert names[names.index("integration_test_gate") + 1] == "risk_validation"
    assert steps["risk_validation"].type == "review" and catalog.gates_of("risk_manager") == ("backtest-risk",)


def test_without_the_pack_the_advice_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsProblem) as refused:
        load(tmp_path, FINANCE.replace("packs: [finance]", ""))
    assert "there is no role `quant_dev`" in str(refused.value) and "`packs: [finance]`" in str(refused.value)


def test_a_tool_that_nobody_declared_is_refused_with_the_form_to_write() -> None:
    [fault] = check_file("roles/trader.yaml", ROLES["trader"].encode(), Declared())
    assert "`run_backtest_simulation: {command: …, description: …, arguments: {name: string}}`" in fault


@pytest.mark.parametrize("name", ROLES)
def test_in_a_projects_own_folder_what_chooses_or_grants_is_left_out(name: str) -> None:
    catalog, told = with_project_roles(load_catalog(), {f".overlord/roles/{name}.yaml": ROLES[name].encode()})
    refused = {
        "trader": "there is no tool `run_backtest_simulation`",
        "risk_manager": "reviewers take no guidance",
        "ui_designer": "may not choose an engine",
        "security_auditor": "may not choose an engine",
        "test_engineer": "may not choose an engine",
    }
    assert (refused[name] in "\n".join(told)) if name in refused else told == ()
    assert catalog.roles[name].engine == "builtin", "the rest of it holds"
    if name == "trader":
        assert "run_command" not in catalog.roles[name].allowed_tools, "what is narrowed stays narrow"
