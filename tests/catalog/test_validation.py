"""Validation: each value that cannot be used is named with its place, and all of them at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any

import pytest
from hypothesis import given, strategies as st
from pydantic import AfterValidator, Field, Strict

from agents.catalog.validation import Model, Wrong
from agents.catalog.yaml import Value
from agents.domain.text.redact import Secret
from agents.domain.text.sanitize import Between
from bot.config.overlord import OVERLORD, OverlordFile
from bot.config.platforms import Token


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def small(written: str) -> str:
    if written != written.lower():
        raise ValueError(f"`{written}` is loud. Write `{written.lower()}`.")
    return written


Small = Annotated[str, AfterValidator(small)]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Between(1, 9)]
Number = Annotated[float, Between(0, 9)]


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (str, "", ""),
        (Flag, False, False),
        (Whole, 3, 3),
        (Whole, 3.0, 3),
        (Whole, " 3 ", 3),
        (Number, 3, 3.0),
        (Number, "2.5", 2.5),
        (str | None, None, None),
        (Colour, "blue", Colour.BLUE),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (dict[Small, Flag], {"a": True}, {"a": True}),
    ],
)
def test_what_can_be_used_becomes_a_value_of_its_type(kind: Any, written: Value, value: object) -> None:
    found: object = Model[object](kind).read(written)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "written", "told"),
    [
        (str, 5, '`5` cannot be used. Put it in quotes: "5".'),
        (str, None, "it is empty. Write text."),
        (Flag, "true", "`true` cannot be used. Write true or false."),
        (Whole, True, "`true` is not a number. Write a number."),
        (Whole, 2.5, "`2.5` cannot be used. Write a whole number."),
        (Whole, 0, "`0` cannot be used. Write at least 1."),
        (Number, 10, "`10` cannot be used. Write at most 9."),
        (Number, "nan", "`nan` cannot be used. Write a number."),
        (Number, 10**400, "cannot be used. Write a number."),
        (Number, [], "it is empty. Write a number."),
        (Colour, "green", "`green` cannot be used. Write one of `red` or `blue`."),
        (Colour, ["red"], "a list is written here. Write one of"),
        (tuple[str, ...], "a", "`a` cannot be used. Write a list"),
        (Annotated[tuple[str, ...], Field(max_length=1)], ["a", "b"], "there are 2 of them. Write at most 1."),
        (Annotated[str, Field(max_length=1)], "ab", "it has 2 characters. Write at most 1."),
        (Small, "A", "`A` is loud. Write `a`."),
    ],
)
def test_what_cannot_be_used_says_what_to_write(kind: Any, written: Value, told: str) -> None:
    with pytest.raises(Wrong) as caught:
        Model[object](kind).read(written, ("here",))
    [(where, what, step)] = caught.value.odd
    assert where == ("here",) and told in f"{what}. {step}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    name: str
    kind: Colour = Colour.RED


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    parts: tuple[Inner, ...] = ()
    rooms: Mapping[Small, Inner] = field(default_factory=dict)


def test_everything_that_is_wrong_is_told_with_its_place() -> None:
    with pytest.raises(Wrong) as caught:
        Model[Outer](Outer).read(
            {"parts": [{"kind": "x"}, {"nam": "a", "name": 1}, 5], "rooms": {"A": {"knd": "red"}}, "prts": 1}
        )
    told = {where: step for where, _, step in caught.value.odd}
    assert set(told) == {
        ("parts", 0, "kind"),
        ("parts", 0, "name"),
        ("parts", 1, "nam"),
        ("parts", 1, "name"),
        ("parts", 2),
        ("rooms", "A"),
        ("rooms", "A", "name"),
        ("rooms", "A", "knd"),
        ("prts",),
    }
    near = {name: told[where] for where in told if (name := where[-1]) in ("nam", "knd", "prts")}
    assert near == {"nam": "Did you mean `name`?", "knd": "Did you mean `kind`?", "prts": "Did you mean `parts`?"}


def test_a_secret_is_shown_by_nothing() -> None:
    model = Model[Secret](Token)
    token = model.read("canary")
    assert token.reveal() == "canary" and token and token == model.read("canary")
    assert "canary" not in f"{token} {token!r} {[token]}"
    with pytest.raises(Wrong) as caught:
        model.read(8888)
    assert "8888" not in str(caught.value)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
VALUES: st.SearchStrategy[Value] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@given(st.dictionaries(st.sampled_from([each.name for each in fields(OverlordFile)]), VALUES, max_size=6))
def test_whatever_is_written_it_is_read_or_told(data: dict[str, Value]) -> None:
    try:
        OVERLORD.read({"groups": {}, **data})
    except Wrong as wrong:
        assert all(where and what and step for where, what, step in wrong.odd)
