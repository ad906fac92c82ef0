"""A small change takes the short path, which is said in one line; a person may ask for the full one."""

from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import idle
from tests.scenarios.conftest import BY_TURNS, Given, Opened
from tests.scenarios.plans import GO, OK, means, subtask

STAGES = BY_TURNS
FIX = {
    "status": "COMPLETE",
    "goal": "The word is right",
    "subtasks": [subtask("Fix the word", files=["form.py"], tags=["security"])],
}

SPECIALIST = {"concerns": ["Look at the session"], "suggestions": []}


async def test_the_short_path_asks_fewer_and_a_press_asks_the_others(opened: Opened) -> None:
    always = {"decompose": FIX, "critic": GO, "custodiet": OK, "specialist": SPECIALIST, "intent": means("other")}
    llm = ScriptedLlm(always=always)
    play = await opened(Given(llm=llm, work=idle()))
    thread = await play.stage.say("ana", "fix the word in form.py", mention=True)
    await play.sees("lead", thread, "Short path", "one file, low risk", offers="Review in full")
    assert sorted(asked.question for asked in llm.asked) == ["critic", "custodiet", "decompose", "route"]
    await play.stage.press("ana", thread, "Review in full")
    await play.sees("lead", thread, "please look at the plan", "Look at the session", gone="Review in full")
    assert llm.count("specialist") == 1 and llm.count("decompose") == 1 and llm.count("critic") == 2
    await play.happened("FullReviewWanted")
