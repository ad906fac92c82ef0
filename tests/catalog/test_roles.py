"""Roles: what they inherit, what they may take away, and what they may never add (attack 67)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.catalog.library import Catalog, Declared, load_catalog, odd_declared
from agents.catalog.roles.context_files import CONTEXT, CONTEXTS
from agents.catalog.roles.role_files import ROLES
from agents.catalog.validation import Wrong
from agents.catalog.yaml import Value, read_packaged
from agents.domain.checks.evaluation import OnFail
from agents.domain.context.packing import MAX_BUDGET
from agents.domain.context.strategy import MEASURES, Input, Strategy
from agents.domain.context.variables import VARIABLES
from agents.domain.errors import SettingsProblem
from agents.domain.workflow.roles import GATHERED, Base, RolePart, ToolName
from agents.minions.engines.builtin.tools import TOOLS
from bot.config.settings_source import load_settings

OURS = load_catalog()
GATE = {"name": "types", "command": "mypy ."}


def with_roles(**roles: dict[str, Any]) -> Catalog:
    return load_catalog(Declared(roles=ROLES.read({**roles})))


def wrong(**roles: dict[str, Any]) -> list[str]:
    return [
        f"{'.'.join(map(str, where))}: {what}. {step}"
        for where, what, step in odd_declared(Declared(roles=ROLES.read({**roles})))
    ]


def test_the_roles_that_come_with_the_program() -> None:
    """Their names are their files'."""
    budgets = {name: role.context.budget for name, role in OURS.roles.items()}
    assert budgets == {
        "planner": 30_000,
        "implementer": 25_000,
        "implementer_fast": 15_000,
        "reviewer": 15_000,
        "ui_designer": 20_000,
        "tech_lead": 25_000,
        "test_engineer": 25_000,
        "reviewer_gemini": 15_000,
        "reviewer_codex": 15_000,
        "investigator": 50_000,
        "security_auditor": 25_000,
        "security_auditor_external": 25_000,
    }
    assert {name for name, role in OURS.roles.items() if not role.extends} == set(Base) == set(GATHERED)
    assert OURS.roles["implementer_fast"].base is Base.IMPLEMENTER


def test_every_tool_has_a_name_that_roles_may_use() -> None:
    assert tuple(TOOLS) == tuple(ToolName) == OURS.roles["implementer"].allowed_tools
    assert OURS.roles["planner"].allowed_tools == OURS.roles["reviewer"].allowed_tools == ()


def test_what_is_written_is_laid_over_what_is_extended() -> None:
    """One value replaces, lists are appended, a context is merged, words follow each other."""
    roles = with_roles(
        careful={
            "extends": "ui_designer",
            "description": "Slow and sure.",
            "system_prompt_additions": "Look twice.",
            "context": {"always_include": ["docs/*.md"], "exclude": ["vendor/**"]},
            "allowed_tools": ["task_complete", "task_blocked", "read_file"],
            "gates": [GATE],
            "strengths": ["patience"],
        },
        slower={"extends": "careful", "gates": [{**GATE, "name": "docs", "on_fail": "block"}]},
    ).roles
    careful, parent, slower = roles["careful"], OURS.roles["ui_designer"], roles["slower"]
    assert careful.description == slower.description == "Slow and sure."
    assert careful.additions == f"{parent.additions}\n\nLook twice."
    assert careful.context.budget == 20_000 and careful.context.name == "implementer_targeted"
    assert careful.context.always_include == (*parent.context.always_include, "docs/*.md")
    assert careful.context.exclude == ("vendor/**",)
    assert careful.allowed_tools == ("read_file", "ask_human", "task_complete", "task_blocked"), "in the usual order"
    assert careful.strengths == (*parent.strengths, "patience")
    assert [(gate.name, gate.on_fail) for gate in slower.gates] == [("types", OnFail.RETRY), ("docs", OnFail.BLOCK)]
    assert (slower.extends, slower.base, slower.source) == ("careful", Base.IMPLEMENTER, "overlord.yaml")


def test_a_role_that_is_there_can_be_changed_for_all_who_extend_it() -> None:
    roles = with_roles(implementer={"context": {"token_budget": 12_000}}, mine={"extends": "implementer"}).roles
    assert roles["implementer"].context.budget == roles["mine"].context.budget == 12_000
    assert (roles["implementer"].extends, roles["implementer"].source) == ("", "overlord.yaml")
    few = ["read_file", "task_complete", "task_blocked"]
    roles = with_roles(implementer={"allowed_tools": few, "system_prompt_additions": "Only look."}).roles
    for name in ("implementer", "implementer_fast", "ui_designer"):
        assert {*roles[name].allowed_tools} == {*few, "ask_human"} and "Only look." in roles[name].additions
    assert (roles["ui_designer"].context.budget, roles["ui_designer"].source) == (20_000, "")
    assert OURS.roles["implementer"].context.budget == 25_000


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        (
            {"a": {"extends": "b"}, "b": {"extends": "c"}, "c": {"extends": "a"}},
            "it goes in a circle: a → b → c → a. End it at a base role.",
        ),
        ({"a": {"extends": "a"}}, "roles.a.extends: it goes in a circle: a → a."),
        ({"implementer": {"extends": "ui_designer"}}, "roles.implementer.extends: `implementer` is there already."),
        ({"a": {}}, "roles.a.extends: it extends no role. Write `extends:` with one of planner, implementer, reviewer"),
        ({"a": {"extends": "wizard"}}, "roles.a.extends: there is no role `wizard`. Known: implementer"),
        (
            {"reviewer": {"extends": "implementer"}},
            "roles.reviewer.extends: `reviewer` is there already. Leave `extends` out",
        ),
        (
            {"reviewer": {"allowed_tools": ["run_command"]}},
            "roles.reviewer.allowed_tools: `run_command` is not among the tools of `reviewer`. A role may have fewer",
        ),
        (
            {
                "narrow": {"extends": "implementer", "allowed_tools": ["task_complete", "task_blocked"]},
                "wide": {"extends": "narrow", "allowed_tools": ["task_complete", "task_blocked", "run_command"]},
            },
            "roles.wide.allowed_tools: `run_command` is not among the tools of `narrow`.",
        ),
        (
            {
                "a": {"extends": "implementer", "gates": [GATE]},
                "b": {"extends": "a", "gates": [{**GATE, "command": "x"}]},
            },
            "roles.b.gates: `a` has a gate `types` already.",
        ),
        ({"a": {"extends": "planner", "gates": [GATE]}}, "roles.a.gates: no planner hands in work."),
        (
            {"a": {"extends": "reviewer", "context": {"strategy": "implementer_targeted"}}},
            "roles.a.context.strategy: `implementer_targeted` gathers `targets`, which no reviewer reads.",
        ),
        (
            {"a": {"extends": "implementer", "context": {"strategy": "all_of_it"}}},
            "roles.a.context.strategy: there is no strategy `all_of_it`. Known: component_only, implementer_targeted",
        ),
    ],
)
def test_what_does_not_fit_together_is_told_and_stops_the_start(roles: dict[str, Any], told: str) -> None:
    assert [line for line in wrong(**roles) if told in line]
    with pytest.raises(SettingsProblem):
        with_roles(**roles)


def test_what_extends_a_broken_role_does_not_repeat_what_is_wrong() -> None:
    assert len(wrong(a={"extends": "wizard"}, b={"extends": "a"}, c={"extends": "b"})) == 1


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"context": {"always_include": ["**/.env"]}}, "always_include.0: `**/.env` may hold secrets, and those are"),
        ({"context": {"always_include": ["deploy/*.pem"]}}, "may hold secrets"),
        ({"context": {"always_include": ["../other/**"]}}, "matches no path"),
        ({"context": {"included": ["docs/**"]}}, "context.included: there is no such setting. Did you mean `include`?"),
        ({"context": {"token_budget": 60_000}}, "Write at most 50000."),
        ({"cli": "copilot"}, "cli: `copilot` cannot be used. Write one of `builtin`, `claude`, `codex` or `gemini`."),
        ({"cli": "claude", "engine": "codex"}, "`cli` and `engine` are the same and name two. Write `engine` alone."),
        ({"gates": [{**GATE, "name": "tests"}]}, "`tests` is a gate that is there already"),
        ({"system_prompt_additions": "x" * 4_001}, "it has 4001 characters. Write at most 4000."),
    ],
)
def test_what_cannot_be_read_is_told(written: dict[str, Any], told: str) -> None:
    with pytest.raises(Wrong) as problem:
        ROLES.read({"mine": {"extends": "implementer", **written}})
    assert told in str(problem.value)


def test_an_engine_of_who_plans_or_reviews_is_asked_as_a_model_and_one_of_minions_is_not() -> None:
    catalog = with_roles(
        planner={"engine": "claude", "model": "claude-opus-5"},
        reviewer_codex={"engine": "codex"},
        implementer={"engine": "gemini", "model": "gemini-flash-latest"},
    )
    assert catalog.model_of("planner") == "claude-cli/claude-opus-5"
    assert catalog.model_of("reviewer_codex") == "codex-cli", "its model was the name of a question, not of a model"
    assert {"claude-cli/claude-opus-5": "planner", "codex-cli": "reviewer_codex"}.items() <= catalog.models.items()
    assert not any("gemini-flash" in model for model in catalog.models)


def test_a_role_that_is_gone_says_how_to_bring_it_back() -> None:
    with pytest.raises(SettingsProblem, match="There is no role `careful` any more") as gone:
        OURS.role("careful")
    assert "under `roles:` in overlord.yaml" in gone.value.next_step


def test_what_the_page_shows_can_be_written(tmp_path: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    roles, contexts = (
        [block.partition("```")[0] for block in (docs / name).read_text().split("```yaml\n")[1:]]
        for name in ("roles.md", "contexts.md")
    )

    def written(text: str) -> Catalog:
        (tmp_path / "overlord.yaml").write_text(text)
        environment = {"HOME": str(tmp_path), "OVERLORD_CONFIG": "overlord.yaml"}
        return load_catalog(load_settings(environment, cwd=tmp_path).declared)

    catalog = written("".join(roles) + contexts[0])
    assert catalog.role(catalog.workflow.implement.role).context.budget == 30_000
    assert catalog.roles["implementer"].context.inputs.keys() == OURS.roles["implementer"].context.inputs.keys() - {
        "readme"
    }
    for other in contexts[1:]:
        assert written(other).roles["implementer"].context.budget == 25_000


OUR_CONTEXTS = CONTEXTS.read(read_packaged("contexts").data)
SMALL: dict[str, Value] = {"token_budget": 9_000, "priority_order": ["task", "target"], "inputs": {"targets": 3}}


def test_the_budgets_are_those_of_the_specification() -> None:
    budgets = {name: each.token_budget for name, each in OUR_CONTEXTS.items()}
    assert budgets == {
        "planner_docset": 30_000,
        "implementer_targeted": 25_000,
        "reviewer_diff": 15_000,
        "security_audit": 25_000,
        "investigator_wide": 50_000,
        "component_only": 25_000,
    }


def test_every_input_is_used_and_has_a_measure() -> None:
    named = {name for each in OUR_CONTEXTS.values() for name in each.inputs} | {*VARIABLES.values()}
    assert named == set(Input) == set(MEASURES)


def test_whatever_a_strategy_says_a_call_has_its_ceiling() -> None:
    assert Strategy(name="x").budget == 20_000
    assert Strategy(name="x", token_budget=10**9).budget == MAX_BUDGET == 50_000


def test_a_planner_is_shown_names_as_far_as_its_budget_reaches() -> None:
    whole = OUR_CONTEXTS["planner_docset"]
    assert whole.files_room == 60_000
    assert Strategy(name="x", token_budget=10_000, inputs=whole.inputs).files_room == 10_000
    assert Strategy(name="x", token_budget=1_000, inputs=whole.inputs).files_room == 0


def test_at_a_step_a_role_reads_what_the_step_says_and_keeps_its_own_bounds() -> None:
    mine = replace(OUR_CONTEXTS["implementer_targeted"], name="short", inputs={Input.TARGETS: 3}, token_budget=9_000)
    contexts = {**OUR_CONTEXTS, "short": mine}
    careful = RolePart(name="careful", extends="implementer", token_budget=5_000, exclude=("vendor/**",))
    catalog = load_catalog(Declared(contexts=contexts, roles={"careful": careful}))
    assert catalog.context("implementer") == catalog.role("implementer").context
    assert catalog.context("implementer", "short") == mine
    found = catalog.context("careful", "short")
    assert (found.inputs, found.budget, found.exclude) == ({Input.TARGETS: 3}, 5_000, ("vendor/**",))
    with pytest.raises(SettingsProblem, match="There is no context `long` any more"):
        catalog.context("careful", "long")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"token_budget": 50_001}, "token_budget: `50001` cannot be used. Write at most 50000."),
        ({"token_budget": 10}, "token_budget: `10` cannot be used. Write at least 1000."),
        ({"budget": 9_000}, "budget: there is no such setting. Did you mean `token_budget`?"),
        ({"inputs": {"diffs": 1}}, "inputs.diffs: there is no such setting. Did you mean `diff`?"),
        ({"inputs": {"targets": 101}}, "inputs.targets: `101` cannot be used. Write at most 100."),
        ({"priority_order": ["target", "task"]}, "nothing comes before system, task, target."),
        ({"priority_order": ["task", "target", "task"]}, "it names a part twice. Name each once."),
        ({"priority_order": ["task"]}, "it does not say when `targets` is kept. Add `target`, or leave the input out."),
        ({"priority_order": ["everything"]}, "priority_order.0: `everything` cannot be used. Write one of `system`"),
    ],
)
def test_what_is_wrong_is_told(changes: dict[str, Value], told: str) -> None:
    with pytest.raises(Wrong) as wrong:
        CONTEXT.read({"name": "mine", **SMALL, **changes})
    assert told in str(wrong.value)


def test_a_strategy_is_called_as_it_is_written_below() -> None:
    assert CONTEXTS.read({"mine": dict(SMALL)})["mine"].name == "mine"
    with pytest.raises(Wrong, match=r"mine.name: it is written below `mine`. Write `mine`."):
        CONTEXTS.read({"mine": {"name": "yours", **SMALL}})
