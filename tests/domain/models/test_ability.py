"""What keeps a model from serving a role, and how much of its window is for what."""

import pytest

from agents.domain.models.ability import (
    LEAST_ANSWER,
    LEAST_WINDOW,
    ROOMY,
    WITH_TOOLS,
    Ability,
    Lack,
    answer_room,
    lacks_for,
    least_window,
    reading_room,
)

WORKS, READS = sorted(WITH_TOOLS)[0], "nobody with tools"


@pytest.mark.parametrize(
    ("able", "working", "reading"),
    [
        (Ability(), (), ()),  # nothing is held against a model that nobody knows
        (Ability(tools=True, tagged=True, window=ROOMY), (), ()),
        (Ability(tools=False), (Lack.TOOLS,), ()),
        (Ability(tagged=False), (Lack.TAG,), (Lack.TAG,)),
        (Ability(problem="no key"), (Lack.ANSWER,), (Lack.ANSWER,)),
        (Ability(window=ROOMY - 1), (Lack.WINDOW,), ()),
        (Ability(window=LEAST_WINDOW), (Lack.WINDOW,), ()),
        (Ability(window=LEAST_WINDOW - 1), (Lack.WINDOW,), (Lack.WINDOW,)),
    ],
)
def test_what_a_model_lacks_for_a_role(able: Ability, working: tuple[Lack, ...], reading: tuple[Lack, ...]) -> None:
    assert (lacks_for(WORKS, able), lacks_for(READS, able)) == (working, reading)


def test_a_role_with_tools_takes_more_room() -> None:
    assert (least_window(WORKS), least_window(READS)) == (ROOMY, LEAST_WINDOW) and ROOMY > LEAST_WINDOW


def test_an_answer_has_its_share_of_the_window_and_never_too_little() -> None:
    assert answer_room(0, 5_000) == 5_000, "nobody knows the window"
    assert answer_room(1_000_000, 5_000) == 5_000
    assert answer_room(LEAST_ANSWER, 5_000) == LEAST_ANSWER
    assert reading_room(0, 100) == 0 and 0 < reading_room(10_000, 1_000) < 9_000 and reading_room(100, 200) == 1
