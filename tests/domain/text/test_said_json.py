"""The one object in what a model wrote: taken from among words, refused where it is not plain which or what."""

from typing import Any

import pytest

from agents.domain.text.said_json import NoObject, find_object
from agents.domain.text.sanitize import strictly

DONE = {"verdict": "proceed"}
SAID = '{"verdict": "proceed"}'


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        f"\ufeff  {SAID}\n",
        f"Here it is:\n```json\n{SAID}\n```\nSo much for {{that}}.",
        f'<think>Maybe {{"verdict": "halt"}}</think>{SAID}',
        f'Maybe {{"verdict": "halt"}}, I thought.</THINKING> {SAID}',
        f"{SAID} and once more {SAID}",
        '{"verdict": "proceed",}',
        '{"verdict": "proceed", "verdict": "proceed"}',
        f"{{ {{ }} {SAID}",
    ],
)
def test_one_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert find_object(text) == DONE


def test_a_comma_too_many_is_dropped_outside_of_texts_alone() -> None:
    found: dict[str, Any] = find_object('{"why": "a, ] b", "list": [1, 2,],}')
    assert found == {"why": "a, ] b", "list": [1, 2]}


def test_what_follows_a_dropped_comma_is_still_read() -> None:
    with pytest.raises(NoObject, match="2 different JSON objects"):
        find_object('{"verdict": "halt",} {"verdict": "proceed"}')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("  ", "it is empty"),
        ("I would go on.", "it has no JSON object, and begins with “I would go on.”"),
        ("x" * 200, f"begins with “{'x' * 59}…”"),
        (f'{SAID} {{"verdict": "halt"}}', "it has 2 different JSON objects; one is wanted"),
        ('{"verdict": "pro', "its JSON object does not end: it was cut off"),
        ('{"verdict": "proceed"', "its JSON object does not end: it was cut off"),
        ('{"verdict": proceed, "why": "so"}', "its JSON is broken (Expecting value) near"),
        ('{"verdict": 1, "verdict": 2}', "the key verdict stands twice, with two values"),
        ('{"verdict": NaN}', "its JSON is broken (NaN is no value of JSON)"),
        ('{"verdict": ' + "[" * 100_000 + "]" * 100_000 + "}", "its JSON is nested too deep"),
        ("<reasoning>on and on", "it ended in the middle of its thoughts, before the answer"),
        (f"{SAID} <thought>or rather", "it ended in the middle of its thoughts, before the answer"),
        (f"{SAID} hm </think>", "it has no JSON object"),
    ],
)
def test_what_is_no_answer_says_why(text: str, why: str) -> None:
    with pytest.raises(NoObject) as refused:
        find_object(text)
    assert why in str(refused.value)


def test_a_broken_object_is_shown_where_it_breaks() -> None:
    before, after = "a" * 50, "b" * 50
    with pytest.raises(NoObject) as refused:
        find_object(f'{{"{before}": x{after}}}')
    near = str(refused.value).partition("near “")[2]
    assert near.startswith("a" * 27) and near.endswith("b" * 29 + "”") and len(near) <= 61


def test_the_strict_reader_takes_nothing_twice_and_no_number_that_is_none() -> None:
    assert strictly('{"a": {"b": 1}}') == {"a": {"b": 1}}
    with pytest.raises(ValueError, match="a key appears twice"):
        strictly('{"a": 1, "a": 1}')
    with pytest.raises(ValueError, match="Infinity is not JSON"):
        strictly('{"a": Infinity}')
