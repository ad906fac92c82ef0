"""A window on a console of its own. It fails a test that made the page err or ask anybody else for anything."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from agents.domain.ids import Account, Thread
from bot.cards.opening import Opening
from bot.messages import Pressed, Said
from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from tests.fakes.desk import ScriptedDesk

ANA, BEN = Account("console:ana"), Account("console:ben")
GENERAL = "console:general"
HERE = Thread("console:general:here")
DESKTOP: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 360, "height": 740}


@dataclass
class Window:
    page: Page
    desk: ScriptedDesk
    url: str
    elsewhere: list[str] = field(default_factory=list)  # requests to anybody but the console
    errors: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        await self.page.goto(self.url + path)
        await expect(self.page.locator("[data-shortcuts]:not([hidden])")).to_be_attached()  # scripts have run

    async def focus(self) -> str:
        """What has the focus, by what a person would call it."""
        found: str = await self.page.evaluate(
            "() => { const e = document.activeElement; return e.ariaLabel || e.innerText || e.id || e.tagName }"
        )
        return found.strip()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def text(self, words: str, *, exact: bool = False) -> Locator:
        """On the page itself, not in what is told to those who listen."""
        return self.page.locator("main").get_by_text(words, exact=exact)

    def said(self) -> list[Said]:
        return [one for one in self.desk.heard if isinstance(one, Said)]

    def pressed(self) -> list[Pressed]:
        return [one for one in self.desk.heard if isinstance(one, Pressed)]


def options(desk: ScriptedDesk, port: int = 0) -> ConsoleOptions:
    return ConsoleOptions(
        port=port,
        channels=("general", "quiet"),
        login="ana",
        secret=b"only for the browser's tests",
        opening=Opening(suggestions=("add a health check",)),
        now=lambda: desk.clock,
    )


async def new_page(chrome: Browser) -> Page:
    context = await chrome.new_context(timezone_id="Asia/Kolkata", locale="en-GB")
    context.set_default_timeout(30_000)
    return await context.new_page()


@asynccontextmanager
async def opened(page: Page) -> AsyncIterator[Window]:
    """On a page that served before: a new one starts programs, which takes longer than most tests. What a page
    remembers it remembers for an address, and each console has another; cookies and looks are put back."""
    desk = ScriptedDesk({"ana": "Ana", "ben": "Ben"})
    await page.context.clear_cookies()
    await page.set_viewport_size(DESKTOP)
    await page.emulate_media(color_scheme="null", reduced_motion="null")
    async with running(desk, options(desk)) as url:
        window = Window(page, desk, url)
        heard: dict[str, Callable[[Any], None]] = {
            "request": lambda r: None if r.url.startswith(url) else window.elsewhere.append(r.url),
            "pageerror": lambda error: window.errors.append(str(error)),
            "dialog": lambda dialog: window.errors.append(f"dialog: {dialog.message}"),
            "console": lambda m: window.errors.append(m.text) if "Content Security Policy" in m.text else None,
        }
        for event, hear in heard.items():
            page.on(event, hear)  # type: ignore[call-overload]
        yield window
        for event, hear in heard.items():
            page.remove_listener(event, hear)
        await page.goto("about:blank")
    assert window.elsewhere == []
    assert window.errors == []
