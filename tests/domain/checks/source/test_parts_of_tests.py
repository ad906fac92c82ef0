"""Python files outside of the tests that tests are made of."""

from agents.domain.checks.source.parts_of_tests import holds_nothing_but_data, import_names, is_helper, module_names

ASSERTS = "def assert_same(one, other):\n    assert one == other\n"
CHECKS = "def take(count):\n    assert count > 0\n    return count\n"


def test_what_asserts_for_others_is_a_helper() -> None:
    assert is_helper("shop/tools.py", ASSERTS)
    assert is_helper("shop/testing.py", CHECKS), "by its name"
    assert is_helper("shop/tools.py", f"import pytest\n\n\n{CHECKS}"), "by what it loads"
    assert is_helper(
        "shop/tools.py", "def expect_one(found):\n    if found != 1:\n        raise AssertionError(found)\n"
    )
    raises = "def expect_one(found):\n    if found != 1:\n        raise {}\n"
    for error in ("ValueError(found)", "shop.Wrong(found)", "ValueError", ""):
        assert not is_helper("shop/testing.py", raises.format(error)), error
    assert not is_helper("shop/stock.py", CHECKS), "a program may assert for itself"
    assert not is_helper("shop/testing.py", "def make():\n    return 1\n")
    assert not is_helper("shop/testing.py", "def make(:\n")


def test_values_alone_are_data() -> None:
    assert holds_nothing_but_data('"""Cases."""\nfrom x import Y\n\nCASES: list = [(1, Y)]\nMORE = [2]\n')
    assert not holds_nothing_but_data("A = 1\n\n\ndef f():\n    return A\n")


def test_modules_are_known_by_what_loads_them() -> None:
    said = import_names("import a.b\nfrom shop.testing import assert_same\nfrom . import near\n")
    assert {"a.b", "shop.testing", "near"} <= said
    assert module_names("src/shop/testing.py") & said
    assert module_names("tests/near/__init__.py") & said
    assert not module_names("shop/cart.py") & said
