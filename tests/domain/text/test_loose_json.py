"""An object that is written nearly as JSON is read where it has one meaning, and nowhere else."""

from typing import Any

import pytest

from agents.domain.text.loose_json import NotPlain, read_loosely


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{a: 'one', \"b\": 2,}", {"a": "one", "b": 2}),
        (r'{"a": "say \"yes\" \/ \\ no"}', {"a": 'say "yes" / \\ no'}),
        (r"{'a': 'it\'s'}", {"a": "it's"}),
        (r'{"a": "C:\dir\new\u0041"}', {"a": "C:\\dir\newA"}),
        ("{a: True, b: None, // why\n c: [1, 2.5,],}", {"a": True, "b": None, "c": [1, 2.5]}),
        ("{“a”: “one”}", {"a": "one"}),
    ],
)
def test_what_has_one_meaning_is_read(text: str, found: dict[str, Any]) -> None:
    assert read_loosely(text, 0) == (found, len(text))


@pytest.mark.parametrize("text", ["{a: one}", "{a: 1 b: 2}", '{"a": "x', "{a: 1", "{", "{a 1}", "{a: 1; b: 2}"])
def test_what_could_mean_two_things_is_not_read(text: str) -> None:
    with pytest.raises(NotPlain):
        read_loosely(text, 0)
