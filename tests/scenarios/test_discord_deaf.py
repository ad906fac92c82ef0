"""Discord without the message-content intent: one Answer… button on every card that asks, and it answers."""

from agents.domain.decisions.authority import Kind
from agents.domain.work.work import Ending
from agents.ports import Asked, GaveUp
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.scenarios.conftest import Opened
from tests.scenarios.working import THREE_SUBTASKS, at_work, given

STAGES = ("discord-deaf",)


async def test_one_answer_button_answers_the_card_that_it_is_on(opened: Opened) -> None:
    """Two questions are open, so the words alone would not tell which is meant."""
    asks = says(Asked(question="Which hash?", options=("bcrypt", "argon2")))
    stuck = says(GaveUp(ending=Ending.BLOCKED, problem="another team makes it"))
    work = Workshop(minions=ScriptedMinions(scripts={1: [asks], 2: [stuck]}))
    play, thread = await at_work(opened, given(work, decompose=THREE_SUBTASKS))
    question = await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    assert question.buttons.count("Answer…") == 1
    card = await play.sees("ana", thread, "T-1.2 (Check the password) needs you")
    assert card.buttons.count("Answer…") == 1
    await play.silence("ana", thread)
    await play.stage.press("ana", thread, "Answer…", words="keep the old name")  # on the newest card that has one
    told = {brief.subtask.number: brief.work.feedback for brief in work.minions.briefs}
    pressed = [m for m in await play.silence("ana", thread) if "keep the old name" in m.text]
    assert pressed, told
    await play.stage.press("ana", thread, "Answer…", words="scrypt")
    await play.sees("lead", thread, "T-1 is ready to merge")
    texts = [m.text for m in await play.silence("ana", thread)]
    assert not any("which of these do your words answer" in text for text in texts)


async def test_with_a_mention_words_answer_too_and_without_one_the_card_waits(opened: Opened) -> None:
    unclear = {"status": "NEEDS_REFINEMENT", "question": "For whom is the page?", "options": ["staff", "everybody"]}
    play = await opened(given(Workshop(), decompose=unclear))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("ana", thread, "For whom is the page?")
    assert card.buttons.count("Answer…") == 1
    await play.stage.say("ana", "staff", thread=thread)
    assert (await play.task()).of_kind(Kind.CLARIFICATION), "it arrives empty, so nothing is guessed"
    await play.stage.say("ana", "only for guests of the office", thread=thread, mention=True)
    await play.sees("ana", thread, "For whom is the page?", "only for guests of the office", gone="Answer…")
