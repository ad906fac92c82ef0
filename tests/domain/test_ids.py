"""Names that follow from a cause, and things with a few fields changed: quick ways to what the library would say."""

import base64
import uuid
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, strategies as st

from agents.domain.changes import changed
from agents.domain.ids import derived

OVERLORD = uuid.uuid5(uuid.NAMESPACE_DNS, "overlord")


@given(cause=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=4))
def test_a_derived_name_is_a_uuid_of_version_5_in_22_characters(cause: list[str]) -> None:
    known = base64.urlsafe_b64encode(uuid.uuid5(OVERLORD, "\x1f".join(cause)).bytes).rstrip(b"=").decode()
    assert derived(*cause) == known
    assert len(known) == 22


@dataclass(frozen=True, kw_only=True)
class Thing:
    name: str
    size: int = 0
    parts: tuple[str, ...] = ()


@given(changes=st.fixed_dictionaries({}, optional={"name": st.text(), "size": st.integers(), "parts": st.tuples()}))
def test_a_changed_thing_is_what_replace_makes_of_it(changes: dict[str, object]) -> None:
    thing = Thing(name="a", parts=("one", "two"))
    assert changed(thing, changes) == replace(thing, **changes)  # type: ignore[arg-type]
    assert thing == Thing(name="a", parts=("one", "two"))
    with pytest.raises(TypeError, match="Thing has no colour"):
        changed(thing, {**changes, "colour": "red"})
