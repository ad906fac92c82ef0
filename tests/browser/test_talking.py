"""Talking with the bot in a real browser: writing, pressing, and a page that stays fresh."""

import pytest
from playwright.async_api import Route, ViewportSize, expect

from agents.domain.errors import OverlordError
from agents.domain.ids import Thread
from bot.messages import Card, Edited, Tone
from bot.platforms.console.server import running
from tests.browser.window import ANA, BEN, DESKTOP, GENERAL, HERE, PHONE, Window, options
from tests.fakes.desk import plan_card

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def asked(window: Window, request: str = "add login") -> Thread:
    """A thread with a plan to approve, and the window on it."""
    window.desk.write(HERE, GENERAL, ANA, request)
    task = window.desk.open_task(HERE, request)
    window.desk.ask(task, plan_card(task))
    await window.go(f"/thread/{HERE}")
    return HERE


async def test_a_request_is_sent_and_answered(window: Window) -> None:
    await window.go("/c/general")
    composer = window.page.locator("#composer")
    await expect(composer).to_have_value("@overlord ")
    await composer.focus()
    await window.page.keyboard.type("add rate limiting")
    await window.page.keyboard.press("Enter")
    await expect(window.text("Plan for T-1: two subtasks")).to_be_visible()
    await expect(window.page.get_by_label("seen")).to_be_visible()
    await expect(composer).to_have_value("@overlord ")
    await expect(composer).to_be_focused()
    await expect(window.page.locator("#needs-count")).to_contain_text("1")
    assert [said.text for said in window.said()] == ["add rate limiting"]


async def test_shift_enter_makes_a_new_line(window: Window) -> None:
    await window.go("/direct")
    await window.page.locator("#composer").focus()
    await window.page.keyboard.type("first")
    await window.page.keyboard.press("Shift+Enter")
    await window.page.keyboard.type("second")
    await window.page.keyboard.press("Control+Enter")
    await expect(window.page.locator(".message").first).to_contain_text("second")
    assert window.said()[0].text == "first\nsecond"


async def test_a_suggestion_fills_the_composer(window: Window) -> None:
    await window.go("/c/quiet")
    await window.page.get_by_role("link", name="add a health check").click()
    composer = window.page.locator("#composer")
    await expect(composer).to_have_value("@overlord add a health check")
    await expect(composer).to_be_focused()
    assert window.said() == [], "it is sent by a person"
    await window.page.keyboard.press("Enter")
    await expect(window.text("Plan for T-1")).to_be_visible()
    assert window.said()[0].mentions_bot


async def test_a_lost_answer_keeps_the_words_and_cannot_double_them(window: Window) -> None:
    async def lose_the_answer(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await window.go("/c/general")
    await window.page.route("**/say", lose_the_answer)
    await window.page.locator("#composer").fill("@overlord only once")
    await window.button("Send message").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("cannot be reached")
    await expect(window.page.locator("#composer")).to_have_value("@overlord only once")
    await window.page.unroute("**/say")
    await window.button("Send message").click()
    await expect(window.page.locator("#composer")).to_have_value("@overlord ")
    await expect(window.page.get_by_role("alert")).to_be_hidden()
    assert len(window.said()) == 1


async def test_other_words_after_a_failure_are_a_new_message(window: Window) -> None:
    await window.go("/direct")
    window.desk.problem = OverlordError("The disk is full", next_step="Make room.")
    await window.page.locator("#composer").fill("one")
    await window.button("Send message").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("The disk is full. Make room.")
    first = await window.page.locator("[data-composer] [name=nonce]").input_value()
    window.desk.problem = None
    await window.page.locator("#composer").fill("two")
    await window.button("Send message").click()
    await expect(window.page.locator(".message").first).to_contain_text("two")
    assert [said.text for said in window.said()] == ["two"]
    assert not window.said()[0].key.endswith(first)


async def test_nothing_and_too_much_are_told_before_they_are_sent(window: Window) -> None:
    await window.go("/c/general")
    await window.button("Send message").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("nothing to send")
    await window.page.locator("#composer").fill("x" * 8_010)
    await window.button("Send message").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("10 characters too long")
    assert window.desk.heard == []


async def test_half_typed_words_survive_a_look_elsewhere(window: Window) -> None:
    await window.go("/c/general")
    await window.page.locator("#composer").fill("@overlord half a")
    await window.go("/tasks")
    await window.go("/c/general")
    await expect(window.page.locator("#composer")).to_have_value("@overlord half a")


async def test_a_button_decides(window: Window) -> None:
    await asked(window)
    await window.button("Approve plan").click()
    await expect(window.text("T-1: approve by Ana")).to_be_visible()
    await expect(window.button("Approve plan")).to_have_count(0)
    assert window.pressed()[0].message != ""


async def test_a_button_that_asks_opens_a_form(window: Window) -> None:
    await asked(window)
    await window.button("Request changes").click()
    dialog = window.page.get_by_role("dialog")
    await expect(dialog.get_by_label("What should change?")).to_be_focused()
    await window.page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await expect(window.button("Request changes")).to_be_focused()
    await window.button("Request changes").click()
    await dialog.get_by_label("What should change?").fill("smaller steps")
    await dialog.get_by_role("button", name="Request changes").click()
    await expect(dialog).to_be_hidden()
    await expect(window.text("smaller steps")).to_be_visible()
    assert [pressed.words for pressed in window.pressed()] == ["smaller steps"]


async def test_a_form_that_fails_keeps_its_words(window: Window) -> None:
    await asked(window)
    window.desk.problem = OverlordError("The store is busy", next_step="Try again.")
    await window.button("Request changes").click()
    dialog = window.page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("smaller steps")
    await dialog.get_by_role("button", name="Request changes").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("The store is busy")
    window.desk.problem = None
    await dialog.get_by_role("button", name="Request changes").click()
    await expect(dialog).to_be_hidden()
    assert [pressed.words for pressed in window.pressed()] == ["smaller steps"]


async def test_a_destructive_button_asks_first(window: Window) -> None:
    await asked(window)
    await window.page.locator("summary", has_text="More").click()
    await window.button("Cancel task").click()
    dialog = window.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Cancel this task? Its branch is kept.")
    await dialog.get_by_role("button", name="Cancel", exact=True).click()
    assert window.pressed() == []
    await window.page.locator("summary", has_text="More").click()
    await window.button("Cancel task").click()
    await dialog.get_by_role("button", name="Cancel task").click()
    await expect(window.text("T-1: cancel by Ana")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_a_menu_is_wholly_in_sight(window: Window, size: ViewportSize) -> None:
    await window.page.set_viewport_size(size)
    await asked(window)
    for path in ("/c/general", "/needs", "/task/T-1"):
        await window.go(path)
        await window.page.locator("summary", has_text="More").first.click()
        await expect(window.button("Cancel task").first).to_be_in_viewport(ratio=0.99)


async def test_what_needs_me_is_decided_there(window: Window) -> None:
    await asked(window)
    await window.go("/needs")
    await window.button("Approve plan").click()
    await expect(window.text("Nothing needs you")).to_be_visible()
    await expect(window.text("Your choice was taken")).to_be_visible()
    pressed = window.pressed()[0]
    assert (pressed.message, pressed.shown) == ("", f"print-{pressed.token.partition('.')[0]}")


async def test_a_refused_press_is_answered_where_it_was_made(window: Window) -> None:
    await asked(window)
    await window.go("/needs")
    window.desk.asked.clear()  # decided elsewhere, and this page has not heard of it
    await window.button("Approve plan").click()
    await expect(window.page.locator("#told")).to_contain_text("already decided by Ana")
    await window.button("Dismiss").click()
    await expect(window.page.locator("#told")).to_be_hidden()


async def test_news_arrives_and_leaves_everything_else_alone(window: Window) -> None:
    await asked(window)
    composer = window.page.locator("#composer")
    await composer.fill("half a thought")
    await composer.press("Home")
    await window.page.locator("summary", has_text="More").click()
    await composer.focus()
    window.desk.write(HERE, GENERAL, BEN, "and I agree")
    await expect(window.text("and I agree")).to_be_visible()
    await expect(composer).to_be_focused()
    await expect(composer).to_have_value("half a thought")
    assert await composer.evaluate("area => area.selectionStart") == 0
    await expect(window.page.locator("#announce")).to_have_text("Ben: and I agree")


async def test_an_edited_card_keeps_the_focus_and_is_not_read_out_again(window: Window) -> None:
    await asked(window)
    task = window.desk.open_tasks[next(iter(window.desk.open_tasks))]
    message = window.desk.threads[HERE].messages[-1]
    await window.button("Approve plan").focus()
    window.desk.alter(HERE, message.id, card=plan_card(task, title="Plan for T-1: three subtasks"))
    await expect(window.text("three subtasks")).to_be_visible()
    await expect(window.button("Approve plan")).to_be_focused()
    await expect(window.page.locator("#announce")).to_be_empty()


async def test_one_may_change_ones_own_words(window: Window) -> None:
    await asked(window, "add logn")
    await window.page.locator(".edit > summary").click()
    await window.page.get_by_label("Your message").fill("add login")
    await window.button("Save changes").click()
    await expect(window.page.locator(".message").first).to_contain_text("edited")
    assert [one.text for one in window.desk.heard if isinstance(one, Edited)] == ["add login"]


async def test_a_reader_above_stays_where_they_are_and_one_at_the_end_follows(window: Window) -> None:
    window.desk.write(HERE, GENERAL, ANA, "a long story")
    for n in range(40):
        window.desk.post(HERE, Card(title=f"Card {n}", text="line\n" * 4))
    await window.go(f"/thread/{HERE}")
    await expect(window.text("Card 39")).to_be_in_viewport()
    window.desk.post(HERE, Card(title="The newest", tone=Tone.GOOD))
    await expect(window.text("The newest")).to_be_in_viewport()
    await window.text("Card 3", exact=True).scroll_into_view_if_needed()
    window.desk.post(HERE, Card(title="Newer still"))
    await expect(window.text("Newer still")).to_be_attached()
    await expect(window.text("Card 3", exact=True)).to_be_in_viewport()


async def test_a_restart_is_told_calmly_and_caught_up(window: Window) -> None:
    """A second console on its own port, stopped and started again under an open page."""
    desk = window.desk
    async with running(desk, options(desk)) as url:
        port = int(url.rpartition(":")[2])
        window.url = url
        await asked(window)
        await expect(window.page.locator("#connection")).to_be_hidden()
    await expect(window.page.locator("#connection")).to_be_visible()
    desk.write(HERE, GENERAL, BEN, "said while you were away")
    async with running(desk, options(desk, port)):
        await expect(window.text("said while you were away")).to_be_visible()
        await expect(window.page.locator("#connection")).to_be_hidden()
        await window.button("Approve plan").click()
        await expect(window.text("T-1: approve by Ana")).to_be_visible()
        await window.page.goto("about:blank")
    window.elsewhere.clear()  # that second console was ours too
