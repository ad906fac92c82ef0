"""Takes the pictures in docs/pictures: `python -m tests.browser.pictures`. Those were made with the font Inter."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser

from bot.platforms.console.hosting import running
from bot.platforms.console.options import ConsoleOptions
from tests.browser.chromium import chromium, found
from tests.browser.sample import morning, thread
from tests.fakes.desk import ScriptedDesk

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
DESKTOP, TALL, PHONE = (1180, 860), (1180, 1180), (390, 780)


@dataclass(frozen=True)
class Shot:
    name: str
    path: str
    size: tuple[int, int] = DESKTOP
    scheme: Literal["light", "dark"] = "light"


SHOTS = (
    Shot("console-desktop-light", "/c/general", TALL),
    Shot("console-desktop-dark", "/c/general", TALL, "dark"),
    Shot("console-phone-light", "/needs", PHONE),
    Shot("console-phone-dark", f"/thread/{thread('limits')}", PHONE, "dark"),
    Shot("console-needs-me", "/needs", TALL),
    Shot("console-task", "/task/T-5", TALL),
    Shot("console-tasks", "/tasks?ended"),
)


async def take(browser: Browser, url: str, shot: Shot) -> None:
    width, height = shot.size
    scale = 2 if shot.size == PHONE else 1
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=shot.scheme,
        device_scale_factor=scale,
        timezone_id="Europe/Lisbon",
        locale="en-GB",
    )
    page = await context.new_page()
    await page.goto(url + shot.path, wait_until="load")
    await page.wait_for_function("document.querySelector('[data-shortcuts]')?.hidden === false")
    await page.screenshot(path=FOLDER / f"{shot.name}.png", animations="disabled")
    await context.close()


async def main(desk: ScriptedDesk, only: str) -> None:
    path = found()
    if path is None:
        sys.exit("No Chromium on this machine: sudo apt-get install chromium")
    FOLDER.mkdir(parents=True, exist_ok=True)
    options = ConsoleOptions(
        port=0, channels=("general", "platform"), login="ana", secret=b"only for pictures", now=lambda: desk.clock
    )
    async with running(desk, options) as url, chromium(path) as browser:
        for shot in SHOTS:
            if only in shot.name:
                await take(browser, url, shot)


if __name__ == "__main__":
    asyncio.run(main(morning(), sys.argv[1] if len(sys.argv) > 1 else ""))
