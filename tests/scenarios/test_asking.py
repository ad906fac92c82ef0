"""Messages that are no requests: questions about the code, commands in free words, mistyped ones, and talk."""

from typing import Any

import pytest

from agents.domain.asking.facts import Evidence
from agents.domain.task.task import TaskState
from agents.ports import Found
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.reader import ScriptedReader
from tests.fakes.work import Workshop, idle
from tests.scenarios.conftest import THREE, TWO_PROJECTS, Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.stage import until
from tests.scenarios.working import ONE

STAGES = THREE
PROJECT = "projects:\n  - {{name: web, path: {home}}}\n"
FOUND = Found(
    answer="Sessions end after an hour.",
    evidence=(Evidence(path="src/app.py", line=12), Evidence(path="src/login.py", line=3, last=9)),
    excerpts=("> 12  TIMEOUT = 3600\n", "> 3  def log_in():\n"),
    invented=1,
    turns=3,
)
AGAIN = Found(answer="Nothing tests it.", turns=1)


def routes(route: str, confidence: float = 0.95, **more: Any) -> dict[str, Any]:
    return {"route": route, "confidence": confidence, **more}


def given(*read: Any, found: tuple[Found, ...] = (FOUND, AGAIN), **always: Any) -> Given:
    answers = {"decompose": ONE, "critic": GO, "custodiet": OK, "intent": means("other"), **always}
    work = Workshop(minions=idle().minions, reader=ScriptedReader(answers=list(found)))
    return Given(config=PROJECT, llm=ScriptedLlm(route=list(read), always=answers), work=work)


async def ended(play: Play, state: TaskState) -> None:
    async def look() -> bool:
        return (await play.program.services.database.read(lambda tx: tx.log.task("T-1"))).state is state  # type: ignore[arg-type]

    await until(look, f"T-1 is {state}")


async def test_a_question_is_answered_in_its_thread_and_goes_on_there(opened: Opened) -> None:
    """No plan, no approval, no pull request; what is asked next goes on with it."""
    world = given(routes("question"), routes("question"))
    play = await opened(world)
    thread = await play.stage.say("ana", "how long does a session last?", mention=True)
    shown = await play.sees("ana", thread, "Sessions end after an hour.", "src/app.py:12", "src/login.py:3-9", "Cost")
    assert "1 place" in shown.text and "Turn this into a task" in shown.buttons
    await play.stage.say("ana", "and what tests that?", thread=thread, mention=True)
    await play.sees("ana", thread, "Nothing tests it.", "take it with care")
    briefs = world.work.reader.asked if world.work else []
    assert [brief.asked.text for brief in briefs] == ["how long does a session last?", "and what tests that?"]
    assert [each.answer for each in briefs[1].earlier] == ["Sessions end after an hour."]
    await ended(play, TaskState.ANSWERED)
    assert not {"DecompositionDrafted", "PullOpened", "Merged"} & set(await play.facts())


async def test_a_question_becomes_a_task(opened: Opened) -> None:
    world = given(routes("question"))
    play = await opened(world)
    thread = await play.stage.say("ana", "how long does a session last?", mention=True)
    await play.sees("ana", thread, "Sessions end after an hour.", offers="Turn this into a task")
    await play.stage.press("ana", thread, "Turn this into a task", words="let sessions last a day")
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    task = await play.task()
    assert task.id == "T-1" and task.request.text == "let sessions last a day"
    shown = await play.sees("ana", thread, "Sessions end after an hour.", gone="Turn this into a task")
    assert "src/app.py:12" in shown.text
    assert isinstance(world.llm, ScriptedLlm)
    told = next(each for each in world.llm.asked if each.question == "decompose").about["answers"]
    assert isinstance(told, list) and told[0]["answer"] == "Sessions end after an hour."
    assert told[0]["places"] == ["src/app.py:12", "src/login.py:3"]


async def test_a_request_that_was_a_question_is_answered(opened: Opened) -> None:
    """The button on the first card; the plan that nobody wants is gone with its buttons."""
    play = await opened(given(routes("change")))
    thread = await play.stage.say("ana", "why are sessions so short?", mention=True)
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    await play.stage.press("ana", thread, "Just answer it")
    await play.sees("ana", thread, "Sessions end after an hour.")
    await play.sees("lead", thread, "No longer needed: it was taken for something else", gone="Approve plan")
    await ended(play, TaskState.ANSWERED)


async def test_a_mistyped_command_is_offered_back(opened: Opened) -> None:
    play = await opened(given(routes("change"), routes("change")))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.say("ana", "stpo T-1", thread=thread, mention=True)
    await play.sees("ana", thread, "Did you mean", "stop T-1", offers="Do it: stop T-1")
    assert (await play.task()).state is TaskState.AWAITING_APPROVAL, "nothing is done by itself"
    await play.stage.press("ana", thread, "Do it: stop T-1")
    await play.sees("ana", thread, "Taken as", "stop T-1", gone="Do it: stop T-1")
    await play.happened("TaskStopped")


async def test_never_mind_in_the_thread_of_a_task_may_mean_all_of_it(opened: Opened) -> None:
    play = await opened(given(routes("change")))
    other = await play.stage.say("ana", "never mind, thanks", mention=True)
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.say("ana", "nvm", thread=thread)
    await play.sees("ana", thread, "Did you mean", "cancel", offers="Do it: cancel")
    await play.stage.press("ana", thread, "Do it: cancel")
    await play.sees("ana", thread, "Cancel T-1?", offers="Cancel task")
    assert not [shown for shown in await play.stage.shown("ana", other) if "mean" in shown.text], (
        "nothing was begun there"
    )


async def test_a_task_is_steered_in_free_words(opened: Opened) -> None:
    """From another thread; what would be lost is asked about first, and the words begin no task."""
    steer = (routes("steer", act="stop", task="T-1"), routes("steer", act="cancel", task="T-1"))
    play = await opened(given(routes("change"), *steer))
    first = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", first, "please look at the plan")
    other = await play.stage.say("ana", "hold your horses with T-1, would you", mention=True)
    await play.sees("ana", other, "Taken as a command:", "stop T-1")
    await ended(play, TaskState.PAUSED)
    other = await play.stage.say("ana", "T-1 was a bad idea, get rid of it", mention=True)
    await play.sees("ana", first, "Cancel T-1?", offers="Cancel task")
    await ended(play, TaskState.PAUSED)
    listed = await play.program.queries.tasks(play.stage.account("ana"), ended=True)
    assert [task.id for task in listed] == ["T-1"], "what was no request is in no list"


@on("slack")
@pytest.mark.parametrize(
    "read", [routes("question", 0.4), no_answer("it is not JSON")], ids=["not sure", "no answer that counts"]
)
async def test_what_nobody_could_read_is_asked_about(opened: Opened, read: Any) -> None:
    """Whatever a clumsy model says, nothing is done before a person says what it is."""
    play = await opened(given(read))
    thread = await play.stage.say("ana", "sessions, hm", mention=True)
    await play.sees("ana", thread, "shall I answer this, or change something?", offers="Change something")
    assert not {"ProjectChosen", "AnswerWanted"} & set(await play.facts())
    await play.stage.press("ana", thread, "Answer it")
    await play.sees("ana", thread, "Sessions end after an hour.")


@on("discord")
async def test_a_task_made_by_mistake_is_withdrawn_and_leaves_the_lists(opened: Opened) -> None:
    play = await opened(Given(config=TWO_PROJECTS, llm=ScriptedLlm(route=[routes("change")], project=[no_answer()])))
    thread = await play.stage.say("ana", "a note to myself", mention=True)
    await play.sees("ana", thread, "T-1", offers="Withdraw it")
    await play.stage.press("ana", thread, "Withdraw it")
    await play.sees("ana", thread, "Withdrawn: it was no request.", gone="Withdraw it")
    assert await play.program.queries.tasks(play.stage.account("ana"), ended=True) == []
