"""An answer is made to fit its schema, and what must be kept to the letter is."""

from typing import Any

import pytest

from agents.domain.text.forms import Ambiguous, fit
from agents.domain.text.sanitize import EXACT

TEXT: dict[str, Any] = {"type": "string", "maxLength": 40}


@pytest.mark.parametrize(
    ("value", "schema", "fitted"),
    [
        ("short", TEXT, "short"),
        ("much too long" * 9, {**TEXT, EXACT: True}, "much too long" * 9),
        (12, TEXT, "12"),
        (12, {**TEXT, EXACT: True}, 12),
        (True, TEXT, True),
        (["a", "b"], TEXT, "a; b"),
        (["a", "b"], {**TEXT, EXACT: True}, ["a", "b"]),
        ("one", {"type": "array", "items": TEXT}, ["one"]),
        ("None.", {"type": "array", "items": TEXT}, []),
        ("-", {"type": "array", "items": TEXT}, []),
        ("**", {"type": "array", "items": TEXT}, ["**"]),
        (["none", "**", "-", None], {"type": "array", "items": TEXT}, ["none", "**", "-"]),
    ],
)
def test_a_text_is_made_to_fit_unless_it_is_exact(value: Any, schema: dict[str, Any], fitted: Any) -> None:
    assert fit(value, schema, {}) == fitted


def test_what_is_too_long_is_cut() -> None:
    cut = fit("much too long " * 9, TEXT, {})
    assert cut.startswith("much too long") and len(cut) <= TEXT["maxLength"]


STATE: dict[str, Any] = {"enum": ["open", "closed"], "type": "string"}
FIELDS: dict[str, Any] = {"type": "object", "properties": {"state": STATE, "most": {"type": "integer"}}}


def test_a_word_is_found_among_those_of_its_schema_however_it_is_written() -> None:
    assert fit("Open", STATE, {}) == "open"
    assert fit({"state": "CLOSED"}, FIELDS, {}) == {"state": "closed"}


def test_fields_are_known_however_they_are_spelt_and_what_nobody_asked_for_is_left_out() -> None:
    assert fit({"STATE": "open", "Most": 3, "more": 1}, FIELDS, {}) == {"state": "open", "most": 3}


def test_a_field_that_stands_twice_must_say_the_same() -> None:
    assert fit({"most": 3, "Most": 3}, FIELDS, {}) == {"most": 3}
    with pytest.raises(Ambiguous, match="most stands twice"):
        fit({"most": 3, "Most": 4}, FIELDS, {})


@pytest.mark.parametrize(
    ("value", "fitted"), [("3", 3), ("3.0", 3), ("three", 3), ({"value": "3"}, 3), (3.5, 3.5), (1e20, 1e20), ("x", "x")]
)
def test_a_whole_number_is_read_from_whatever_says_one(value: Any, fitted: Any) -> None:
    found = fit(value, {"type": "integer"}, {})
    assert found == fitted and type(found) is type(fitted)
