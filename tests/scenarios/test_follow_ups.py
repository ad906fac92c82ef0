"""After the end: what is said in the thread of an ended task is routed like any message, and knows what was done."""

from agents.domain.asking.facts import Evidence
from agents.domain.ids import TaskId
from agents.domain.task.task import TaskState
from agents.ports import Found
from tests.fakes.llm import ScriptedLlm
from tests.fakes.reader import ScriptedReader
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.stage import until
from tests.scenarios.test_asking import PROJECT, routes
from tests.scenarios.working import APPROVED, ONE

STAGES = THREE
BECAUSE = Found(answer="It checks the session first.", evidence=(Evidence(path="form.py", line=2),), turns=2)


def given(*read: dict[str, object]) -> Given:
    always = {"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED, "intent": means("other")}
    llm = ScriptedLlm(route=[routes("change"), *read], always=always)
    return Given(config=PROJECT, llm=llm, work=Workshop(reader=ScriptedReader(answers=[BECAUSE])))


async def merged(opened: Opened, scene: Given) -> tuple[Play, str]:
    play = await opened(scene)
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    return play, thread


async def at(play: Play, id: str, state: TaskState) -> None:
    async def look() -> bool:
        task = await play.program.services.database.read(lambda tx: tx.log.find(TaskId(id)))
        return task is not None and task.state is state

    await until(look, f"{id} is {state}")


async def test_more_is_asked_for_after_the_merge(opened: Opened) -> None:
    """Without a mention, by whoever asked first; both cards name the other task."""
    scene = given(routes("change"))
    play, thread = await merged(opened, scene)
    await play.stage.say("ana", "and also remember who logged in", thread=thread)
    await play.sees("lead", thread, "T-2: please look at the plan", offers="Approve plan")
    await play.sees("ana", thread, "T-2", "Follows", "T-1, which has ended")
    await play.sees("ana", thread, "T-1", "Followed by", "T-2")
    assert isinstance(scene.llm, ScriptedLlm)
    asked = [each for each in scene.llm.asked if each.question == "decompose"][-1].about["follows"]
    assert isinstance(asked, dict) and asked["task"] == "T-1" and asked["request"] == "add a login page"
    assert asked["state"] == "done" and asked["steps"] and asked["merged"]


@on("slack")
async def test_a_question_about_what_was_done_is_answered_from_its_record(opened: Opened) -> None:
    scene = given(routes("question"))
    play, thread = await merged(opened, scene)
    await play.stage.say("ana", "why does it check the session first?", thread=thread)
    await play.sees("ana", thread, "It checks the session first.")
    assert scene.work
    follows = scene.work.reader.asked[0].before["follows"]
    assert isinstance(follows, dict) and follows["task"] == "T-1"
    await at(play, "T-2", TaskState.ANSWERED)


@on("discord")
async def test_talk_after_the_end_opens_nothing(opened: Opened) -> None:
    play, thread = await merged(opened, given(routes("remark")))
    await play.stage.say("ana", "that went well, I will show it to the others", thread=thread)
    await at(play, "T-2", TaskState.WITHDRAWN)
    task = await play.program.services.database.read(lambda tx: tx.log.task(TaskId("T-1")))
    assert task.followed_by == ()
