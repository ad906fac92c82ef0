"""Attack 57: what comes from outside is made harmless to show."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel

from agents.domain.text.sanitize import AnswerBound, clean, cut, one_line, or_else


@pytest.mark.parametrize(
    ("dirty", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;https://evil\x07click\x1b]8;;\x07", "click"),
        ("a\x00b\x07c", "abc"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("zero\u200bwidth\u2066x\u2069", "zerowidthx"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("família ñ 日本 👩‍💻", "família ñ 日本 👩‍💻"),
        ("\ud800lone", "lone"),
    ],
)
def test_escapes_controls_and_bidi_go_and_text_stays(dirty: str, harmless: str) -> None:
    assert clean(dirty) == harmless


def test_a_cut_says_how_much_is_left_out() -> None:
    assert cut("short", 100) == "short"
    long = cut("x" * 1000, 100)
    assert len(long) <= 100
    assert "more characters" in long


def test_a_hundred_megabytes_on_one_line_are_cleaned_in_linear_time() -> None:
    assert len(cut(clean("\x1b[" + "A" * 2_000_000), 100)) <= 100


def test_a_title_is_one_line() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert len(one_line("word " * 100)) <= 120


@dataclass(frozen=True)
class _Hint:
    kind: str


class _Hints(BaseModel):
    hints: Annotated[tuple[_Hint, ...], AnswerBound(2), or_else(())] = ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('[{"kind": "a"}]', 1),
        ("[]", 0),
        ('"x"', 0),
        ('[{"kind": 7}]', 0),
        ('[{"kind": "a"}, {"kind": "b"}, {"kind": "c"}]', 0),
    ],
)
def test_a_hint_is_kept_where_it_can_be_read_and_costs_nothing_where_not(said: str, kept: int) -> None:
    """Strictly, as answers of models are read."""
    assert len(_Hints.model_validate_json(f'{{"hints": {said}}}', strict=True).hints) == kept
