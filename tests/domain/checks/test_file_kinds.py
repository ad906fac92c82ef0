"""What a file is for, by its name."""

import pytest

from agents.domain.checks.file_kinds import (
    holds_tests,
    is_code,
    is_documentation,
    is_test,
    is_test_data,
    says_how_it_works,
)


def test_a_test_is_known_by_its_name() -> None:
    assert all(map(is_test, ("test_a.py", "x/a_test.go", "a.spec.ts", "CodesTest.java", "tests/data/a.json")))
    assert all(map(is_test, ("tests.js", "lib/test.mjs", "shop/tests.py"))), "one file for all of them"
    assert not any(map(is_test, ("latest.py", "contest.py", "a/testing.py", "src/ModelSpec.ts", "mytests.js")))


def test_what_tests_are_made_of_holds_none() -> None:
    assert all(map(holds_tests, ("test_a.py", "tests/test_a.py", "x/a_test.go", "a.spec.ts")))
    assert not any(map(holds_tests, ("tests/conftest.py", "tests/data/a.json", "tests/__init__.py", "tests/test.cfg")))


@pytest.mark.parametrize(
    "path", ["README.md", "docs/guide.rst", "LICENSE", "src/README", "docs/a/b.txt", "CHANGES.txt"]
)
def test_a_text_for_people_is_documentation(path: str) -> None:
    assert is_documentation(path)


@pytest.mark.parametrize(
    "path",
    [
        "requirements.txt", "CMakeLists.txt", "robots.txt", "docs/conf.py", "docs/requirements.in", "docs/x.yaml",
        "tests/data/expected.md", "prompts/system.md", "src/templates/mail.txt", "site/content/index.md", "readme.py",
        "news.py", "changes/1.sql", "src/static/terms.md",
    ],
)  # fmt: skip
def test_what_a_program_may_read_is_not(path: str) -> None:
    assert not is_documentation(path)


def test_data_of_tests_is_known_by_its_folder_and_is_no_program() -> None:
    assert all(map(is_test_data, ("tests/fixtures/a.json", "x/TestData/b.csv", "__snapshots__/c.ambr", "golden/d.md")))
    assert not any(map(is_test_data, ("tests/a.json", "fixtures/a.py", "testdata/b.go", "fixtures", "x/golden.md")))


def test_what_a_test_could_show_is_no_text_no_setting_and_no_list_of_versions() -> None:
    assert all(map(says_how_it_works, ("src/app.py", "Dockerfile", "src/data.json", "block.py", "clock.txt")))
    hidden = (".github/x.yaml", "src/.env", ".gitignore")
    others = ("README.md", "pyproject.toml", "a/Makefile", "uv.lock", "package-lock.json", "requirements-dev.txt")
    assert not any(map(says_how_it_works, (*hidden, *others)))


def test_code_is_known_by_its_ending() -> None:
    assert all(map(is_code, ("a.py", "b.tsx", "c.rs"))) and not any(map(is_code, ("a.pyc", "py", "b.json")))
