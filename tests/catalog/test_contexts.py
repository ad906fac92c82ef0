"""Context strategies: those that come with the program, and what may be written over them."""

import pytest

from agents.catalog.contexts import CONTEXT, CONTEXTS, packaged_contexts
from agents.catalog.validation import Wrong
from agents.catalog.yaml import Value
from agents.domain.context.packing import MAX_BUDGET
from agents.domain.context.strategy import MEASURES, Input, Strategy

OURS = CONTEXTS.read(packaged_contexts().data)
SMALL: dict[str, Value] = {"token_budget": 9_000, "priority_order": ["task", "target"], "inputs": {"targets": 3}}


def test_the_budgets_are_those_of_the_specification() -> None:
    budgets = {name: each.token_budget for name, each in OURS.items()}
    assert budgets == {"planner_docset": 30_000, "implementer_targeted": 25_000, "reviewer_diff": 15_000}


def test_every_input_is_used_and_has_a_measure() -> None:
    assert {name for each in OURS.values() for name in each.inputs} == set(Input) == set(MEASURES)


def test_whatever_a_strategy_says_a_call_has_its_ceiling() -> None:
    assert Strategy(name="x").budget == 20_000
    assert Strategy(name="x", token_budget=10**9).budget == MAX_BUDGET == 50_000


def test_a_planner_is_shown_names_as_far_as_its_budget_reaches() -> None:
    whole = OURS["planner_docset"]
    assert whole.files_room == 60_000
    assert Strategy(name="x", token_budget=10_000, inputs=whole.inputs).files_room == 10_000
    assert Strategy(name="x", token_budget=1_000, inputs=whole.inputs).files_room == 0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"token_budget": 50_001}, "token_budget: `50001` cannot be used. Write at most 50000."),
        ({"token_budget": 10}, "token_budget: `10` cannot be used. Write at least 1000."),
        ({"budget": 9_000}, "budget: there is no such setting. Did you mean `token_budget`?"),
        ({"inputs": {"diffs": 1}}, "inputs.diffs: there is no such setting. Did you mean `diff`?"),
        ({"inputs": {"targets": 101}}, "inputs.targets: `101` cannot be used. Write at most 100."),
        ({"priority_order": ["target", "task"]}, "nothing comes before system, task, target."),
        ({"priority_order": ["task", "target", "task"]}, "it names a part twice. Name each once."),
        ({"priority_order": ["task"]}, "it does not say when `targets` is kept. Add `target`, or leave the input out."),
        ({"priority_order": ["everything"]}, "priority_order.0: `everything` cannot be used. Write one of `system`"),
    ],
)
def test_what_is_wrong_is_told(changes: dict[str, Value], told: str) -> None:
    with pytest.raises(Wrong) as wrong:
        CONTEXT.read({"name": "mine", **SMALL, **changes})
    assert told in str(wrong.value)


def test_a_strategy_is_called_as_it_is_written_below() -> None:
    assert CONTEXTS.read({"mine": dict(SMALL)})["mine"].name == "mine"
    with pytest.raises(Wrong, match=r"mine.name: it is written below `mine`. Write `mine`."):
        CONTEXTS.read({"mine": {"name": "yours", **SMALL}})
