"""What tox and hatch would install for tests."""

import tomllib

import pytest

from agents.workspace.environments.runner_needs import runner_needs

TOX = """
[tox]
envlist = py311
[testenv]
deps = pytest
    pexpect >= 4, < 5  # for a terminal
    coverage[toml]
    py38: backport
    -rrequirements.txt
    {env:MORE:}
    git+https://example.org/x
    --index-url=ELSEWHERE
commands = pytest {posargs}
[testenv:docs]
deps = sphinx
"""


def test_plain_packages_of_tox_are_taken_and_nothing_else() -> None:
    assert runner_needs(TOX, {}) == ("pytest", "pexpect>=4,<5", "coverage[toml]")


@pytest.mark.parametrize(
    "manifest",
    [
        '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps = freezegun\n"""\n',
        '[tool.tox.env_run_base]\ndeps = ["freezegun"]\n',
        '[tool.hatch.envs.default]\ndependencies = ["freezegun"]\n[tool.hatch.envs.docs]\ndependencies = ["sphinx"]\n',
        '[tool.hatch.envs.hatch-test]\nextra-dependencies = ["freezegun"]\n',
    ],
)
def test_manifests_say_it_in_several_ways(manifest: str) -> None:
    assert runner_needs("", tomllib.loads(manifest)) == ("freezegun",)


@pytest.mark.parametrize("odd", ["no section", "[testenv]\ndeps\n", "[testenv]\n", "", "[testenv\n"])
def test_what_cannot_be_read_says_nothing(odd: str) -> None:
    assert runner_needs(odd, {"tool": {"tox": 3, "hatch": {"envs": {"default": {"dependencies": "x"}}}}}) == ()
