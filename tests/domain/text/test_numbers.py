"""Numbers and paths from outside that no honest sender writes."""

import math

import pytest

from agents.domain.checks.scope import twins
from agents.domain.text.sanitize import LONGEST_WAIT, MOST, count_of, seconds_to_wait, small_number


@pytest.mark.parametrize(
    ("written", "number"),
    [("0", 0), ("7", 7), ("999999999", MOST), ("9" * 10, None), ("9" * 20, None), ("9" * 5000, None), ("-1", None)]
    + [(odd, None) for odd in ("", " 1", "1.0", "+1", "1e3", "0x1", "٣", "²", "inf", "nan", "1_000", "1\n")],
)
def test_a_number_is_few_plain_digits(written: str, number: int | None) -> None:
    assert small_number(written) == number


@pytest.mark.parametrize(
    ("told", "count"), [(5, 5), (-3, 0), (10**30, MOST), (None, 0), ("5", 0), (math.inf, 0), (2.5, 0)]
)
def test_a_count_fits_into_a_column(told: object, count: int) -> None:
    assert count_of(told) == count


WAITS: list[tuple[object, float]] = [
    *[("3", 3.0), (1.5, 1.5), ("0", 0.1), (-7, 0.1), ("inf", LONGEST_WAIT), ("9" * 400, LONGEST_WAIT)],
    *[(1e300, LONGEST_WAIT), ("nan", 30.0), ("", 30.0), (None, 30.0), ([], 30.0), (10**400, 30.0)],
    ("Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
]


@pytest.mark.parametrize(("told", "seconds"), WAITS)
def test_nobody_makes_us_wait_for_ever(told: object, seconds: float) -> None:
    assert seconds_to_wait(told, 30.0) == seconds


@pytest.mark.parametrize(
    ("added", "there", "found"),
    [
        (["calc.py"], ["other.py"], []),
        (["Calc.py"], ["calc.py"], [("Calc.py", "calc.py")]),
        (["src/A.py"], ["Src/b.py"], [("src", "Src")]),
        (["a/B/c.py", "a/b/d.py"], [], [("a/b", "a/B")]),
        (["stra\u00dfe.py"], ["STRASSE.py"], [("stra\u00dfe.py", "STRASSE.py")]),
        (["caf\u00e9.py"], ["cafe\u0301.py"], [("caf\u00e9.py", "cafe\u0301.py")]),
        (["src/new.py", "src/deep/x.py"], ["src/old.py"], []),
    ],
)
def test_twins(added: list[str], there: list[str], found: list[tuple[str, str]]) -> None:
    assert twins(added, there) == found
