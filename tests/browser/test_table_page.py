"""A plan that is edited by hand in a browser: rows are moved on the page, and everybody can read and use it."""

import pytest
from playwright.async_api import expect

from agents.domain.ids import DecisionId
from agents.domain.planning.plan_faults import Fault
from bot.cards.planning.edit_form import COLUMNS
from bot.messages import Button, Card, Choice
from bot.platforms.console.rendering import thread_path
from tests.browser.judge import ask_judge
from tests.browser.window import ANA, GENERAL, HERE, PHONE, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")
EDIT = Button(
    label="Edit plan",
    choice=Choice(decision=DecisionId("d" * 22), letter="c"),
    asks="One line a subtask",
    fill="# number\n1 | Store an expiry with each link | feature | | links/store.py, links/model.py |\n"
    "2 | Refuse what is over | fix | implementer | links/web.py | 1\n3 | Say it in the docs | docs | | docs/ | 1, 2",
    columns=COLUMNS,
)
WRONG = (
    Fault(subject="Subtask 2", what="names ../x, which is not a path inside the project: it leads out", number=2,
          field="files"),
    Fault(subject="Subtask 3", what="is of kind docs, but its files are not: it is a feature", number=3, field="kind"),
)  # fmt: skip


async def open_table(window: Window) -> None:
    window.desk.write(HERE, GENERAL, ANA, "let links expire")
    window.desk.post(HERE, Card(title="T-1: please look at the plan", more=(EDIT, EDIT), decision=EDIT.choice.decision))
    await window.go(thread_path(HERE))
    await window.page.locator("details.menu summary").click()
    await window.button("Edit plan").first.click()
    await expect(window.page.get_by_role("heading", name="Edit plan")).to_be_visible()


async def test_rows_move_on_the_page_and_the_focus_stays_with_them(window: Window) -> None:
    await open_table(window)
    await window.page.get_by_label("Title").nth(1).fill("Answer 410")
    await window.button("Up, subtask 2").click()
    await expect(window.page.locator("legend").first).to_have_text("Subtask 2")
    await expect(window.button("Down, subtask 2")).to_be_focused()
    await expect(window.button("Up, subtask 2")).to_be_disabled()
    await window.page.get_by_label("Drop it").last.check()
    await window.page.get_by_label("Title").first.press("Enter")
    assert not window.pressed(), "the Enter key in a field sends nothing"
    await window.button("Send the new version").click()
    await expect(window.page).to_have_url(window.url + thread_path(HERE))
    (pressed,) = window.pressed()
    assert [line.partition(" | ")[0] for line in pressed.words.splitlines()] == ["2", "1", "# 3"]
    assert "Answer 410 | fix | implementer | links/web.py | 1" in pressed.words


async def test_the_table_with_its_faults_can_be_read_heard_and_touched(window: Window) -> None:
    await open_table(window)
    window.desk.faults = WRONG
    await window.button("Send the new version").click()
    await expect(window.text("Names ../x, which is not a path")).to_be_visible()
    for question in ("names", "structure", "contrast"):
        assert await ask_judge(window.page, question) == [], question
    await window.page.set_viewport_size(PHONE)
    for question in ("overflow", "targets"):
        assert await ask_judge(window.page, question) == [], question
