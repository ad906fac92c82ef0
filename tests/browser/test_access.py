"""Everybody can use it: by keyboard, by ear, in the dark, on a phone, whatever people write."""

from datetime import timedelta

import pytest
from playwright.async_api import expect

from agents.domain.ids import Thread
from agents.domain.task.task import TaskState
from agents.domain.work.outcome import Status, WorkerOutcome
from bot.messages import Arrow, Button, Card, Choice, Graph, Node, Row, Style, Tone
from tests.browser.judge import ask_judge
from tests.browser.window import ANA, BEN, GENERAL, HERE, PHONE, Window
from tests.fakes.desk import ScriptedDesk, plan_card

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEPT = ("/task/T-1/kept/T-1.diff", "/task/T-1/kept/T-1.1-1-tests")
PAGES = (
    *(
        "/c/general",
        "/c/quiet",
        "/direct",
        f"/thread/{HERE}",
        "/needs",
        "/tasks?ended",
        "/task/T-1",
        "/named",
        "/nothing",
    ),
    *KEPT,
)
STEPS = ("plan_review", "pre_commit_type_check", "安全审查和类型检查的步骤名称", "unbroken" * 6)
NASTY = "<script>window.pwned=1</script>\"'><img src=x onerror='window.pwned=2'>" + "unbroken" * 40


def furnish(desk: ScriptedDesk, words: str = "add login") -> None:
    """A little of everything: all tones, all states, a clock, forms, something private."""
    desk.write(HERE, GENERAL, BEN, words)
    task = desk.open_task(HERE, words)
    desk.status[task.id] = Card(title=words, lines=(words, f"{words}\n{words}\n  {words}"))
    old, new = f"--- a/{words}\n+++ b/{words}", f"@@ -1,2 +1,2 @@ {words}\n {words}\n-{words}\n+{words}\t\u202e{words}"
    desk.texts[task.id, "T-1.diff"] = f"diff --git a/{words} b/{words}\n{old}\n{new}\n"
    desk.texts[task.id, "T-1.1-1-tests"] = f"{words}\n{words}"
    decision = plan_card(task).buttons[0].choice.decision
    choice = Choice(decision=decision, letter="a")
    desk.ask(
        task,
        Card(
            title=words, text=words, rows=(Row(label=words, value=words), Row(label="Due", at=desk.clock)),
            lines=tuple([words] * 14), footer=words, until=desk.clock + timedelta(minutes=50), until_what=words,
            buttons=(
                Button(label="Approve plan", choice=choice, style=Style.PRIMARY),
                Button(label=words, choice=Choice(decision=decision, letter="b"), asks=words, confirm=words),
            ),
            more=(Button(label=words, choice=Choice(decision=decision, letter="c"), style=Style.DANGER),),
            tone=Tone.ASKING, decision=decision, fingerprint="shown", graph=graph(words),
        ),
    )  # fmt: skip
    desk.workflow = Graph(nodes=tuple(Node(id=n, label=words, column=0) for n in STEPS), arrows=(), text=words)
    desk.outcomes = (WorkerOutcome(run="T-1.1-1", worker="minion", status=Status.SUCCESS, action_taken=words),)
    desk.post(HERE, Card(title=words, tone=Tone.GOOD))
    desk.post(HERE, Card(title=words, tone=Tone.BAD), to=ANA)
    desk.write(HERE, GENERAL, ANA, words)
    for state in TaskState:
        thread = Thread(f"console:elsewhere:{state}")
        desk.write(thread, "console:elsewhere", BEN, words)
        desk.open_task(thread, words, state=state)


def graph(words: str) -> Graph:
    nodes = tuple(Node(id=str(n), label=words, column=n) for n in range(4))
    return Graph(nodes=nodes, arrows=(Arrow(start="0", end="3"), Arrow(start="3", end="1", dashed=True)), text=words)


async def test_every_control_has_a_name_and_every_page_a_shape(window: Window) -> None:
    furnish(window.desk)
    for path in PAGES:
        await window.go(path)
        assert await ask_judge(window.page, "names") == [], path
        assert await ask_judge(window.page, "structure") == [], path
        assert await ask_judge(window.page, "pictures") == [], path


@pytest.mark.parametrize("words", ["add login", NASTY, "添加登录页面添加登录页面添加登录页面", "WWWWWWWWWW " * 4])
async def test_nothing_leaves_its_box_in_a_picture(window: Window, words: str) -> None:
    furnish(window.desk, words)
    for path in (f"/thread/{HERE}", "/task/T-1"):
        await window.go(path)
        assert await window.page.locator(".picture text").count() > 4
        assert await ask_judge(window.page, "drawings") == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_words_stand_out_from_what_is_behind_them(window: Window, scheme: str) -> None:
    furnish(window.desk)
    await window.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for path in PAGES:
        await window.go(path)
        for menu in await window.page.locator("details").all():
            await menu.evaluate("menu => menu.open = true")
        assert await ask_judge(window.page, "contrast") == [], path
    await window.page.keyboard.press("?")
    assert await ask_judge(window.page, "contrast") == []


async def test_the_reader_chooses_light_or_dark(window: Window) -> None:
    await window.go("/needs")
    colours = []
    for scheme in ("light", "dark"):
        await window.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        colours.append(await window.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


async def test_a_narrow_phone_never_scrolls_sideways(window: Window) -> None:
    furnish(window.desk, NASTY)
    await window.page.set_viewport_size(PHONE)
    for path in PAGES:
        await window.go(path)
        assert await ask_judge(window.page, "overflow") == [], path
        assert await ask_judge(window.page, "targets") == [], path
    await window.go("/needs")
    await window.page.locator(".card button").nth(1).click()
    assert await ask_judge(window.page, "overflow") == []


async def test_whatever_is_written_stays_text(window: Window) -> None:
    furnish(window.desk, NASTY)
    for path in PAGES:
        await window.go(path)
        assert await window.page.evaluate("window.pwned") is None, path
        assert await window.page.locator("main img, main script").count() == 0, path
    await window.go(f"/thread/{HERE}")
    await window.page.locator(".card button").nth(1).click()
    dialog = window.page.get_by_role("dialog")
    await expect(dialog.locator("h2")).to_have_text(NASTY)
    await expect(dialog.locator("label")).to_have_text(NASTY)
    window.desk.write(HERE, GENERAL, BEN, f"live {NASTY}")
    await expect(window.page.locator("#announce")).to_contain_text("live <script>")
    assert await window.page.evaluate("window.pwned") is None


async def test_a_walk_with_nothing_but_keys(window: Window) -> None:
    keys = window.page.keyboard
    await window.go("/c/general")
    await keys.press("Tab")
    assert await window.focus() == "Skip to the page"
    await keys.press("/")
    await expect(window.page.locator("#composer")).to_be_focused()
    await keys.type("add login")
    await keys.press("Enter")
    await expect(window.text("Plan for T-1")).to_be_visible()
    await keys.press("Escape")
    await keys.press("j")
    await expect(window.page.locator(".thread")).to_be_focused()
    await keys.press("Enter")
    await expect(window.page.get_by_role("heading", level=1)).to_have_text("add login")
    await tab_to(window, "Approve plan, T-1: add login")
    outline = await window.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    await keys.press("Tab")
    await keys.press("Enter")
    await expect(window.page.get_by_label("What should change?")).to_be_focused()
    await keys.type("smaller")
    await keys.press("Tab")
    await keys.press("Tab")
    await keys.press("Enter")
    await expect(window.text("T-1: change by Ana")).to_be_visible()
    assert window.pressed()[0].words == "smaller"


async def tab_to(window: Window, name: str) -> None:
    seen = []
    for _ in range(40):
        await window.page.keyboard.press("Tab")
        label = " ".join((await window.page.evaluate("document.activeElement.textContent")).split())
        if label.replace(" ,", ",") == name:
            return
        seen.append(label[:40])
    raise AssertionError(f"Tab never came to {name}: {seen}")


async def test_the_focus_stays_inside_a_dialog(window: Window) -> None:
    furnish(window.desk)
    await window.go(f"/thread/{HERE}")
    await window.page.keyboard.press("?")
    dialog = window.page.get_by_role("dialog", name="Keyboard")
    await expect(dialog).to_be_visible()
    for _ in range(4):
        await window.page.keyboard.press("Tab")
        inside = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        assert await window.page.evaluate(inside)
    await window.page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()


async def test_arrows_and_letters_move_between_cards(window: Window) -> None:
    furnish(window.desk)
    await window.go("/tasks?ended")
    rows = window.page.locator("[data-stop]")
    await window.page.keyboard.press("j")
    await expect(rows.nth(0)).to_be_focused()
    await window.page.keyboard.press("ArrowDown")
    await expect(rows.nth(1)).to_be_focused()
    await window.page.keyboard.press("k")
    await expect(rows.nth(0)).to_be_focused()
    await window.page.keyboard.press("Enter")
    await expect(window.page.get_by_role("heading", name="What happened")).to_be_visible()


async def test_letters_typed_into_a_message_are_letters(window: Window) -> None:
    await window.go("/direct")
    await window.page.locator("#composer").focus()
    await window.page.keyboard.type("j/k?")
    await expect(window.page.locator("#composer")).to_have_value("j/k?")


async def test_a_menu_closes_with_escape_and_gives_the_focus_back(window: Window) -> None:
    furnish(window.desk)
    await window.go(f"/thread/{HERE}")
    more = window.page.locator("details.menu summary")
    await more.focus()
    await window.page.keyboard.press("Enter")
    await expect(window.page.locator("details.menu")).to_have_attribute("open", "")
    await expect(window.page.locator(".menu-list")).to_be_in_viewport(ratio=1)
    await window.page.keyboard.press("Escape")
    await expect(more).to_be_focused()
    await expect(window.page.locator(".menu-list")).to_be_hidden()


async def test_times_are_in_the_readers_zone_and_clocks_run(window: Window) -> None:
    furnish(window.desk)
    await window.go(f"/thread/{HERE}")
    await expect(window.page.locator("dd time")).to_have_text("15:02")  # 09:32 UTC in Kolkata
    left = window.page.locator("[data-until]")
    await expect(left).to_contain_text("in ")
    before = await left.text_content()
    await expect(left).not_to_have_text(before or "")


async def test_nothing_moves_for_those_who_asked_for_that(window: Window) -> None:
    await window.page.emulate_media(reduced_motion="reduce")
    await window.go("/needs")
    await window.page.keyboard.press("?")
    assert (
        await window.page.evaluate("getComputedStyle(document.querySelector('dialog[open]')).animationName") == "none"
    )
