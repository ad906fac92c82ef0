"""Which files a project's own settings make tests."""

import json

import pytest

from agents.domain.checks.own_tests import own_tests

OWN_NAMES = '[tool.pytest.ini_options]\ntestpaths = ["checks"]\npython_files = ["check_*.py", "*.py"]\n'


def _script(line: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": {"test": line}})}


@pytest.mark.parametrize(
    ("paths", "texts", "found"),
    [
        (["shop/a.py", "checks/check_a.py", "checks/check_b.py"], {"pyproject.toml": OWN_NAMES},
         ["checks/check_a.py", "checks/check_b.py"]),
        (["checks/check_a.py", "checks/a.json"], {"pyproject.toml": OWN_NAMES}, ["checks/a.json", "checks/check_a.py"]),
        (["a/check_a.py", "a/b.py"], {"pytest.ini": "[pytest]\npython_files = check_*.py\n"}, ["a/check_a.py"]),
        (["shop/a.py", "shop/b.py"], {"setup.cfg": "[tool:pytest]\npython_files = *.py\ntestpaths = shop\n"}, []),
        (["shop/check_a.py"], {"tox.ini": "[tox]\n", "setup.cfg": "[metadata]\n"}, []),
        (["cart.js", "checks/cart.js"], _script("node --test checks/cart.js"), ["checks/cart.js"]),
        (["lib/a.js", "lib/b.js"], _script("mocha lib/*.js --bail"), ["lib/a.js", "lib/b.js"]),
        (["src/a.js", "src/b.js"], _script("mocha src && node index.js"), []),
        (["index.js", "verify/a.js", "verify/b.json"], _script("tsc && node verify"), ["verify/a.js", "verify/b.json"]),
        (["spec/a.js", "spec/openapi.yaml", "spec/b.rb"], {}, ["spec/a.js", "spec/b.rb"]),
        (["run-checks.sh", "tool.sh"], {"Makefile": "test: tool.sh\n\t@sh run-checks.sh\n\t./tool.sh | grep 4\n"},
         ["run-checks.sh"]),
        (["tests/check.sh"], {"Makefile": "test:\n\tsh tests/check.sh\n"}, []),
        (["a.py"], {"pyproject.toml": "tool = [", "package.json": "{", "pytest.ini": "[pytest"}, []),
    ],
)  # fmt: skip
def test_settings_make_tests(paths: list[str], texts: dict[str, str], found: list[str]) -> None:
    """What is a test by its name is told elsewhere, and a program is none because all files are named."""
    assert sorted(own_tests(paths, texts)) == found


def test_the_operators_command_counts_too() -> None:
    paths = ["checks/all.py", "shop/all.py", "run.py"]
    assert own_tests(paths, {}, "python checks/all.py && python run.py") == {"checks/all.py"}
