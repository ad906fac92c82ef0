"""Forms in which something stands already, on each platform, and what is too long for one."""

import re
from dataclasses import replace
from typing import Any

import pytest

from agents.domain.ids import Account, DecisionId, Thread
from agents.domain.planning.plan_faults import Fault
from bot.messages import Button, Card, Choice, FormColumn
from bot.platforms.console.rendering import thread_path
from bot.platforms.discord import views
from bot.platforms.discord.notation import Act, CustomId
from bot.platforms.provider import without_long_forms
from bot.platforms.slack.blocks import button_value, read_press
from bot.platforms.slack.forms import Form, errors_of, form_view, table_lines
from bot.platforms.slack.truncation import fits_table
from tests.fakes.console import console
from tests.fakes.desk import ScriptedDesk
from tests.fakes.slack.kit import check_view

TOKEN = Choice(decision=DecisionId("d" * 22), letter="c")
LINES = "# number | title\n1 | Write the form"
EDIT = Button(label="Edit plan", choice=TOKEN, asks="One line a subtask", fill=LINES)
OTHER = Button(label="Later", choice=Choice(decision=DecisionId("d" * 22), letter="_"))


def test_slack_is_told_on_the_button_that_something_stands_in_its_form() -> None:
    """The text itself has no room there; it is read from the card when the form is opened."""
    press = read_press(button_value(EDIT, confirm=False, most=150))
    assert press and press.filled and press.opens_form and press.asks == EDIT.asks
    form = Form(token=TOKEN.token, thread="slack:T:C:1", channel="slack:T:C", message="1")
    [block] = form_view(form, press, EDIT.label, EDIT)["blocks"]
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


COLUMNS = (
    FormColumn(name="title", label="Title"),
    FormColumn(name="kind", label="Kind", choices=("fix", "docs")),
    FormColumn(name="files", label="Files", hint="one a line", several=True),
)
ROWS = "# number | title\n1 | Write the form | fix | a.py, b.py\n2 | Check it | docs\n# 3 | Put together | fix | c.py"
TABLE = replace(EDIT, fill=ROWS, columns=COLUMNS)
FORM = Form(token=TOKEN.token, thread="slack:T:C:1", channel="slack:T:C", message="1")


def slack_table(button: Button = TABLE) -> dict[str, Any]:
    press = read_press(button_value(button, confirm=False, most=150))
    assert press
    view = form_view(FORM, press, button.label, button)
    assert not check_view(view), "Slack takes it"
    return view


def test_slack_shows_a_table_as_a_few_fields_a_row() -> None:
    view = slack_table()
    inputs = {block["block_id"]: block for block in view["blocks"] if block["type"] == "input"}
    assert list(inputs)[:4] == ["1.place", "1.title", "1.kind", "1.files"] and len(inputs) == 12
    assert inputs["1.files"]["element"]["initial_value"] == "a.py\nb.py" and inputs["1.files"]["optional"]
    assert inputs["2.kind"]["element"]["initial_option"]["value"] == "docs"
    assert inputs["3.place"]["element"]["initial_option"]["value"] == "drop", "it was dropped before"
    assert inputs["1.title"]["label"]["text"] == "1 · Title"


FIRST, SECOND, THIRD = "1 | Write the form | fix | a.py, b.py", "2 | Check it | docs |", "3 | Put together | fix | c.py"


@pytest.mark.parametrize(
    ("places", "lines"),
    [
        ({}, [FIRST, SECOND, f"# {THIRD}"]),
        ({"1": "3", "3": "3"}, [SECOND, THIRD, FIRST]),
        ({"2": "1", "1": "drop"}, [SECOND, f"# {FIRST}", f"# {THIRD}"]),
    ],
)
def test_slack_sends_a_table_back_as_lines_in_the_order_that_was_chosen(
    places: dict[str, str], lines: list[str]
) -> None:
    view = slack_table()
    form = Form.read(view["private_metadata"])
    assert form
    values = {
        block["block_id"]: block["element"].get("initial_value") or block["element"]["initial_option"]["value"]
        for block in view["blocks"]
        if block["type"] == "input" and block["element"].keys() & {"initial_value", "initial_option"}
    }
    chosen = {f"{key}.place": at for key, at in places.items()}
    assert table_lines(form, {**values, **chosen}).splitlines() == lines


def test_slack_shows_each_fault_beside_its_field() -> None:
    form = FORM.model_copy(update={"rows": ("1", "2"), "columns": ("title", "kind", "files")})
    faults = (
        Fault(subject="Subtask 1", what="names ../x", number=2, field="files"),
        Fault(subject="Subtask 1", what="is wrong", number=2, field="files"),
        Fault(subject="Subtask 2", what="takes 9 h", number=1),
        Fault(what="Nothing was changed"),
    )
    told = errors_of(form, faults)
    assert told["response_action"] == "errors"
    assert told["errors"] == {"2.files": "names ../x; is wrong", "1.place": "takes 9 h; Nothing was changed"}


def test_a_table_that_is_too_long_for_slack_is_lines_of_text_there() -> None:
    many = "\n".join(f"{number} | Title {number} | fix" for number in range(1, 30))
    long = replace(TABLE, fill=many)
    assert fits_table(TABLE) and not fits_table(long)
    [block] = slack_table(long)["blocks"]
    assert block["element"]["initial_value"] == many
    card = Card(title="the plan", buttons=(replace(TABLE, fill=f"1 | {'x' * 2900} | fix"),))
    assert without_long_forms(card, 2_800, fits_table) == card, "a field for each"
    assert not without_long_forms(card, 2_800).buttons


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
