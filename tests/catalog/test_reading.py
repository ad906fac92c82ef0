"""Readers: each value that cannot be used is named with its place, and all of them at once."""

from enum import StrEnum
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from agents.catalog.documents import Value
from agents.catalog.policies import packaged_limits
from agents.catalog.reading import (
    Read,
    Shape,
    Wrong,
    checked,
    flag,
    items,
    mapping,
    number,
    one_of,
    optional,
    secret,
    text,
    whole,
)
from bot.config.accounts import packaged_groups
from bot.config.overlord import OVERLORD


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def small(written: str) -> str:
    if written != written.lower():
        raise ValueError(f"`{written}` is loud. Write `{written.lower()}`.")
    return written


@pytest.mark.parametrize(
    ("read", "written", "value"),
    [
        (text, "", ""),
        (flag, False, False),
        (whole(1, 9), 3, 3),
        (whole(1, 9), 3.0, 3),
        (whole(1, 9), " 3 ", 3),
        (number(0, 9), 3, 3.0),
        (number(0, 9), "2.5", 2.5),
        (optional(text), None, None),
        (one_of(*Colour), "blue", Colour.BLUE),
        (items(text), ["a", "b"], ("a", "b")),
        (mapping(small, flag), {"a": True}, {"a": True}),
    ],
)
def test_what_does_becomes_a_value_of_its_type(read: Read[object], written: Value, value: object) -> None:
    found = read((), written)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("read", "written", "told"),
    [
        (text, 5, '`5` cannot be used. Put it in quotes: "5".'),
        (text, None, "it is empty. Write text."),
        (flag, "true", "`true` cannot be used. Write true or false."),
        (whole(1, 9), True, "`true` is not a number. Write a number."),
        (whole(1, 9), 2.5, "`2.5` cannot be used. Write a whole number."),
        (whole(1, 9), 0, "`0` cannot be used. Write at least 1."),
        (number(0, 9), 10, "`10` cannot be used. Write at most 9."),
        (number(0, 9), "nan", "`nan` cannot be used. Write a number."),
        (number(0, 9), 10**400, "cannot be used. Write a number."),
        (number(0, 9), [], "it is empty. Write a number."),
        (one_of(*Colour), "green", "`green` cannot be used. Write one of `red` or `blue`."),
        (one_of(*Colour), ["red"], "a list or a mapping is written here. Write one of"),
        (items(text), "a", "`a` cannot be used. Write a list"),
        (items(text, most=1), ["a", "b"], "there are 2 of them. Write at most 1."),
        (checked(text, small), "A", "`A` is loud. Write `a`."),
    ],
)
def test_what_does_not_do_says_what_to_write(read: Read[object], written: Value, told: str) -> None:
    with pytest.raises(Wrong) as caught:
        read(("here",), written)
    [(where, what, step)] = caught.value.odd
    assert where == ("here",) and told in f"{what}. {step}"


def test_everything_that_is_wrong_is_told_with_its_place() -> None:
    inner = Shape(SimpleNamespace, ("name",), name=text, kind=one_of(*Colour))
    outer = Shape(SimpleNamespace, parts=items(inner), rooms=mapping(small, inner))
    with pytest.raises(Wrong) as caught:
        outer.read({"parts": [{"kind": "x"}, {"nam": "a", "name": 1}, 5], "rooms": {"A": {}}, "prts": 1})
    assert {where for where, _, _ in caught.value.odd} == {
        ("parts", 0, "kind"),
        ("parts", 0, "name"),
        ("parts", 1, "nam"),
        ("parts", 1, "name"),
        ("parts", 2),
        ("rooms", "A"),
        ("rooms", "A", "name"),
        ("prts",),
    }


def test_whoever_makes_the_value_may_refuse_it() -> None:
    def one_place(path: str = "", url: str = "") -> str:
        if bool(path) == bool(url):
            raise ValueError("it needs one place. Write a path.")
        return path or url

    place = Shape(one_place, path=text, url=text)
    assert place.read({"path": "a"}) == "a"
    with pytest.raises(Wrong, match="needs one place"):
        place.read({})


def test_a_secret_is_shown_by_nothing() -> None:
    token = secret((), "canary")
    assert token.reveal() == "canary" and token and token == secret((), "canary")
    assert "canary" not in f"{token} {token!r} {[token]}"
    with pytest.raises(Wrong) as caught:
        secret((), 8888)
    assert "8888" not in str(caught.value)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
VALUES: st.SearchStrategy[Value] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@given(st.dictionaries(st.sampled_from(sorted(OVERLORD.fields)), VALUES, max_size=6))
def test_whatever_is_written_it_is_read_or_told(data: dict[str, Value]) -> None:
    try:
        OVERLORD.read({"groups": packaged_groups().data, "limits": packaged_limits().data, **data})
    except Wrong as wrong:
        assert all(where and what and step for where, what, step in wrong.odd)
