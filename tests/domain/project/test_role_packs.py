"""Which packs are proposed for a project, by what lies in it."""

import json

import pytest

from agents.catalog.library import Declared, load_catalog
from agents.catalog.roles.pack_files import packaged_packs
from agents.domain.project.role_packs import looked_at, propose

PACKS = packaged_packs()
CLUES = {name: pack.detect for name, pack in PACKS.items()}


def proposed(**files: str) -> dict[str, str]:
    """By pack, the word that tells; a question mark where it is not sure."""
    found = propose(files, files, CLUES)
    return {seen.pack: f"{seen.word or seen.file}{'' if seen.sure else '?'}" for seen in found}


def node(**parts: object) -> str:
    return json.dumps({"name": "shop", **parts})


@pytest.mark.parametrize(
    ("files", "pack", "word"),
    [
        ({"package.json": node(dependencies={"react": "^18"})}, "web", "react"),
        ({"package.json": node(dependencies={"vue": "3"})}, "web", "vue"),
        ({"requirements.txt": "pandas>=2\n"}, "data", "pandas"),
        ({"requirements.txt": "apache-airflow[postgres]==2.9\n"}, "data", "apache-airflow"),
        ({"docker-compose.yml": "services:\n  db:\n    image: postgres:16\n"}, "api", "postgres"),
        ({"contracts/Token.sol": ""}, "contracts", "contracts/Token.sol"),
        ({"Cargo.toml": "[package]\nname = 'x'\n"}, "rust", "Cargo.toml"),
        ({"go.mod": "module x\n"}, "go", "go.mod"),
        ({"pyproject.toml": "[project]\nname='x'\n[project.scripts]\nx = 'x:main'\n"}, "cli", "scripts"),
        ({"requirements.txt": "ccxt\n"}, "finance", "ccxt"),
        ({"Dockerfile": "FROM x"}, "infra", "Dockerfile"),
        ({"requirements.txt": "PyJWT==2\n"}, "security", "pyjwt"),
    ],
)
def test_each_row_of_the_table(files: dict[str, str], pack: str, word: str) -> None:
    assert proposed(**files)[pack] == word


def test_every_pack_has_a_way_to_be_seen_and_every_role_that_it_names_is_there() -> None:
    assert set(PACKS) == {"finance", "web", "cli", "data", "api", "security", "infra", "rust", "go", "contracts"}
    catalog = load_catalog(Declared(bundles=tuple(pack.bundle for pack in PACKS.values())))
    for pack in PACKS.values():
        assert pack.detect and pack.title and pack.description and pack.roles_named
        assert set(pack.roles_named) <= set(catalog.roles)
    named = {role for pack in PACKS.values() for role in pack.roles_named}
    assert named >= {
        "ui_designer",
        "component_builder",
        "state_architect",
        "data_engineer",
        "schema_guard",
        "etl_architect",
    }
    assert named >= {"db_optimizer", "backend_dev", "smart_contract_auditor", "rust_dev", "memory_safety_reviewer"}
    assert named >= {"go_dev", "concurrency_reviewer", "trader", "risk_manager", "quant_dev", "cli_ux_dev", "api_dev"}
    assert named >= {"infra_reviewer", "security_auditor", "security_auditor_external"}


def test_what_is_only_for_tests_and_tools_is_not_chosen_beforehand() -> None:
    assert proposed(**{"package.json": node(devDependencies={"react": "^18"})})["web"] == "react?"
    assert proposed(**{"requirements-dev.txt": "pandas\n"})["data"] == "pandas?"
    text = "[project]\nname = 'x'\ndependencies = ['click']\n[project.optional-dependencies]\ntest = ['pandas']\n"
    assert proposed(**{"pyproject.toml": text}) == {"cli": "click", "data": "pandas?"}
    for section in ("dependency-groups", "tool.poetry.group.main.dependencies"):
        assert proposed(**{"pyproject.toml": f"[{section}]\nall = ['pandas']\n"})["data"] == "pandas?", section


def test_what_others_wrote_and_words_that_only_look_alike_are_no_reason() -> None:
    assert not proposed(**{"node_modules/x/package.json": node(dependencies={"react": "1"})})
    assert not proposed(**{"examples/app/go.mod": "module x\n", "tests/fixtures/Cargo.toml": "[package]"})
    assert not proposed(**{"package.json": node(description="react to vue", keywords=["react"])})
    assert not proposed(**{"requirements.txt": "pandas-stubs\n# pandas\nflask-like\n"})
    assert not proposed(**{"package.json": "{not json"})


def test_what_others_need_is_no_sign_and_what_a_page_is_built_with_is_one() -> None:
    compiled = (
        "click==8.1\n    # via typer\nfire==1\n    # via\n    #   -r requirements.in\nrich==13\nclick-x==1  # via y\n"
    )
    assert proposed(**{"requirements.txt": compiled}) == {"cli": "fire"}
    assert proposed(**{"requirements.txt": compiled.replace("fire", "flask")}) == {"api": "flask"}
    mod = "module x\nrequire (\n\tgithub.com/spf13/cobra v1.8.0 // indirect\n\tgolang.org/x/oauth2 v0.1.0\n)\n"
    assert set(proposed(**{"go.mod": mod})) == {"go", "security"}
    cargo = "[workspace.dependencies]\nAxum = '1'\n[dev-dependencies]\nclap = '4'\n[target.x.dependencies]\ny = '1'\n"
    assert proposed(**{"Cargo.toml": cargo}) == {"rust": "Cargo.toml", "api": "axum", "cli": "clap?"}
    assert proposed(**{"Cargo.toml": "[[bin]]\nname = 'rg'\n"})["cli"] == "bin"
    assert proposed(**{"Cargo.toml": "[workspace]\nmembers = 3\n[target]\nx = 1\n"}) == {"rust": "Cargo.toml"}
    assert set(proposed(**{"Cargo.toml": "= no toml"})) == {"rust"}
    kit = node(devDependencies={"@sveltejs/kit": "2", "svelte": "5"})
    assert proposed(**{"package.json": kit})["web"] == "@sveltejs/kit", "it ends in what people are given"


def test_lists_in_a_folder_are_read_and_places_that_are_aside_by_a_part_of_their_name_are_not() -> None:
    assert proposed(**{"requirements/common.txt": "django\n", "requirements/tests.txt": "pandas\n"}) == {
        **{"api": "django", "data": "pandas?"}
    }
    for folder in ("dev-docs", "packages/online-playground", ".github", "extras/packaging/linux", "load_tests"):
        assert not proposed(
            **{f"{folder}/Dockerfile": "FROM x", f"{folder}/package.json": node(dependencies={"vue": "3"})}
        )
    assert "web" in proposed(**{"latest-news/package.json": node(dependencies={"vue": "3"})})


def test_only_files_that_may_tell_are_read() -> None:
    paths = ["src/app.py", "requirements.txt", "web/package.json", "vendor/package.json", "a/b/c/d/e/package.json"]
    assert looked_at(paths, CLUES) == ("requirements.txt", "web/package.json")
