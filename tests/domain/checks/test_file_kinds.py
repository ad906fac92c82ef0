"""What a file is for, by its name."""

import pytest

from agents.domain.checks.file_kinds import holds_tests, is_documentation, is_test


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
