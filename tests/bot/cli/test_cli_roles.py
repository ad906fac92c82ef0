"""`overlord roles` and `overlord manifest schema`."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from agents.catalog.yaml import parse_yaml, read_yaml
from agents.domain.workflow.workflow import DEFAULT
from agents.llm.prompts import names as questions
from bot.cli.manifest import ANSWERS, render_schema, schema_names
from manifests import packaged_path
from tests.builders.shell import Shell

CONFIG = """
roles:
  careful:
    extends: ui_designer
    description: Slow and sure.
    context: {token_budget: 9000, exclude: ["vendor/**"]}
    allowed_tools: [read_file, task_complete, task_blocked]
    gates: [{name: types, command: mypy .}]
workflow:
  steps:
    implement: {role: careful}
"""
# A folder of manifests, and the schema that its files have; a policy has one of its own name.
FOLDERS = {
    "roles": "role",
    "contexts": "context",
    "packs": "pack",
    "workflows": "workflow",
    "skills": "skill",
    "policies": "",
}
SHIPPED = [
    (schema or path.stem, path)
    for folder, schema in FOLDERS.items()
    for path in sorted(packaged_path(folder).glob("*.yaml"))
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def _state(shell: Shell, config: str) -> None:
    shell.home.mkdir(mode=0o700)
    (shell.home / "overlord.yaml").write_text(config)


def valid(schema: str, data: Any) -> list[str]:
    return [
        f"{'.'.join(map(str, error.instance_path))}: {error.message}"
        for error in Draft202012Validator(json.loads(render_schema(schema))).iter_errors(data)
    ]


def test_the_roles_that_come_with_overlord_are_listed(shell: Shell) -> None:
    *lines, _, workflow = shell.run("roles").out.splitlines()
    assert workflow == f"Workflow: default, version {DEFAULT.version}"
    assert lines[0].split() == ["role", "extends", "tokens", "tools", "works", "at", "of", "what", "for"]
    assert lines[1].split()[:7] == ["implementer", "25,000", "15", "implement", "(comes", "with", "Overlord)"]
    assert shell.run("roles", "list").out.splitlines()[:-2] == lines
    told = shell.run("roles", "--json").json
    assert [role["name"] for role in told["roles"]] == [line.split()[0] for line in lines[1:]]
    assert told["workflow"]["name"] == "default" and told["workflow"]["hash"] == DEFAULT.hash


def test_a_role_of_ones_own_is_shown_with_all_that_it_extends(shell: Shell) -> None:
    _state(shell, CONFIG)
    assert any(
        line.split()[:5] == ["careful", "ui_designer", "9,000", "4", "implement"]
        for line in shell.run("roles").out.splitlines()
    )
    told = shell.run("roles", "show", "careful").out
    for words in (
        "careful, overlord.yaml",
        "Slow and sure.",
        "Works at: implement",
        "Reads: implementer_targeted, at most 9,000 tokens",
        "Never reads: vendor/**",
        "Tools: read_file, ask_human, task_complete, task_blocked",
        "Gates: types (`mypy .`, on failure retry)",
        "It is told, beside the usual:\nYou work on what people see.",
    ):
        assert words in told
    assert shell.run("roles", "show", "careful", "--json").json["base"] == "implementer"
    assert "There is no role wizard" in shell.run("roles", "show", "wizard", code=1).err


def test_a_role_that_wants_more_than_it_may_have_is_told(shell: Shell) -> None:
    _state(shell, "roles: {reviewer: {allowed_tools: [write_file]}}\n")
    assert "`write_file` is not among the tools of `reviewer`" in shell.run("roles", code=1).err


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_that_is_kept_is_the_one_that_would_be_made_now(name: str) -> None:
    kept = packaged_path("schema", f"{name}.json").read_text()
    assert kept == render_schema(name), "run `overlord manifest schema --into manifests/schema`"
    meta.validate(json.loads(kept))


def test_no_schema_is_kept_that_nothing_makes() -> None:
    kept = {
        path.relative_to(packaged_path("schema")).with_suffix("").as_posix()
        for path in packaged_path("schema").rglob("*.json")
    }
    assert kept == set(schema_names())
    assert set(ANSWERS) == questions()


@pytest.mark.parametrize(("schema", "path"), SHIPPED, ids=[path.stem for _, path in SHIPPED])
def test_what_comes_with_overlord_fits_its_schema_and_names_it(schema: str, path: Path) -> None:
    assert valid(schema, read_yaml(path).data) == []
    assert path.read_text().startswith(f"# yaml-language-server: $schema=../schema/{schema}.json\n")


def test_an_editor_is_told_what_settings_may_say() -> None:
    assert valid("overlord", parse_yaml(CONFIG, name="x").data) == []
    assert valid("overlord", {"limits": {"minions": 3}, "models": {"primary": "openai/gpt-5.4"}}) == []
    assert valid("overlord", {"projects": [{"path": "."}]}) == ['projects.0: "name" is a required property']
    assert "'minion' was unexpected" in valid("overlord", {"limits": {"minion": 3}})[0]
    assert valid("overlord", {"workflow": {"steps": {"implement": {"max_retries": 9}}}})


def test_schemas_are_printed_and_written(shell: Shell) -> None:
    assert shell.run("manifest", "schema").out.split() == list(schema_names())
    assert shell.run("manifest", "schema", "role").out == render_schema("role")
    assert "There is no schema roles" in shell.run("manifest", "schema", "roles", code=1).err
    shell.run("manifest", "schema", "--into", str(shell.folder / "here"))
    assert (shell.folder / "here/answers/critic.json").read_text() == render_schema("answers/critic")
