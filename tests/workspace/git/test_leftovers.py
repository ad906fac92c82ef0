"""What tools leave behind is no work."""

import pytest

from agents.workspace.git.leftovers import leftovers

PYTHON = ["pyproject.toml", "a.py"]


def test_what_is_left_is_told_by_the_tools_that_a_project_has() -> None:
    assert "__pycache__/" in leftovers(PYTHON) and "target/" not in leftovers(PYTHON)
    assert {".nyc_output/", "/coverage/"} <= set(leftovers(["web/package.json"]))
    assert {"target/", "Cargo.lock"} <= set(leftovers(["Cargo.toml", "src/lib.rs"]))


@pytest.mark.parametrize(
    ("committed", "pattern"),
    [
        ("Cargo.lock", "Cargo.lock"),
        ("crates/one/Cargo.lock", "Cargo.lock"),
        ("coverage/report.js", "/coverage/"),
        ("deep/target/x.rs", "target/"),
        ("htmlcov/kept.txt", "htmlcov/"),
    ],
)
def test_what_a_commit_holds_is_work_in_that_project(committed: str, pattern: str) -> None:
    assert pattern in leftovers(["Cargo.toml", "package.json"])
    assert pattern not in leftovers(["Cargo.toml", "package.json", committed])
