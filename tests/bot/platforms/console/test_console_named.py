"""The page of projects, people and models: its forms say a command to the bot directly, for those who may."""

from bot.messages import Said
from tests.fakes.console import console, text_of
from tests.fakes.desk import ScriptedDesk


async def test_a_form_says_its_command_to_the_bot_directly() -> None:
    desk = ScriptedDesk()
    async with console(desk) as visit:
        page = await visit.get("/named")
        assert "shop" in page.text and "Remove shop" in text_of(page.text)
        sent = await visit.post(
            "/named", part0="projects", part1="add", part2=" bill ing ", part3="/src/billing", part4=""
        )
        assert sent.status_code == 303
    [said] = [each for each in desk.heard if isinstance(each, Said)]
    assert (said.text, said.direct, said.channel) == ("projects add billing /src/billing", True, "console:@ana")


async def test_only_those_who_may_see_the_page() -> None:
    async with console(ScriptedDesk(), login="ben") as visit:
        page = await visit.get("/named")
    assert page.status_code == 403 and "named by the operator and by admins" in page.text
