"""Tests that cannot fail are found by reading them; those that can are left alone."""

import ast
from textwrap import dedent, indent

import pytest

from agents.domain.checks.hollow import Function, Hollow, assertions, hollow_reason

REPLACE = "monkeypatch" + ".setattr"  # in halves: nothing is patched here


def function(body: str, head: str = "def test_it():") -> Function:
    node = ast.parse(f"{head}\n{indent(dedent(body).strip(), '    ')}\n").body[0]
    assert isinstance(node, Function)
    return node


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("x = total([1])\nif True:\n    return\nassert x == 1", Hollow.LEAVES_EARLY),
        ("if a:\n    return\nelse:\n    return\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("if False:\n    pass\nelse:\n    return\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("pytest.skip('later')\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("self.skipTest('later')\nself.assertEqual(total([1]), 1)", Hollow.LEAVES_EARLY),
        ("raise unittest.SkipTest\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("if False:\n    assert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("for x in []:\n    assert total(x) == 1", Hollow.LEAVES_EARLY),
        ("while 0:\n    assert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("with open('x') as f:\n    return\nassert total([1]) == 1", Hollow.LEAVES_EARLY),
        ("assert True", Hollow.ALWAYS_TRUE),
        ("assert total([1]) == 2 or True", Hollow.ALWAYS_TRUE),
        ("assert True or total([1]) == 2", Hollow.ALWAYS_TRUE),
        ("assert total([1]) == 2 or 'never mind'", Hollow.ALWAYS_TRUE),
        ("assert (total([1]) == 2, 'a tuple')", Hollow.ALWAYS_TRUE),
        ("assert not (total([1]) == 2 and False)", Hollow.ALWAYS_TRUE),
        ("assert 1 == 1", Hollow.ALWAYS_TRUE),
        ("assert 1 != 2", Hollow.ALWAYS_TRUE),
        ("assert [total([1])]", Hollow.ALWAYS_TRUE),
        ("assert (lambda: total([1]) == 2)", Hollow.ALWAYS_TRUE),
        ("assert (x == 1 for x in total([1]))", Hollow.ALWAYS_TRUE),
        ("assert f'got {total([1])}'", Hollow.ALWAYS_TRUE),
        ("assert len(total([1])) >= 0", Hollow.ALWAYS_TRUE),
        ("assert isinstance(total([1]), object)", Hollow.ALWAYS_TRUE),
        ("x = total([1])\nassert x == x", Hollow.ALWAYS_TRUE),
        ("x = total([1])\nassert x is x\nassert x.a <= x.a", Hollow.ALWAYS_TRUE),
        ("x = total([1])\nself.assertEqual(x, x)", Hollow.ALWAYS_TRUE),
        ("self.assertTrue(total([1]) or True)", Hollow.ALWAYS_TRUE),
        ("assert 1 if total([1]) else 2", Hollow.ALWAYS_TRUE),
        ("assert slug(x) == slug(x)", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nwanted = total([1])\nassert found == wanted", Hollow.ALWAYS_TRUE),
        ("wanted = total([1])\nself.assertEqual(total([1]), wanted)", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nwanted = found\nturn()\nassert found == wanted", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nassert found in [found, 3]", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nassert found is None or found is not None", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nassert found or not found", Hollow.ALWAYS_TRUE),
        ("found = total([1])\nassert isinstance(found, type(found))", Hollow.ALWAYS_TRUE),
        ("assert total([1]) == mock.ANY", Hollow.ALWAYS_TRUE),
        ("total([1])\nassert 1 < 2", Hollow.ALWAYS_TRUE),
        ("total([1])\nassert 1 + 1 == 2", Hollow.ALWAYS_TRUE),
        ("assert len(total([1])) > -1", Hollow.ALWAYS_TRUE),
        ("assert 0 <= abs(total([1]))", Hollow.ALWAYS_TRUE),
        ("assert repr(total([1]))", Hollow.ALWAYS_TRUE),
        ("check = lambda: total([1]) == 2\nassert check", Hollow.ALWAYS_TRUE),
        ("def check():\n    assert total([1]) == 2\ntotal([1])", Hollow.LEAVES_EARLY),
        ("def check():\n    assert total([1]) == 2\nassert check", Hollow.LEAVES_EARLY),
        ("if len([]) > 0:\n    assert total([1]) == 2", Hollow.LEAVES_EARLY),
        ("for x in range(0):\n    assert total([x]) == 2", Hollow.LEAVES_EARLY),
        ("try:\n    assert total([1]) == 2\nfinally:\n    return", Hollow.CATCHES_ALL),
        ("try:\n    assert total([1]) == 2\nexcept builtins.Exception:\n    pass", Hollow.CATCHES_ALL),
        ("with pytest.raises(Exception):\n    assert total([1]) == 2", Hollow.CATCHES_ALL),
        ("with self.assertRaises(AssertionError):\n    self.assertEqual(total([1]), 2)", Hollow.CATCHES_ALL),
        ("with pytest.raises((ValueError, Exception)):\n    assert total([1]) == 2", Hollow.CATCHES_ALL),
        ("try:\n    assert total([1]) == 2\nexcept Exception:\n    pass", Hollow.CATCHES_ALL),
        ("try:\n    assert total([1]) == 2\nexcept:\n    print('well')", Hollow.CATCHES_ALL),
        ("try:\n    assert total([1]) == 2\nexcept (ValueError, AssertionError):\n    pass", Hollow.CATCHES_ALL),
        ("with suppress(BaseException):\n    assert total([1]) == 2", Hollow.CATCHES_ALL),
        ("total = Mock(return_value=3)\nassert total([1]) == 3", Hollow.ONLY_MOCKS),
        ("with patch('shop.cart.total', return_value=3):\n    assert total([1]) == 3", Hollow.ONLY_MOCKS),
        (REPLACE + "(cart, 'total', lambda prices: 3)\nassert cart.total([1]) == 3", Hollow.ONLY_MOCKS),
        ("service = MagicMock()\nservice.send(1)\nservice.send.assert_called_once_with(1)", Hollow.ONLY_MOCKS),
        ("pass", Hollow.EMPTY),
        ("'''It will be tested.'''", Hollow.EMPTY),
        ("print('3 passed')", Hollow.EMPTY),
        ("...", Hollow.EMPTY),
        ("yield\nassert total([1]) == 1", Hollow.NOT_RUN),
    ],
)
def test_a_test_that_cannot_fail_is_hollow(body: str, why: Hollow) -> None:
    assert hollow_reason(function(body)) is why


@pytest.mark.parametrize(
    "head",
    [
        "@pytest.mark.skip\ndef test_it():",
        "@pytest.mark.skip(reason='later')\ndef test_it():",
        "@unittest.skip('later')\ndef test_it(self):",
        "@pytest.mark.xfail\nasync def test_it():",
        "@pytest.mark.skipif(True, reason='later')\ndef test_it():",
        "@unittest.expectedFailure\ndef test_it(self):",
    ],
)
def test_a_test_that_is_never_run_is_hollow(head: str) -> None:
    assert hollow_reason(function("assert total([1]) == 1", head)) is Hollow.NOT_RUN


@pytest.mark.parametrize(
    "body",
    [
        "assert total([1]) == 1",
        "assert total([1])",
        "if sys.platform == 'win32':\n    return\nassert total([1]) == 1",
        "if sys.platform != 'win32':\n    found = 1\nelse:\n    return\nassert total([1]) == 1",
        "if False:\n    return\nelse:\n    found = 1\nassert total([1]) == 1",
        "if True:\n    found = 1\nelse:\n    return\nassert total([1]) == 1",
        "if not found:\n    pytest.skip('no database')\nassert total([1]) == 1",
        "assert slug(x) == slug(y)",
        "before = page()\nturn()\nassert page() == before",  # something was done in between
        "before = page.number\nturn()\nassert page.number == before",
        "assert one() is one()",  # that it is kept
        "assert found in (1, 2)",
        "assert x == 1 or y != 1",
        "assert len(found) > 0",
        "def each(price):\n    assert price\nfor_each([1], each)",
        "with pytest.raises(AssertionError):\n    check(total([1]))",
        "assert x == x\nassert total([1]) == 1",
        "with pytest.raises(ValueError):\n    total(None)",
        "with pytest.raises(Exception):\n    total(None)",
        "main(['--help'])",  # it must not raise
        "total([1])",
        "try:\n    total(None)\nexcept ValueError:\n    return\nassert False",
        "try:\n    assert total([1]) == 1\nexcept Exception as e:\n    raise AssertionError from e",
        "try:\n    total(None)\nexcept Exception as e:\n    assert str(e) == 'no'",
        "mail = Mock()\ncheckout(mail)\nmail.send.assert_called_once()",
        "with patch('shop.mail.send') as send:\n    checkout()\n    send.assert_called_once()",
        "self.assertEqual(total([1]), 1)",
        "for x in (1, 2):\n    assert total([x]) == x",
        "while True:\n    assert total([1]) == 1\n    break",
        "def inner():\n    assert total([1]) == 1\ninner()",
        "check(total([1]), 1)",
        "assert not x or total([1]) == 1",
        "assert x and True",
        "np.testing.assert_allclose(total([1]), 1)",
    ],
)
def test_a_test_that_can_fail_is_not(body: str) -> None:
    assert hollow_reason(function(body)) is None


def test_what_is_skipped_on_some_machine_only_is_not_hollow() -> None:
    head = "@pytest.mark.skipif(sys.platform == 'win32', reason='no forks')\ndef test_it():"
    assert hollow_reason(function("assert total([1]) == 1", head)) is None


def test_only_assertions_that_are_reached_and_can_fail_are_counted() -> None:
    assert len(assertions(function("assert a == 1\nassert b or True\nassert c\nreturn\nassert d"))) == 2
    assert len(assertions(function("if a:\n    assert b\nelse:\n    assert c"))) == 2
