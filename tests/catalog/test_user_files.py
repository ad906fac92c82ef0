"""The user's own roles, packs, contexts, workflows and prompts, in the state folder."""

from pathlib import Path

import pytest

from agents.catalog.library import Catalog, load_catalog
from bot.config.settings_source import BadSettings, load_settings

TRADER = "extends: implementer\nsystem_prompt_additions: Keep to the limits.\ncontext: {token_budget: 9000}\n"


def load(home: Path, settings: str = "") -> Catalog:
    (home / "overlord.yaml").write_text(settings)
    found = load_settings({"OVERLORD_HOME": str(home), "OVERLORD_CONFIG": str(home / "overlord.yaml")}, cwd=home)
    return load_catalog(found.declared)


def write(home: Path, **files: str) -> None:
    for name, text in files.items():
        folder, _, stem = name.partition("__")
        (home / folder).mkdir(exist_ok=True)
        (home / folder / f"{stem}.{'j2' if folder == 'prompts' else 'yaml'}").write_text(text)


def test_a_file_of_each_kind_is_all_that_a_new_thing_needs(tmp_path: Path) -> None:
    """The drill: no source file is touched for a role, a pack, a context, a template or a workflow."""
    write(
        tmp_path,
        roles__trader=TRADER + "template: calm\n",
        contexts__short="token_budget: 3000\npriority_order: [task, target]\ninputs: {targets: 2}\n",
        prompts__calm="Stay calm, {{ role }}.\n",
        workflows__careful="extends: default\nsteps: {implement: {role: trader, context_scope: short}}\n",
        packs__gardens="title: Gardens\ndetect: [{files: ['*.seed']}]\nroles: {gardener: {extends: implementer}}\n",
    )
    catalog = load(tmp_path, "packs: [gardens]\nworkflow: {template: careful}\n")
    assert catalog.roles["trader"].context.budget == 9_000 and catalog.roles["trader"].source == "your state folder"
    assert catalog.roles["gardener"].source == "the pack gardens"
    assert catalog.workflow.implement.role == "trader" and catalog.context("trader", "short").budget == 9_000
    assert catalog.prompts == {"calm": "Stay calm, {{ role }}.\n"}


def test_the_nearest_to_the_operator_wins_field_by_field(tmp_path: Path) -> None:
    """Package < pack < the user's folder < overlord.yaml; lists are appended."""
    write(tmp_path, roles__quant_dev="context: {token_budget: 8000}\nstrengths: [patience]\n")
    settings = "packs: [finance]\nroles: {quant_dev: {strengths: [doubt], model: custodiet}}\n"
    found = load(tmp_path, settings).roles["quant_dev"]
    assert found.context.budget == 8_000 and "Focus on vectorised operations" in found.additions
    assert found.strengths[-4:] == ("numerical code", "market data", "patience", "doubt")
    assert (found.model, found.source, found.extends) == ("custodiet", "overlord.yaml", "implementer")
    assert "quant_dev" not in load_catalog().roles, "a pack that is not switched on changes nothing"


@pytest.mark.parametrize(
    ("files", "settings", "told"),
    [
        ({"roles__a": "extends: wizard\n"}, "", "roles/a.yaml line 1, extends: there is no role `wizard`."),
        (
            {"roles__a": "description: x\nextends: implementer\nmodle: x\n"},
            "",
            "roles/a.yaml line 3, modle: there is no such setting. Did you mean `model`?",
        ),
        ({"roles__a": "name: b\nextends: implementer\n"}, "", "line 1, name: the file is named `a`, and it says `b`."),
        ({"roles__a": "extends: [\n"}, "", "roles/a.yaml line 2: "),
        ({"contexts__a": "token_budget: 1\n"}, "", "contexts/a.yaml line 1, token_budget: `1` cannot be used."),
        (
            {"packs__gold": "roles:\n  a:\n    extends: gnome\n"},
            "packs: [gold]\n",
            "packs/gold.yaml line 3, roles.a.extends: there is no role `gnome`.",
        ),
        ({"workflows__w": "steps: {x: {}}\n"}, "", "workflows/w.yaml line 1, steps.x: "),
        ({}, "packs: [finanz]\n", "line 1, packs[0]: there is no pack `finanz`. Did you mean `finance`?"),
        ({"prompts__p": "x" * 9_000}, "", "prompts/p.j2: it has 9000 characters. Write at most 8000."),
    ],
)
def test_what_is_wrong_is_told_with_its_file_and_line(
    tmp_path: Path, files: dict[str, str], settings: str, told: str
) -> None:
    write(tmp_path, **files)
    with pytest.raises(BadSettings) as problem:
        load(tmp_path, settings)
    assert told in str(problem.value)
