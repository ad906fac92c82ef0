"""People in a hurry: odd words, two answers at once, long ones, a merge that failed, and nobody who looks."""

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.events import MinionAnswered
from agents.domain.task.task import TaskState
from agents.ports import Asked
from tests.fakes.work import Play as Plays, ScriptedMinions, Workshop, finishes, says
from tests.scenarios.conftest import ALL, Opened, Play
from tests.scenarios.stage import until
from tests.scenarios.working import at_work, given

STAGES = ALL
OPEN = Asked(question="Which header names the caller?")
SOON = "limits: {{reminder: 30}}\n"  # three seconds of a test


def asks(asked: Asked, then: Plays | None = None) -> Workshop:
    return Workshop(minions=ScriptedMinions(scripts={1: [says(asked), then or finishes()]}))


async def told_in_answer(play: Play) -> str:
    await play.happened("MinionAnswered")
    return next(each.event.answer for each in await play.log() if isinstance(each.event, MinionAnswered))


async def test_a_question_that_nobody_answers_is_reminded_of_with_what_it_asks(opened: Opened) -> None:
    play, thread = await at_work(opened, given(asks(OPEN), SOON))
    await play.sees("ana", thread, "T-1.1 asks: Which header names the caller?")
    card = await play.sees("ana", thread, "T-1 still waits for", "“T-1.1 asks: Which header names the caller?”")
    assert not card.buttons and (await play.task()).of_kind(Kind.QUESTION), "and it still waits"
    await play.stage.say("ana", "X-Real-IP", thread=thread)
    assert await told_in_answer(play) == "X-Real-IP"


async def test_signs_as_options_are_numbered_and_can_be_pressed_or_named(opened: Opened) -> None:
    play, thread = await at_work(opened, given(asks(Asked(question="Keep the old page?", options=("✅", "❌")))))
    card = await play.sees("ana", thread, "T-1.1 asks: Keep the old page?", "1. ✅", "2. ❌")
    assert {"1: ✅", "2: ❌"} <= set(card.buttons)
    await play.stage.say("ana", "2", thread=thread)
    assert await told_in_answer(play) == "❌"


@pytest.mark.parametrize(
    "words",
    [
        "<b>&amp;</b> *both* `x` _y_ ~z~ | > and \\n stays, 100 % – “quoted”",
        "first line\n\n  second line\n```\ncode & <tags>\n```",
        "Bitte so lassen 🙏 … и ещё раз, 谢谢 e\u0301",
    ],
)
async def test_an_answer_reaches_the_minion_as_it_was_typed(opened: Opened, words: str) -> None:
    play, thread = await at_work(opened, given(asks(OPEN)))
    await play.sees("ana", thread, "Which header names the caller?")
    await play.stage.say("ana", words, thread=thread)
    assert await told_in_answer(play) == words
    await play.sees("ana", thread, "Which header names the caller?", gone="Answer…")


async def test_a_very_long_answer_is_taken_whole_and_the_card_closes(opened: Opened) -> None:
    words = "\n".join(f"{number}. keep header {number} as it is" for number in range(1, 60))
    play, thread = await at_work(opened, given(asks(OPEN)))
    await play.sees("ana", thread, "Which header names the caller?")
    await play.stage.say("ana", words, thread=thread)
    assert await told_in_answer(play) == words
    await play.sees("ana", thread, "Which header names the caller?", "1. keep header 1", gone="Answer…")
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_a_second_thought_after_the_answer_is_kept_for_whoever_goes_on(opened: Opened) -> None:
    play, thread = await at_work(opened, given(asks(Asked(question="Which hash?", options=("bcrypt", "argon2")))))
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    await play.stage.say("ana", "Bcrypt!", thread=thread)
    await play.happened("MinionAnswered")
    await play.stage.say("ana", "no wait, the other one", thread=thread)
    assert await told_in_answer(play) == "bcrypt", "what was said first is the answer"

    async def kept() -> bool:
        return any(wish.words == "no wait, the other one" for wish in (await play.task()).wishes)

    await until(kept, "the second thought")
    assert "no wait" not in str(await play.facts())


async def test_a_merge_that_failed_says_so_and_no_minion_waits(opened: Opened) -> None:
    work = Workshop()
    work.forge.fits = False
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("lead", thread, "T-1 could not be merged", offers="Try the merge again")
    status = await play.sees("ana", thread, "T-1 · add a login page", "Could not be merged: it needs you")
    assert "minion waits" not in status.text
    work.forge.fits = True
    await play.stage.say("ana", "try again", thread=thread)
    await play.sees("ana", thread, "One press to confirm: T-1 could not be merged")
    await play.stage.press("ana", thread, "Try the merge again")
    await play.sees("ana", thread, "T-1 is merged")
    assert (await play.task()).state is TaskState.DONE
