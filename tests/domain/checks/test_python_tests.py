"""Two versions of a test file: what is new, gone, moved, changed, and what asserts less."""

import pytest

from agents.domain.checks.python_tests import (
    compare,
    functions_in,
    lost_tests,
    outside_functions,
    weaker_functions,
)

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
        (ONE.replace("assert f(1) == 10\n    assert f(2) == 20", "assert (f(1), f(2)) == (10, 20)"), [], []),
        (ONE.replace("assert f(1) == 10\n    assert f(2) == 20", "assert f(1) == 10 and f(2) == 20"), [], []),
        (ONE.replace("assert f(1) == 10\n    assert f(2) == 20", "assert [f(x) for x in (1, 2)] == [10, 20]"), [], []),
        (
            ONE.replace(
                "assert f(1) == 10\n    assert f(2) == 20", "for x, y in ((1, 10), (2, 20)):\n        assert f(x) == y"
            ),
            [],
            [],
        ),
        (
            f"CASES = [(1, 10), (2, 20)]\n\n\n{ONE}".replace(
                "assert f(1) == 10\n    assert f(2) == 20", "assert all(f(x) == y for x, y in CASES)"
            ),
            [],
            [],
        ),
        (
            f"def check(x, y):\n    assert f(x) == y\n\n\n{ONE}".replace(
                "assert f(1) == 10\n    assert f(2) == 20", "check(1, 10)\n    check(2, 20)"
            ),
            [],
            [],
        ),
        (
            f"def check(x, y):\n    assert f(x) == y or 1\n\n\n{ONE}".replace(
                "assert f(1) == 10\n    assert f(2) == 20", "check(1, 10)\n    check(2, 20)"
            ),
            [],
            ["test_a"],
        ),
        (ONE.replace("assert f(1) == 10\n    assert f(2) == 20", "assert (f(1), 10) == (10, 10)"), [], []),
        (ONE.replace("== 30", "== f(3)"), [], ["test_b"]),
        (ONE.replace("assert f(2) == 20", "assert f(1) == 10"), [], ["test_a"]),  # the same twice is no other one
        (ONE.replace("    assert f(2) == 20\n", ""), [], ["test_a"]),
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


OUTSIDE = "import b\nfrom .a import c as d\n\nLIMIT = 3\n\n\nclass TestIt(Base, slow=True):\n    size = 1\n"


@pytest.mark.parametrize(
    "same",
    [
        OUTSIDE,
        OUTSIDE.replace("import b\nfrom .a import c as d\n", "from .a import c as d\nimport b\n"),
        f'"""It tells."""\n{OUTSIDE}\n\ndef test_a():\n    assert 1\n',
        f"{OUTSIDE}\n    async def test_a(self):\n        assert 1\n",
    ],
)
def test_functions_and_the_order_of_imports_are_no_part_of_what_a_file_says_outside(same: str) -> None:
    assert outside_functions(same) == outside_functions(OUTSIDE)


@pytest.mark.parametrize(
    "other",
    [
        OUTSIDE.replace("LIMIT = 3", "LIMIT = 4"),
        OUTSIDE.replace("size = 1", "size = 2"),
        OUTSIDE.replace("Base, ", ""),
        OUTSIDE.replace("slow=True", "slow=False"),
        OUTSIDE.replace("class", "@mark\nclass"),
        OUTSIDE.replace("TestIt", "It"),
        OUTSIDE.replace("import b", "import e"),
        OUTSIDE.replace("as d", "as e"),
        OUTSIDE.replace(".a import", "..a import"),
        OUTSIDE.replace("from .a import", "from .e import"),
        OUTSIDE + "print(1)\n",
    ],
)
def test_all_else_that_a_file_says_outside_of_functions_counts(other: str) -> None:
    assert outside_functions(other) != outside_functions(OUTSIDE)


def test_a_file_that_cannot_be_read_says_nothing_outside_either() -> None:
    assert outside_functions("def (") is None and outside_functions("") == ""


def test_tests_of_a_class_that_moved_are_found_where_it_is_now() -> None:
    text = "class TestA(Base):\n    def test_own(self):\n        assert f(1) == 1\n"
    moved = compare({"tests/test_a.py": text}, {"tests/test_b.py": text.replace("TestA", "TestB")})
    assert moved.moved_among(["tests.test_a.TestA.test_base[1]", "tests.test_c.TestA.test_base"]) == {
        "tests.test_a.TestA.test_own": "tests.test_b.TestB.test_own",
        "tests.test_a.TestA.test_base": "tests.test_b.TestB.test_base",
    }
    split = compare({"tests/test_a.py": ONE}, {"tests/test_b.py": ONE.partition("\n\n\ndef test_b")[0] + "\n"})
    assert "tests.test_a.test_c" not in split.moved_among(["tests.test_a.test_c"]), "what stands in a file did not move"


def test_a_class_of_assertions_that_assert_nothing_is_weaker() -> None:
    text = "class TestA(Base):\n{}    def test_own(self):\n        self.assertSame(1, f(1))\n"
    ways = {"pass": True, "super().assertSame(one, other)": False, "assert one == other": False}
    for body, told in ways.items():
        own = f"    def assertSame(self, one, other):\n        {body}\n\n"
        changes = compare({"tests/test_a.py": text.format("")}, {"tests/test_a.py": text.format(own)}).changes
        assert [each.name for each in weaker_functions(changes)] == (["TestA.assertSame"] if told else []), body
