"""More choices than buttons: with a hundred projects each can be reached, by a menu or by its name in a reply."""

from agents.domain.decisions.authority import Kind
from tests.fakes.llm import ThinkingLlm
from tests.scenarios.conftest import ALL, Given, Opened
from tests.scenarios.stage import until

STAGES = ALL


def projects(count: int) -> str:
    return "projects:\n" + "".join(f"  - {{{{name: project-{n}, path: {{home}}}}}}\n" for n in range(1, count + 1))


async def test_the_last_of_thirty_projects_can_be_pressed_and_named(opened: Opened) -> None:
    play = await opened(Given(config=projects(30), llm=ThinkingLlm()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("ana", thread, "which project is this for")
    assert {f"project-{n}" for n in range(1, 31)} <= {label.removeprefix("Use ") for label in card.buttons}
    label = next(label for label in card.buttons if label.endswith("project-30"))
    await play.stage.press("ana", thread, label)

    async def chosen() -> bool:
        return (await play.task()).project == "project-30"

    await until(chosen, "project-30")
    thread = await play.stage.say("ana", "add a help page", mention=True)
    await play.sees("ana", thread, "could be about several projects")
    await play.stage.say("ana", "project-29", thread=thread)

    async def named() -> bool:
        task = await play.task()
        return task.request.text == "add a help page" and task.project == "project-29"

    await until(named, "project-29")


async def test_the_last_of_two_hundred_projects_is_named_in_a_reply(opened: Opened) -> None:
    play = await opened(Given(config=projects(200), llm=ThinkingLlm()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("ana", thread, "which project is this for")
    task = await play.task()
    asked = task.of_kind(Kind.PROJECT)
    assert asked and len(asked.options) == 200, "no choice is dropped"
    assert len(card.buttons) == 200 or "reply with the one you want" in card.text
    await play.stage.say("ana", "project-199 please", thread=thread)

    async def named() -> bool:
        return (await play.task()).project == "project-199"

    await until(named, "project-199")
