"""Two versions of a test file: what is new, gone, moved, changed, and what asserts less."""

import pytest

from agents.domain.checks.python_tests import compare, functions_in, lost_tests, weaker_functions

ONE = "def test_a():\n    assert f(1) == 10\n    assert f(2) == 20\n\n\ndef test_b():\n    assert f(3) == 30\n"


def of(before: str, after: str) -> tuple[list[str], list[str]]:
    changes = compare({"t.py": before}, {"t.py": after}).changes
    return [each.name for each in lost_tests(changes)], [each.name for each in weaker_functions(changes)]


@pytest.mark.parametrize(
    ("after", "gone", "weaker"),
    [
        (ONE, [], []),
        (ONE.replace("def test_a():\n", 'def test_a():\n    """It does."""\n'), [], []),
        (ONE.replace("test_a", "test_other"), [], []),
        (ONE.replace("    assert f(2) == 20\n", ""), [], ["test_a"]),
        (ONE.replace("    assert f(2) == 20\n", "\n\ndef test_c():\n    assert f(2) == 20\n"), [], []),
        (ONE.replace("    assert f(2) == 20\n", "\n\ndef test_c():\n    assert f(1) == 10\n"), [], ["test_a"]),
        (ONE.replace("def test_b():\n    assert f(3) == 30\n", ""), ["test_b"], []),
        (ONE.replace("== 30", "== 30 or True"), [], ["test_b"]),
        (ONE.replace("():\n", "():\n    return\n"), [], ["test_a", "test_b"]),
        (ONE.replace("def test_b", "@pytest.mark.skip\ndef test_b"), [], ["test_b"]),
        (ONE.replace("== 30", "== 31"), [], []),  # otherwise, not less: the old one is run on the new code
        ("", ["test_a", "test_b"], []),
    ],
)
def test_what_became_of_tests(after: str, gone: list[str], weaker: list[str]) -> None:
    assert of(ONE, after) == (gone, weaker)


def test_tests_that_were_joined_into_a_table_are_not_gone() -> None:
    joined = (
        "@pytest.mark.parametrize('x, y', [(1, 10), (2, 20), (3, 30)])\ndef test_all(x, y):\n    assert f(x) == y\n"
    )
    assert of(ONE, joined)[0] == []
    assert of(ONE, joined.replace(", (3, 30)", ""))[0] == ["test_b"], "a value that is missing is a test that is"
    assert of(ONE, joined.replace("assert", "return\n    assert"))[0] == ["test_a", "test_b"], (
        "a hollow one joins nothing"
    )


def test_a_test_that_moved_is_the_same() -> None:
    found = compare({"a.py": ONE, "b.py": ""}, {"c/d.py": ONE})
    assert found.changes == () and found.moved == {"a.test_a": "c.d.test_a", "a.test_b": "c.d.test_b"}
    changed = compare({"a.py": ONE}, {"d.py": ONE.replace("== 30", "== 31")})
    assert [(each.name, each.before is None, each.after is None) for each in changed.changes] == [
        ("test_b", False, False)
    ]


def test_a_helper_that_lets_all_pass_is_weaker() -> None:
    helper = "def check(a, b):\n    assert a == b\n"
    assert of(helper, helper.replace("a == b", "a == b or 1"))[1] == ["check"]


def test_what_cannot_be_read_says_nothing() -> None:
    assert functions_in("def test_a(:\n") is None and functions_in("x" * 500_000) is None
    assert functions_in("\0") is None


def test_classes_name_their_tests() -> None:
    found = functions_in(
        "class TestA:\n    def test_b(self):\n        assert f()\n\n    def helper(self):\n        pass\n"
    )
    assert found is not None
    assert {name: each.is_test for name, each in found.items()} == {"TestA.test_b": True, "TestA.helper": False}
