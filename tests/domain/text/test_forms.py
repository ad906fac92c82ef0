"""An answer is made to fit its schema, and what must be kept to the letter is."""

from typing import Any

import pytest

from agents.domain.text.forms import fit
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
