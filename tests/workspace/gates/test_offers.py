"""Checks that a project seems to want are offered with where they were read; what is no plain command is left."""

import pytest

from agents.workspace.gates.detect import Look
from agents.workspace.gates.offers import Offer, offers

CI = """
name: checks
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .[dev]
      - name: Types
        run: uv run mypy src tests
      - name: The rest
        run: |
          black --check .
          echo "mypy" | tee log
          pytest -q
          sphinx-build -W docs out && rm -rf out
      - run: flake8 ${{ matrix.paths }}
"""


def found(paths: str = "", ci: str = "", **texts: str) -> dict[str, Offer]:
    look = Look(paths=frozenset(paths.split()), texts={name.replace("_", ".", 1): text for name, text in texts.items()})
    return {offer.check: offer for offer in offers(look, {".github/workflows/ci.yml": ci} if ci else {})}


def test_what_ci_runs_is_offered_as_it_stands_there() -> None:
    said = found(ci=CI)
    assert {check: offer.command for check, offer in said.items()} == {
        "type_check": "uv run mypy src tests",
        "format": "black --check .",
    }, "what is piped, chained or filled in is no plain command"
    assert said["format"].found_in == ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("paths", "pyproject", "check", "command"),
    [
        ("mypy.ini", "", "type_check", "mypy ."),
        ("", "[tool.mypy]\nstrict = true\n", "type_check", "mypy ."),
        ("", "[tool.mypy]\nfiles = ['src']\n", "type_check", "mypy"),
        ("", "[tool.pyright]\n", "type_check", "pyright"),
        ("pyrightconfig.json", "", "type_check", "pyright"),
        ("tsconfig.json", "", "type_check", "npx tsc --noEmit"),
        ("", "[tool.black]\n", "format", "black --check ."),
        ("", "[tool.ruff.format]\nquote-style = 'single'\n", "format", "ruff format --check ."),
        ("mkdocs.yml", "", "docs", "mkdocs build --strict"),
    ],
)
def test_what_settings_hint_at_is_offered(paths: str, pyproject: str, check: str, command: str) -> None:
    assert found(paths, pyproject_toml=pyproject)[check].command == command


def test_a_projects_own_script_comes_before_its_ci_and_settings() -> None:
    package = '{"scripts": {"typecheck": "tsc -b", "lint": "eslint .", "format:check": "prettier -c ."}}'
    said = found("tsconfig.json pnpm-lock.yaml", ci="- run: npx tsc --noEmit", package_json=package)
    assert [offer.command for offer in said.values()] == [
        "pnpm run typecheck",
        "pnpm run format:check",
        "pnpm run lint",
    ]


@pytest.mark.parametrize("ci", ["", "\0", "run: " + "x" * 10_000, "- run: mypyx", "- run: echo mypy", "[" * 9_000])
def test_odd_files_offer_nothing(ci: str) -> None:
    assert found(ci=ci, pyproject_toml="a = " + "[" * 10_000) == {}
