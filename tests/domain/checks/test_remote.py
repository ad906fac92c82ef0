"""What a forge's own checks come to."""

import pytest

from agents.domain.checks.evaluation import GATE_NAMES, Score
from agents.domain.checks.remote import (
    ALL,
    CheckState,
    RemoteCheck,
    Standing,
    checked_remotely,
    remote_names,
    standing_of,
    waiting_for,
)

W, P, F, S = CheckState.WAITING, CheckState.PASSED, CheckState.FAILED, CheckState.SKIPPED


def checks(*states: CheckState) -> tuple[RemoteCheck, ...]:
    return tuple(RemoteCheck(name=f"c{at}", state=state, url="u", why="w") for at, state in enumerate(states))


@pytest.mark.parametrize(
    ("states", "early", "late"),
    [
        ((), Standing.WAITING, Standing.NONE),
        ((S,), Standing.WAITING, Standing.NONE),
        ((P,), Standing.WAITING, Standing.PASSED),
        ((P, S), Standing.WAITING, Standing.PASSED),
        ((W,), Standing.WAITING, Standing.WAITING),
        ((F,), Standing.FAILED, Standing.FAILED),
        ((F, P, S), Standing.FAILED, Standing.FAILED),
        ((F, W), Standing.WAITING, Standing.WAITING),
    ],
)
def test_all_are_waited_for_and_none_is_no_pass(
    states: tuple[CheckState, ...], early: Standing, late: Standing
) -> None:
    assert standing_of(checks(*states), seconds=59, grace=60) is early
    assert standing_of(checks(*states), seconds=60, grace=60) is late


def test_what_ended_is_shown_as_the_forges_word_and_what_was_skipped_is_not() -> None:
    gates = checked_remotely(checks(P, F, S)).gates
    assert [(gate.name, gate.score, gate.remote, gate.skipped) for gate in gates] == [
        ("remote c0", Score.PASS, True, False),
        ("remote c1", Score.NEEDS_REVISION, True, False),
    ]
    (none,) = checked_remotely(checks(S)).gates
    assert (none.name, none.score, none.skipped) == (ALL, Score.PASS, True)


def test_no_name_on_the_forge_is_taken_for_a_gate_of_ours() -> None:
    named = [RemoteCheck(name=name, state=F, url="u").gate for name in GATE_NAMES]
    assert not set(named) & {*GATE_NAMES, ALL}


def test_those_that_wait_are_named_and_where_nobody_knows_them_it_is_all() -> None:
    assert waiting_for(checks(P, W, F, W)) == ("c1", "c3")
    assert remote_names(("c1", "c3")) == ("remote c1", "remote c3")
    assert remote_names(()) == (ALL,)
