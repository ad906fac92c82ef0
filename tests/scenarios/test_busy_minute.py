"""A busy minute takes nobody's controls: presses, answers and `stop` work, and what is over is refused in words."""

from agents.domain.task.task import TaskState
from agents.ports import Asked
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.scenarios.conftest import ALL, Opened
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.working import at_work, given

STAGES = ALL
TIGHT = "limits: {{quota_per_person: 3, quota_per_channel: 60, quota_window: 3600}}\n"


async def test_presses_answers_and_stop_are_heard_in_a_flood_of_requests_and_talk(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [says(Asked(question="Which colour?"))]}))
    play, thread = await at_work(opened, given(work, config=TIGHT))
    await play.sees("ana", thread, "Which colour?")
    for n in range(20):
        await play.stage.say("bo", f"did you see the game, part {n}?", thread=thread)
    floods = [await play.stage.say("ana", f"add page number {n}", mention=True) for n in range(6)]

    async def refused() -> bool:
        shown = [m for flood in floods for m in await play.stage.shown("ana", flood)]
        return any("at most 3 requests from one person" in m.text and "room again" in m.text for m in shown)

    await until(refused, "a sentence that says when there is room again")
    await play.stage.say("ana", "blue", thread=thread)
    await play.sees("ana", thread, "Which colour?", "blue")
    await play.stage.say("carl", "add a help page", mention=True)

    async def carl_is_heard() -> bool:
        return any("help page" in task.request.text for task in await play.program.queries.tasks(OPERATOR, ended=True))

    await until(carl_is_heard, "a request of somebody else")
    await play.sees("ana", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    tasks = await play.program.queries.tasks(OPERATOR, ended=True)
    assert sum("add page number" in task.request.text for task in tasks) == 2, (
        "three requests, of which one was the first"
    )


async def test_stop_is_heard_when_everything_else_is_over_the_quota(opened: Opened) -> None:
    play = await opened(given(Workshop(), config=TIGHT.replace("3,", "1,", 1)))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.say("ana", "status", thread=thread, mention=True)
    await play.sees("ana", thread, "at most 1 request")
    await play.stage.say("ana", "stop", thread=thread, mention=True)

    async def stopped() -> bool:
        return (await play.task()).state is TaskState.PAUSED

    await until(stopped, "T-1 is stopped")
