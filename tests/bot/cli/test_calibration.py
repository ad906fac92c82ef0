"""Whether a model heeds a note is shown by two plans, and said as what it is: one try of one model."""

from collections.abc import Mapping

import pytest

from agents.domain.models.routing import ROLES, Chosen, Model, Served
from bot.cli.learning.calibration import MARK, compare_plans
from bot.doctor_check import State
from tests.fakes.model_server import KEY, LARGE, ModelServer, Says
from tests.llm.rig import LOADED


def plan(path: str) -> Says:
    subtask = {"number": 1, "title": "Count words", "why": "it was asked for", "files": [path], "test": "it counts"}
    return Says(value={"status": "COMPLETE", "goal": "Words are counted", "subtasks": [subtask]})


def only(server: ModelServer) -> Chosen:
    model = Model(name=f"openai/{LARGE}", base_url=server.url, api_key=KEY)
    return {role: Served(models=(model,), why="a test") for role in ROLES}


HEEDED, USUAL = plan(f"shop/{MARK}words.py"), plan("shop/words.py")
CASES: Mapping[str, tuple[Says, Says, State, str]] = {
    "heeded": (HEEDED, USUAL, State.OK, "it heeds notes. That is one try of one model"),
    "not heeded": (USUAL, USUAL, State.WARN, "shop/words.py"),
    "anyway": (HEEDED, HEEDED, State.WARN, "nothing can be said"),
    "unreadable": (Says(text="I would rather not"), USUAL, State.WARN, "no plan that can be read"),
}


@pytest.mark.parametrize("case", CASES)
async def test_what_a_note_changes_is_told(case: str) -> None:
    told, untold, state, words = CASES[case]
    async with ModelServer() as server:
        server.answers("decompose", told, untold)
        check = await compare_plans(only(server), LOADED)
    assert (check.state, words in check.seen) == (state, True), check.seen
    if case == "heeded":
        first, second = (seen.text for seen in server.seen[-2:])
        assert "## PROJECT KNOWLEDGE" in first and MARK in first
        assert MARK not in second, "the same question without the note"


async def test_without_a_model_it_says_that_nothing_is_shown() -> None:
    rehearsal = Model(name="rehearsal/sample")
    chosen: Chosen = {role: Served(models=(rehearsal,), why="a test") for role in ROLES}
    check = await compare_plans(chosen, LOADED)
    assert check.state is State.WARN and "no model is configured" in check.seen
