"""Forms in which something stands already, on each platform, and what is too long for one."""

import re

from agents.domain.ids import Account, DecisionId, Thread
from bot.messages import Button, Card, Choice
from bot.platforms.console.rendering import thread_path
from bot.platforms.discord import views
from bot.platforms.discord.notation import Act, CustomId
from bot.platforms.provider import without_long_forms
from bot.platforms.slack.blocks import Form, button_value, form_view, read_press
from tests.fakes.console import console
from tests.fakes.desk import ScriptedDesk

TOKEN = Choice(decision=DecisionId("d" * 22), letter="c")
LINES = "# number | title\n1 | Write the form"
EDIT = Button(label="Edit plan", choice=TOKEN, asks="One line a subtask", fill=LINES)
OTHER = Button(label="Later", choice=Choice(decision=DecisionId("d" * 22), letter="_"))


def test_slack_is_told_on_the_button_that_something_stands_in_its_form() -> None:
    """The text itself has no room there; it is read from the card when the form is opened."""
    press = read_press(button_value(EDIT, confirm=False, most=150))
    assert press and press.filled and press.opens_form and press.asks == EDIT.asks
    form = Form(token=TOKEN.token, thread="slack:T:C:1", channel="slack:T:C", message="1")
    [block] = form_view(form, press, EDIT.label, LINES)["blocks"]
    assert block["element"]["initial_value"] == LINES
    [empty] = form_view(form, press, EDIT.label)["blocks"]
    assert "initial_value" not in empty["element"]
    later = read_press(button_value(OTHER, confirm=False, most=150))
    assert later and later.token.endswith("._") and not later.opens_form


def test_discord_shows_it_in_the_one_field_of_its_form() -> None:
    made = views.form(EDIT.label, EDIT.asks, CustomId(act=Act.FORM, token=TOKEN.token), EDIT.fill)
    assert made["components"][-1]["component"]["value"] == LINES
    assert len(views.form("a", "b", CustomId(act=Act.FORM, token=TOKEN.token))["components"]) == 1


def test_what_is_too_long_for_a_form_is_left_to_the_console_and_that_is_said() -> None:
    card = Card(title="the plan", buttons=(EDIT,), more=(OTHER,))
    assert without_long_forms(card, len(LINES)) == card
    short = without_long_forms(card, len(LINES) - 1)
    assert short.buttons == () and short.more == (OTHER,)
    assert short.lines == ("Edit plan: in the console, for it is too long for a form here.",)


async def test_the_console_shows_it_with_and_without_scripts() -> None:
    desk = ScriptedDesk()
    thread = Thread("console:general:here")
    desk.write(thread, "console:general", Account("console:ana"), "add login")
    desk.post(thread, Card(title="the plan", buttons=(EDIT,), decision=TOKEN.decision))
    async with console(desk) as visit:
        page = await visit.get(thread_path(thread))
        assert 'data-lines="# number | title\n1 | Write the form"' in page.text
        fields = dict(re.findall(r'name="(thread|channel|message|shown|task|back)" value="([^"]*)"', page.text))
        form = await visit.post("/ask", token=TOKEN.token, **fields)
        assert f">{LINES}</textarea>" in form.text and "One line a subtask" in form.text
