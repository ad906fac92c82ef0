"""Takes the pictures in docs/pictures of the real program at work: `python -m tests.browser.pictures [NAME]`.

Those in the tree were made with the font Inter.
"""

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser

from bot.app import Program, running
from bot.settings import load_settings
from tests.browser.chromium import chromium, found
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.stage import until

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
DESKTOP, TALL, PHONE = (1180, 860), (1180, 1180), (390, 780)


@dataclass(frozen=True)
class Shot:
    name: str
    path: str
    size: tuple[int, int] = DESKTOP
    scheme: Literal["light", "dark"] = "light"


def shots(plan: str, debate: str) -> tuple[Shot, ...]:
    return (
        Shot("console-desktop-light", f"/thread/{plan}", TALL),
        Shot("console-desktop-dark", f"/thread/{plan}", TALL, "dark"),
        Shot("console-channel", "/c/general", TALL),
        Shot("console-debate", f"/thread/{debate}", TALL),
        Shot("console-phone-light", "/needs", PHONE),
        Shot("console-phone-dark", f"/thread/{plan}", PHONE, "dark"),
        Shot("console-needs-me", "/needs", TALL),
        Shot("console-task", "/task/T-1", TALL),
        Shot("console-tasks", "/tasks?ended"),
    )


class OnStage:
    """The program that runs here, as the console's stage wants it."""

    def __init__(self, program: Program) -> None:
        self.program = program


async def a_morning(program: Program) -> tuple[Shot, ...]:
    """Three rehearsed requests: one waits for approval, one is approved, one is argued about."""
    stage = ConsoleStage(OnStage(program))
    counted = await stage.say("ana", "Count how often each link is used", mention=True)
    await _shows(stage, counted, "Approve plan")
    await stage.press("ana", counted, "Approve plan")
    debate = await stage.say("ana", "Delete links that nobody has opened for a year", mention=True)
    await _shows(stage, debate, "Proceed as proposed")
    plan = await stage.say("ana", "Let links expire after a chosen number of days", mention=True)
    await _shows(stage, plan, "Approve plan")
    await asyncio.sleep(3)  # until the status cards, edited two seconds apart, show their last word
    return shots(plan, debate)


async def _shows(stage: ConsoleStage, thread: str, label: str) -> None:
    async def look() -> bool:
        return any(label in message.buttons for message in await stage.shown("ana", thread))

    await until(look, label)


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


async def main(only: str) -> None:
    path = found()
    if path is None:
        sys.exit("No Chromium on this machine: sudo apt-get install chromium")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environ = {"OVERLORD_HOME": home, "OVERLORD_CONSOLE_PORT": "0"}
        settings = load_settings(environ, cwd=Path(home), user="ana")
        async with running(settings) as program, chromium(path) as browser:
            for shot in await a_morning(program):
                if only in shot.name:
                    await take(browser, program.address, shot)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
