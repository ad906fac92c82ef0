"""Who is believed: whoever reports planted tests as they end, and leaves behind what was heard."""

from dataclasses import replace

import pytest

from agents.workspace.gates.planted.belief import Belief, Claimed, Heard, Told, weigh

CLAIM = Claimed(exit_code=0, tests=1)


def heard(*told: tuple[str, str, str], ended: bool = True, planned: tuple[str, ...] = ("a",)) -> Heard:
    said = tuple(Told(kind, about, outcome, expected=False) for kind, about, outcome in told)
    return Heard(spoke=True, planned=planned, told=said, ended=ended)


CAUGHT = ("fails", "a", "failed")
GOOD = ("real", "a", "passed")


def test_whoever_reports_them_as_they_end_is_believed() -> None:
    assert weigh(heard(CAUGHT, ("passes", "a", "passed"), GOOD), CLAIM) == (Belief.BELIEVED, "")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (heard(("fails", "a", "passed"), GOOD), "planted to fail"),
        (heard(CAUGHT, ("passes", "a", "failed"), GOOD), "planted to pass"),
        (heard(("fails", "a", "skipped"), GOOD), "beside a did not fail"),
        (heard(GOOD), "beside a did not fail"),
        (heard(CAUGHT, ("real", "a", "failed")), "tests failed while it ran"),
        (heard(CAUGHT, GOOD, ended=False), "not heard to its end"),
        (heard(), "more tests than ran"),
        (Heard(spoke=True, garbled=True), "somebody else"),
    ],
)
def test_whoever_reports_otherwise_is_doubted(said: Heard, why: str) -> None:
    belief, doubt = weigh(said, CLAIM)
    assert belief is Belief.DOUBTED and why in doubt


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        (Heard(), Claimed(exit_code=2)),  # it could not even start
        (Heard(spoke=True), Claimed(exit_code=0)),  # it left early, and there is no report to believe
        (heard(("real", "d", "passed"), planned=()), CLAIM),  # beside no such test another can be planted
        (heard(("fails", "a", "skipped"), ("real", "a", "skipped")), CLAIM),
    ],
)
def test_where_nothing_can_be_compared_nothing_is_known(said: Heard, claimed: Claimed) -> None:
    assert weigh(said, claimed) == (Belief.UNKNOWN, "")


def test_whoever_was_cut_short_is_neither_believed_nor_doubted_unless_it_lied_before() -> None:
    cut = replace(heard(CAUGHT, GOOD, ended=False), cut=True)
    assert weigh(cut, Claimed(exit_code=0, tests=9)) == (Belief.UNHEARD, "")
    assert weigh(replace(cut, ended=True), CLAIM)[0] is Belief.BELIEVED
    lied = replace(heard(("fails", "a", "passed"), GOOD, ended=False), cut=True)
    assert weigh(lied, CLAIM)[0] is Belief.DOUBTED


def test_a_test_that_passed_when_it_was_tried_again_did_not_fail() -> None:
    again = heard(CAUGHT, ("real", "a", "failed"), ("real", "a", "rerun"), GOOD)
    assert again.failures == 0 and weigh(again, Claimed(exit_code=0, tests=1))[0] is Belief.BELIEVED


def test_honest_failures_are_believed() -> None:
    failing = heard(CAUGHT, ("real", "a", "failed"))
    assert weigh(failing, Claimed(exit_code=1, tests=1, failed=1)) == (Belief.BELIEVED, "")


@pytest.mark.parametrize("lines", [[["plan", 1, []], ["plan", 1, []]], [["real", "a"]], [5], [[]], [["plan"]], [{}]])
def test_what_we_would_not_say_is_not_read(lines: list[object]) -> None:
    with pytest.raises((ValueError, TypeError, IndexError, KeyError)):
        Heard.read(lines, spoke=True)
