"""What runs at this moment, on a task's page in a real browser."""

import pytest
from playwright.async_api import Page, expect

from agents.domain.ids import TaskId
from agents.domain.task.task import TaskState
from tests.browser.judge import ask_judge
from tests.browser.window import ANA, DESKTOP, GENERAL, HERE, PHONE, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")
LINES = "".join(f"tests/test_module_{number}.py ........ [{number * 3:3} %]\n" for number in range(1, 31))


async def at_work(window: Window) -> None:
    window.desk.write(HERE, GENERAL, ANA, "add login")
    window.desk.open_task(HERE, "add login", state=TaskState.RUNNING)
    await window.go("/task/T-1")


async def from_the_end(page: Page) -> float:
    """How far the last lines are scrolled back."""
    scrolled: float = await page.evaluate("() => Math.abs(document.querySelector('.run .output').scrollTop)")
    return scrolled


async def test_what_runs_is_seen_as_it_goes_on_and_leaves_when_it_is_over(window: Window) -> None:
    await at_work(window)
    lines = window.page.get_by_role("region", name="The last lines of T-1.2")
    await expect(lines).to_have_count(0)
    with window.desk.runs("pytest -q", 2) as heard:
        await expect(lines).to_have_text("Nothing said yet.")
        await expect(window.page.locator(".run p")).to_contain_text("T-1.2 runs pytest -q")
        await lines.focus()
        heard(f"\n{LINES}<b>bold</b>\n")
        await expect(lines).to_contain_text("test_module_30.py")
        await expect(lines).to_contain_text("<b>bold</b>")
        await expect(lines).to_be_focused()
        assert await from_the_end(window.page) == 0, "the newest line is in sight"
        window.desk.record(TaskId("T-1"), "MinionProgressed", "It goes on")
        await expect(window.text("It goes on")).to_be_visible()
        await expect(lines).to_contain_text("test_module_30.py")
        await window.page.reload()
        await expect(lines).to_contain_text("test_module_30.py")
    await expect(lines).to_have_count(0)
    await expect(window.page.get_by_role("heading", name="Running now")).to_have_count(0)
    await expect(window.page.locator("#announce")).to_be_empty()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_can_be_read_by_everybody(window: Window, scheme: str) -> None:
    await window.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    await at_work(window)
    with window.desk.runs("pytest -q --long-option " + "x" * 90, 2) as heard, window.desk.runs("ruff", 3, "lint"):
        heard(LINES + "a long line " * 40 + "\n")
        await expect(window.page.locator(".run")).to_have_count(2)
        await expect(window.page.locator(".run").first).to_contain_text("a long line")
        for size in (DESKTOP, PHONE):
            await window.page.set_viewport_size(size)
            for question in ("names", "structure", "contrast", "overflow", "targets"):
                assert await ask_judge(window.page, question) == [], (size, question)
