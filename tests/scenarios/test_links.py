"""Readers of a chat are not on the bot's machine: they get an address that they can open, or the thing itself."""

import pytest

from tests.fakes.work import Workshop, failing
from tests.scenarios.conftest import ALL, Opened, Play
from tests.scenarios.public_links import PUBLIC, cards, linked
from tests.scenarios.working import at_work, given

STAGES = ALL


@pytest.mark.parametrize("public", ["", PUBLIC])
async def test_the_diff_is_there_before_the_merge_is_decided(opened: Opened, public: str) -> None:
    play, thread = await at_work(opened, given(Workshop(), public))
    card = await play.sees("lead", thread, "T-1 is ready to merge", *(["Show the diff"] if public else []))
    if play.stage.name == "console":
        assert "/task/T-1/kept/T-1.diff" in await linked(play, "T-1 is ready to merge")
    elif public:
        assert "https://overlord.example/task/T-1/kept/T-1.diff" in await linked(play, "T-1 is ready to merge")
        await play.sees("ana", thread, "T-1 · add a login page", "Task page")
    else:
        assert "127.0.0.1" not in card.text and await attached(play, "T-1 is ready to merge") == ("T-1.diff",)


async def test_the_patch_of_a_step_that_failed_comes_with_its_card(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {f"T-1.1-{n}": (failing(),) for n in (1, 2, 3)}
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you")
    if play.stage.name != "console":
        assert (await attached(play, "needs you"))[0].endswith(".patch")


async def attached(play: Play, words: str) -> tuple[str, ...]:
    return (await cards(play, words))[-1][0]
