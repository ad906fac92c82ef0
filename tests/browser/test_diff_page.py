"""The diff page in a real browser: finding a line, copying, and comments that become one request for changes."""

import pytest
from playwright.async_api import expect

from agents.domain.ids import TaskId
from agents.domain.task.task import TaskState
from tests.browser.window import ANA, GENERAL, HERE, PHONE, Window
from tests.fakes.desk import plan_card

pytestmark = pytest.mark.asyncio(loop_scope="session")
DIFF = '''\
diff --git a/shop/prices.py b/shop/prices.py
--- a/shop/prices.py
+++ b/shop/prices.py
@@ -1,6 +1,8 @@
 """What things cost."""
 
-def price(item, count):
-    return item.price * count  # <script>alert(1)</script>
+def price(item, count, discount=0):
+    if discount > 1:
+        raise ValueError("a discount is a share")
+    return item.price * count * (1 - discount)
 
 TAX = 0.19
diff --git a/docs/prices.md b/docs/prices.md
--- a/docs/prices.md
+++ b/docs/prices.md
@@ -1 +1,2 @@
 # Prices
+A discount is a share of the price.
'''


async def reading(window: Window, *, asked: bool = True) -> None:
    window.desk.write(HERE, GENERAL, ANA, "add discounts")
    task = window.desk.open_task(HERE, "add discounts", state=TaskState.RUNNING)
    window.desk.texts = {(TaskId("T-1"), "T-1.diff"): DIFF, (TaskId("T-1"), "T-1.1-1.patch"): DIFF}
    if asked:
        window.desk.ask(task, plan_card(task, "T-1 is ready to merge", "merge"))
    await window.go("/task/T-1/kept/T-1.diff")


async def test_a_line_is_linked_and_marked(window: Window) -> None:
    await reading(window)
    row = window.page.locator("tr#f1R4")
    await row.locator("a").click()
    assert window.page.url.endswith("#f1R4")
    assert await row.evaluate("row => row.matches(':target')")
    await expect(window.page.locator("tr#f1R3 .word")).to_have_text([", discount=", "0"])
    await expect(window.page.locator("tr#f1R3 .k")).to_have_text(["def"])
    await window.page.get_by_role("link", name="docs/prices.md").click()
    assert window.page.url.endswith("#f2")


async def test_comments_beside_lines_are_sent_as_one(window: Window) -> None:
    await reading(window)
    await window.page.locator("tr#f1R4").hover()
    await window.button("Comment on line 4").click()
    await window.page.keyboard.type("say which share")
    await window.page.locator("tr#f1L3").hover()
    await window.button("Comment on line 3").click()
    await window.page.keyboard.type("why rename?")
    await window.page.locator("tr#f2R2").hover()
    await window.button("Comment on line 2").click()
    await window.button("Remove").last.click()
    await window.page.locator("#review-words").fill("Nearly there")
    await window.button("Request changes (2 comments)").click()
    await expect(window.text("Your choice was taken")).to_be_visible()
    [pressed] = window.pressed()
    lines = pressed.words.split("\n")
    assert lines[0] == "Nearly there"
    assert set(lines[1:]) == {
        "shop/prices.py:4: say which share",
        "shop/prices.py:3 (as it was): why rename?",
    }


async def test_a_file_of_a_diff_is_copied(window: Window) -> None:
    await window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await reading(window)
    await window.page.get_by_role("button", name="Copy the changes of docs/prices.md").click()
    await expect(window.page.get_by_text("Copied")).to_be_visible()
    copied = await window.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("diff --git a/docs/prices.md") and "A discount is a share of the price." in copied
    assert "TAX" not in copied


async def test_it_is_read_on_a_phone(window: Window) -> None:
    await window.page.set_viewport_size(PHONE)
    await reading(window, asked=False)
    wider = await window.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wider, "a long line scrolls in its own box"
    await expect(window.page.locator("#review")).to_have_count(0)
