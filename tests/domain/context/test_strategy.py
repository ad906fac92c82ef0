"""How much a model is given to read: what a strategy asks for, within what one call may have."""

import pytest

from agents.domain.context.packing import MAX_BUDGET
from agents.domain.context.strategy import Strategy


@pytest.mark.parametrize(("wanted", "given"), [(5_000, 5_000), (MAX_BUDGET, MAX_BUDGET), (MAX_BUDGET + 1, MAX_BUDGET)])
def test_no_strategy_gets_more_than_one_call_may_have(wanted: int, given: int) -> None:
    strategy = Strategy(name="eager", token_budget=wanted)
    assert strategy.budget == strategy.room.budget == given
