"""The login page in a browser: it needs no script, and none of ours runs there."""

import pytest
from playwright.async_api import Browser, expect

from tests.bot.console_tokens import Tokens, shared

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_signing_in_runs_into_no_error(chrome: Browser) -> None:
    context = await chrome.new_context()
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    async with shared(Tokens()) as visit:
        await page.goto(f"{visit.url}/login")
        await page.get_by_label("Name").fill("ana")
        await page.get_by_label("Login token").fill("token-of-ana")
        await page.wait_for_timeout(300)  # in which a script would have asked for changes
        assert errors == []
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("link", name="Sessions").first.click()
        await expect(page.get_by_role("heading", name="Sessions")).to_be_visible()
        await page.get_by_role("button", name="End all").click()
        await expect(page.get_by_label("Login token")).to_be_visible()
        assert errors == []
    await context.close()
