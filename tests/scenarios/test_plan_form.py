"""The form for editing a plan by hand: pages of the console without scripts, and the whole program behind them."""

import re

from bot.platforms.console.rendering import thread_path
from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from tests.fakes.console import SECRET, filled_in, text_of, visitor
from tests.scenarios.conftest import Given, Opened
from tests.scenarios.first_words import AT_FIRST

STAGES = ("console",)
PLACE = re.compile(r'name="(csrf|thread|channel|message|shown|task|back)" value="([^"]*)"')


async def test_a_form_says_what_is_wrong_beside_the_field_and_then_becomes_a_version(opened: Opened) -> None:
    play = await opened(Given())
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    await play.sees("ana", thread, "please look at the plan", offers="Edit plan")
    draft = (await play.task()).plan.draft
    assert draft
    options = ConsoleOptions(port=0, login="ana", secret=SECRET, now=play.program.services.clock.now)
    async with running(play.program.queries, options) as url, visitor(url) as client:
        page = (await client.get(thread_path(thread))).text
        card = page[page.rindex("please look at the plan") :]
        tokens = re.findall(r'value="([^"]*)" data-press(?: data-table)', card)
        place = {"nonce": "number-0001", "token": tokens[0], **dict(PLACE.findall(card))}
        form = await client.post("/ask", data=place)
        assert "Edit plan of" in text_of(form.text)
        filled, rows = {**place, **filled_in(form.text)}, [str(step.number) for step in draft.steps]
        wrong = await client.post("/table", data={**filled, "row": rows, "files-2": "../../etc/passwd"})
        assert wrong.status_code == 400
        assert re.search(r'id="problem-files-2">Names \.\./\.\./etc/passwd, which is not a path', wrong.text)
        assert filled_in(wrong.text)["files-2"] == "../../etc/passwd", "nothing typed is lost"
        edit = {**filled, "row": rows, "title-1": "Keep an expiry", f"drop-{rows[-1]}": "on"}
        sent = await client.post("/table", data=edit)
        assert sent.status_code == 303 and sent.headers["location"].startswith("/thread/")
    shown = await play.sees("ana", thread, "please look at the plan, version 2", "renamed 1", "dropped 3")
    assert "Keep an expiry" in shown.text and "Approve plan" in shown.buttons
    after = (await play.task()).plan
    assert after.draft and [step.title for step in after.draft.steps] == ["Keep an expiry", draft.steps[1].title]
