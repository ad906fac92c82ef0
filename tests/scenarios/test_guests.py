"""People of another workspace, and guests, are heard only where the channel's policy says so."""

from dataclasses import replace

from tests.fakes.llm import ThinkingLlm
from tests.scenarios.conftest import TWO_PROJECTS, Given, Opened, Play
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.slack_stage import SlackStage
from tests.scenarios.stage import until

STAGES = ("discord", "slack", "slack-http")  # on the console everybody has a login of their own
OPEN = "channels: {{'{channel}': {{outsiders: true}}}}"


def make_guest(play: Play, who: str) -> None:
    if isinstance(play.stage, DiscordStage):
        play.stage.fake.world.user(who).guest = True
    else:
        assert isinstance(play.stage, SlackStage)
        users, id = play.stage.fake.world.users, play.stage.account(who).rpartition(":")[2]
        users[id] = replace(users[id], team="T0FOREIGN")


async def test_a_guest_opens_no_task_and_is_told_in_private_who_may_ask(play: Play) -> None:
    make_guest(play, "gil")
    thread = await play.stage.say("gil", "speed up web", mention=True)

    async def told() -> int:
        await play.silence("gil", thread)
        whispers = await play.stage.whispers("gil", thread)
        return sum("Only people of this workspace may ask me here" in each.text for each in whispers)

    assert await until(told, "a private sentence") == 1
    assert not any(shown.by_bot and not shown.private for shown in await play.silence("ana", thread))
    assert await play.program.queries.tasks(play.stage.account("lead"), ended=True) == []


async def test_a_guest_steers_and_decides_nothing(play: Play) -> None:
    make_guest(play, "gil")
    thread = await play.stage.say("ana", "add login", mention=True)
    await play.sees("ana", thread, "which project is this for")
    await play.stage.say("gil", "stop", thread=thread, mention=True)
    await play.stage.press("gil", thread, "api")
    refusal = await play.sees("gil", thread, "This is not yours to decide")
    assert refusal.private
    await play.stage.press("ana", thread, "api")
    await play.sees("ana", thread, "State: Waiting for a plan", "Project: api")


async def test_where_the_channel_says_so_a_guest_is_heard_like_anybody(opened: Opened) -> None:
    play = await opened(Given(config=TWO_PROJECTS + OPEN, llm=ThinkingLlm()))
    make_guest(play, "gil")
    thread = await play.stage.say("gil", "speed up web", mention=True)
    await play.sees("gil", thread, "Waiting for a plan")
    await play.stage.say("gil", "stop", thread=thread)
    await play.sees("gil", thread, "T-1 is stopped")
