"""What people are asked stands whole in the thread, and says why, for what, and what silence does."""

import pytest

from agents.ports import Asked
from tests.fakes.work import ScriptedMinions, Workshop, finishes, says
from tests.scenarios.conftest import ALL, Opened
from tests.scenarios.working import THREE_SUBTASKS, at_work, given

STAGES = ALL

LONG = (
    "Passwords are stored as MD5 today and 40,000 accounts have one. I can rehash each when its owner logs in next, "
    "which leaves old hashes for those who never come back, or force a reset for all. Which shall it be, given that "
    "the last line of this question is the one that matters: support is closed until Monday?"
)
REHASH = "Rehash each password when its owner logs in the next time, and keep old hashes for a year"
RESET = "Force a reset for everybody today, with a mail that explains why and a page that helps"
WHY = "Whoever reads the old hashes can log in as anybody"


async def test_a_long_question_and_its_options_are_whole(opened: Opened) -> None:
    asked = Asked(question=LONG, options=(REHASH, RESET), default=REHASH, why=WHY)
    work = Workshop(minions=ScriptedMinions(scripts={2: [says(asked), finishes()]}))
    play, thread = await at_work(opened, given(work, decompose=THREE_SUBTASKS))
    card = await play.sees("ana", thread, "T-1.2 asks", "support is closed until Monday?")
    for part in (LONG, f"1. {REHASH}", f"2. {RESET}", WHY, "If nobody decides, I take option 1"):
        assert part in card.text
    assert "T-1.2 waits for the answer, and so does T-1.3; everything else goes on" in card.text
    short = [label for label in card.buttons if label.startswith(("1: ", "2: "))]
    assert len(short) == 2 and max(map(len, short)) <= 45

    await play.stage.press("ana", thread, short[1])
    done = await play.sees("ana", thread, "T-1.2 asks", f"{RESET} (decided by", gone=short[1])
    assert LONG in done.text, "what was asked can be read afterwards"
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert any(RESET in brief.work.answer for brief in work.minions.briefs)


@pytest.mark.parametrize("words", ["2", "option 2"])
async def test_the_number_of_an_option_is_its_answer(opened: Opened, words: str) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [says(Asked(question="How?", options=(REHASH, RESET)))]}))
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 asks: How?", "If nobody answers, it waits, and I remind you")
    assert "T-1.1 waits for the answer" in card.text
    await play.stage.say("ana", words, thread=thread)
    await play.sees("ana", thread, f"{RESET} (decided by")


async def test_a_long_clarification_is_whole(opened: Opened) -> None:
    why = "Old passwords stop working, or stay weak"
    options = [REHASH, "Neither"]
    unclear = {"status": "NEEDS_REFINEMENT", "question": LONG, "options": options, "why_it_matters": why}
    play = await opened(given(Workshop(), decompose=unclear))
    thread = await play.stage.say("ana", "make logging in safe", mention=True)
    card = await play.sees("ana", thread, "T-1: a question about the request", LONG, f"1. {REHASH}", "2. Neither")
    for part in ("Why it matters", why, "nothing is planned before there is an answer", "If nobody answers"):
        assert part in card.text
    await play.stage.press("ana", thread, "2: Neither")
    assert LONG in (await play.sees("ana", thread, "Neither (decided by")).text
