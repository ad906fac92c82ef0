"""The engine on the wire: a strict provider takes every message it sends, and every call is counted."""

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agents.ports import Asked, Finished, WantsScope
from tests.fakes.model_server import Fails, ModelServer, Says
from tests.llm.rig import Rig, rigged
from tests.minions.field import Field
from tests.minions.mortal_turns import Killed, MortalTurns

READ = ("read_file", '{"path": "README.md"}')
ASK = ("ask_human", '{"question": "Which?", "options": ["a", "b"]}')
WANT = ("request_scope", '{"paths": ["README.md"], "why": "it names it"}')
END = ("task_complete", '{"summary": "done"}')


def calls(*made: tuple[str, str], text: str | None = None) -> Says:
    return Says(text=text, calls=made, finish="tool_calls")


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    (tmp_path / "models").mkdir()
    async with rigged(tmp_path / "models", scale=20.0) as made:
        yield made


def script(server: ModelServer, *answers: Says | Fails) -> None:
    server.answers("any", *answers, Fails(status=500, message="asked too often"))


@pytest.mark.parametrize("route", ["hosted_vllm", "openai"])
async def test_a_whole_run_with_odd_turns_is_taken_by_a_strict_provider(ground: Field, rig: Rig, route: str) -> None:
    rig.route = route
    script(
        rig.server,
        calls(READ, ("launch", "{"), text="I begin."),
        Says(text="Just words."),
        calls(READ, ASK, READ),
        calls(WANT, END),
        calls(*[READ] * 25),
        calls(END, READ),
    )

    async def go_on(**work: Any) -> object:
        return await ground.engine(rig.job()).run(ground.brief(**work), ground.watch)

    assert isinstance(await go_on(), Asked)
    assert isinstance(await go_on(answer="b", questions=1), WantsScope)
    assert isinstance(await go_on(since=("No.",), answer="No.", questions=2), Finished)
    assert rig.server.count() == 6 and set(rig.server.statuses) == {200}
    sent = [seen.body["messages"] for seen in rig.server.seen]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before, "the beginning stays the same letter by letter"


async def test_a_turn_that_was_paid_is_not_paid_again_after_a_crash(ground: Field, rig: Rig) -> None:
    """P5: the model answered, the bot died before the turn was written, and the same job runs again."""
    script(rig.server, calls(READ), calls(("write_file", '{"path": "tests/new.py", "content": "x"}')), calls(END))
    ground.turns = MortalTurns(ground.turns, dies_at=2, after=False)
    with pytest.raises(Killed):
        await ground.engine(rig.job()).run(ground.brief(), ground.watch)
    assert rig.server.count() == 2
    ground.turns = ground.turns.inner
    outcome = await ground.engine(rig.job()).run(ground.brief(since=("The bot died.",)), ground.watch)
    assert isinstance(outcome, Finished)
    assert rig.server.count() == 3, "one call a turn"
    assert (ground.root / "tests/new.py").read_text() == "x"
