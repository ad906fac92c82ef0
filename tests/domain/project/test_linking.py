"""Two accounts become one person only by both, in time, and by the operator where a right would move."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.domain.errors import PressRefused
from agents.domain.ids import Account, DecisionId, Thread
from agents.domain.project.linking import OPERATOR_HAS, Answer, LinkRequest, LinkState, Side, answer
from tests.store.room import MORNING

ONE, OTHER, EVE, OPERATOR = (Account(f"slack:T1:{name}") for name in ("ONE", "OTHER", "EVE", "OPERATOR"))
ASKED = LinkRequest(
    id=DecisionId("d" * 22),
    one=Side(account=ONE, thread=Thread("slack:T1:D1:1.0")),
    other=Side(account=OTHER, thread=Thread("slack:T1:D2:1.0")),
    until=MORNING + timedelta(minutes=10),
)


def says(by: Account, yes: bool = True, *, privileged: bool = False, minutes: float = 1) -> Answer:
    at = MORNING + timedelta(minutes=minutes)
    return Answer(by=by, yes=yes, privileged=privileged, operator=by == OPERATOR, at=at)


def after(*answers: Answer) -> LinkRequest:
    request = ASKED
    for given in answers:
        request = answer(request, given)
    return request


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ((says(ONE),), LinkState.OPEN),
        ((says(OTHER),), LinkState.OPEN),
        ((says(ONE), says(ONE)), LinkState.OPEN),
        ((says(ONE), says(OTHER)), LinkState.LINKED),
        ((says(OTHER), says(ONE)), LinkState.LINKED),
        ((says(ONE, False),), LinkState.REFUSED),
        ((says(ONE), says(OTHER, False)), LinkState.REFUSED),
        ((says(ONE, privileged=True), says(OTHER)), LinkState.OPEN),
        ((says(ONE), says(OTHER, privileged=True)), LinkState.OPEN),
        ((says(ONE), says(OTHER, privileged=True), says(OPERATOR)), LinkState.LINKED),
        ((says(ONE), says(OTHER, privileged=True), says(OPERATOR, minutes=600)), LinkState.LINKED),
        ((says(ONE), says(OTHER, privileged=True), says(OPERATOR, False)), LinkState.REFUSED),
        ((says(ONE), says(OTHER, privileged=True), says(ONE, False)), LinkState.REFUSED),
    ],
)
def test_what_becomes_of_it(answers: tuple[Answer, ...], state: LinkState) -> None:
    assert after(*answers).state is state


@pytest.mark.parametrize(
    "answers",
    [
        (says(EVE),),
        (says(EVE, False),),
        (says(OPERATOR),),  # never in place of the two
        (says(ONE), says(OPERATOR)),
        (says(ONE, minutes=11),),
        (says(ONE), says(OTHER), says(ONE)),
        (says(ONE, False), says(ONE)),
        (says(ONE), says(OTHER, privileged=True), says(OPERATOR, minutes=2 + OPERATOR_HAS / timedelta(minutes=1))),
    ],
)
def test_what_does_not_count(answers: tuple[Answer, ...]) -> None:
    before = after(*answers[:-1])
    with pytest.raises(PressRefused):
        answer(before, answers[-1])


def test_a_right_that_was_seen_once_is_not_forgotten() -> None:
    assert replace(after(says(ONE, privileged=True)), other=ASKED.other).privileged
