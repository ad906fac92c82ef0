"""Expressions that are always true or always false, as far as reading tells; what depends on anything is neither."""

import ast

import pytest

from agents.domain.checks.truth import constant_truth, is_display, name_called, same_value, value_of

ALWAYS = [
    *(
        "1",
        "'x'",
        "(0,)",
        "[f(x)]",
        "{0: 1}",
        "f'{a}b'",
        "not 0",
        "not None",
        "lambda: 0",
        "(x for x in y)",
        "(a := 1)",
    ),
    *("x or 1", "1 or x", "x or not x", "a == b or a != b", "a in b or a not in b", "a < b or a >= b"),
    *("a > b or a <= b", "a is b or a is not b"),
    *("1 and 2", "1 if x else 2", "1 == 1", "x == x", "x is x", "x <= x", "x >= x", "x == ANY", "mock.ANY == x"),
    *("x in (1, x)", "len(x) >= 0", "0 <= len(x)", "abs(x) >= 0", "len(x) > -1", "abs(x) >= -2", "-1 < len(x)"),
    *("1 != 2", "2 > 1", "1 < 2", "2 >= 2", "1 <= 2", "1 in (1, 2)", "3 not in (1, 2)", "1 + 1 == 2", "3 - 1 == 2"),
    *("len('ab') == 2", "len((1, 2)) > 1", "1 is not None", "1 != 'x'", "bool(1)", "len('x')", "list((1,))"),
    *("sorted([2])", "any([x, 1])", "all((1, 'x'))", "any(()) or 1", "id(x)", "type(x)", "repr(x)"),
    *("isinstance(x, object)", "isinstance(x, (int, object))", "isinstance(x, type(x))"),
]
NEVER = [
    *("0", "''", "None", "()", "[]", "{}", "not 1", "x and 0", "x and not x", "a == b and a != b", "0 or ''"),
    *("0 if x else ''", "1 == 2", "1 != 1", "1 > 2", "3 in (1, 2)", "1 == 'x'", "None is 1", "1 not in (1, 2)"),
    *("len('ab') == 3", "list()", "tuple()", "dict()", "set()", "bool()", "range(0)", "bool(0)", "len('')"),
    *("any([])", "any((0, ''))", "all([x, 0])", "not (lambda: 0)"),
]
DEPENDS = [
    *("x", "f(x)", "[*x]", "{**x}", "f'{a}'", "-x", "not x", "x or 0", "x and 1", "x if y else 1", "1 if x else 0"),
    *(
        "x == y",
        "f() == f()",
        "x < x",
        "x != y",
        "x in (1, y)",
        "len(x) > 0",
        "len(x) >= 1",
        "abs(x) > 0",
        "len(x) <= 0",
    ),
    *("len(x) >= y", "sum(x) >= 0", "1 < x < 2", "'a' < 1", "1 + x == 2", "1 + 'x' == 2", "len(1) == 1", "len(x) == 1"),
    *("bool(x)", "list(x)", "sorted(x)", "range(x)", "range(1)", "any(x)", "any([x, 0])", "all([x, 1])", "set(x)"),
    *("list(x, 1)", "dict(a=1)", "bool(x=1)", "isinstance(x, int)", "isinstance(x, type(y))", "isinstance(x)"),
    *("isinstance(x, object, y)", "other()", "x or a == b", "a == b or c != b", "a == b or a != c", "a < b or a > b"),
    *("await x == await x", "not_any == x", "x ** 2 >= 0", "len(x) >= 0.5", "x == x == y", "(a := x)"),
]


def read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "truth"),
    [*((each, True) for each in ALWAYS), *((each, False) for each in NEVER), *((each, None) for each in DEPENDS)],
)
def test_what_is_always_so_is_told_by_reading(text: str, truth: bool | None) -> None:
    assert constant_truth(read(text)) is truth


@pytest.mark.parametrize("text", ["x", "1 + 'x'", "len(1)", "len(x)", "{[]: 1}", "1 * 2", "f(1)", "{1: [], **x}"])
def test_a_value_that_is_not_written_out_is_not_known(text: str) -> None:
    with pytest.raises(ValueError):
        value_of(read(text))


def test_values_that_are_written_out_are_known() -> None:
    assert value_of(read("len('ab') + 1 - -2")) == 5 and value_of(read("('a', {1: [2]})")) == ("a", {1: [2]})


def test_two_calls_may_well_differ_and_two_names_do_not() -> None:
    assert same_value(read("a.b[0]"), read("a.b[0]")) and not same_value(read("a.b[0]"), read("a.b[1]"))
    assert not same_value(read("f(x)"), read("f(x)"))


def test_what_is_called_goes_by_its_last_word() -> None:
    calls = [read(text) for text in ("f()", "a.b.g()", "h()()")]
    assert [name_called(call) for call in calls if isinstance(call, ast.Call)] == ["f", "g", ""]
    assert is_display(read("{1}")) and is_display(read("1")) and not is_display(read("x"))
