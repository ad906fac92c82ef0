"""Which files could be data of tests, and which of them tests were seen to read."""

import pytest

from agents.workspace.gates.comparing.data_files import could_be_data, is_read

THERE = ("shop/__init__.py", "shop/rates/eu.json", "src/web/app.ts", "tests/test_cart.py", "cases/one.json", "run.py")


@pytest.mark.parametrize(
    ("path", "could"),
    [
        ("cases/one.json", True),
        ("cases/deep/two.csv", True),
        ("expected.txt", True),
        ("src/cases.json", True),  # no program lies in that folder itself
        ("shop/rates/eu.json", False),  # the program's own
        ("src/web/strings.json", False),
        ("tests/data/one.json", False),  # known by its folder
        ("testdata/one.json", False),
        ("cases/README.md", False),
        ("shop/cart.py", False),
        ("pyproject.toml", False),
        ("uv.lock", False),
        ("package-lock.json", False),
        ("requirements-dev.txt", False),
        (".github/workflows/ci.yml", False),
    ],
)
def test_what_could_be_data_of_tests(path: str, could: bool) -> None:
    assert could_be_data(path, THERE) is could


def test_a_file_is_read_by_its_name_or_with_its_folder() -> None:
    assert is_read("cases/one.json", {"cases/one.json"})
    assert is_read("cases/gone.json", {"cases/"})
    assert not is_read("cases/deep/two.csv", {"cases/"})
    assert not is_read("expected.txt", {"/", "", "tests/"})
