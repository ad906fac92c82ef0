"""Takes the pictures in docs/pictures of the real program at work: `python -m tests.browser.pictures [NAME]`.

Those in the tree were made with the font Inter.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser

from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.browser.chromium import chromium, found
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.stage import until

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
DESKTOP, TALL, PHONE = (1180, 860), (1180, 1180), (390, 780)
PATIENCE = 180.0  # seconds; real minions and gates run meanwhile
SETTLED = 3.0  # until the status cards, edited two seconds apart, show their last word
BRING = """words => {
    const title = [...document.querySelectorAll(".card-title")].filter(e => e.textContent.includes(words)).at(-1);
    const message = title.closest(".message");
    message.style.scrollMargin = "24px";
    const tall = message.offsetHeight > message.closest(".scroll").clientHeight - 24;
    message.scrollIntoView({block: tall ? "start" : "end"});
}"""


@dataclass(frozen=True)
class Shot:
    name: str
    path: str
    size: tuple[int, int] = DESKTOP
    scheme: Literal["light", "dark"] = "light"
    to: str = ""  # the title of the card to bring into view
    typed: str = ""  # in the composer, not sent yet
    until: str = ""  # a pattern of words that the live page must show first


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


Snap = Callable[[Shot], Awaitable[None]]


async def a_morning(program: Program, snap: Snap) -> None:
    """Three rehearsed requests: one waits for more scope, one is argued about, one waits for approval."""
    stage = ConsoleStage(OnStage(program))
    counted = await stage.say("ana", "Count how often each link is used", mention=True)
    await _shows(stage, counted, "please look at the plan")
    await stage.press("ana", counted, "Approve plan")
    debate = await stage.say("ana", "Delete links that nobody has opened for a year", mention=True)
    await _shows(stage, debate, "needs your judgement")
    plan = await stage.say("ana", "Let links expire after a chosen number of days", mention=True)
    await _shows(stage, plan, "please look at the plan")
    await _shows(stage, counted, "may it write more?")
    await asyncio.sleep(SETTLED)
    for shot in shots(plan, debate):
        await snap(shot)


async def a_walk(program: Program, snap: Snap) -> None:
    """One request from words to merge: a picture at each step."""
    request = "Let links expire after a chosen number of days"
    await snap(Shot("walk-1-request", "/c/general", typed=f"@overlord {request}"))
    stage = ConsoleStage(OnStage(program))
    thread = await stage.say("ana", request, mention=True)
    at = f"/thread/{thread}"
    await _shows(stage, thread, "please look at the plan")
    await asyncio.sleep(SETTLED)
    await snap(Shot("walk-2-plan", at, TALL, to="T-1: please look at the plan"))
    await stage.press("ana", thread, "Approve plan")
    await snap(Shot("walk-3-at-work", at, to="T-1 · ", until=r"turn \d+, "))
    await _shows(stage, thread, "T-1.2 asks")
    await snap(Shot("walk-4-question", at, to="T-1.2 asks"))
    await stage.press("ana", thread, "An error of its own that says since when")
    await _shows(stage, thread, "T-1.3 was sent back")
    await snap(Shot("walk-5-sent-back", at, to="T-1.3 was sent back"))
    await _shows(stage, thread, "T-1.2 passed")
    await snap(Shot("walk-6-judged", at, to="T-1.2 passed"))
    await _shows(stage, thread, "T-1.4 passed its checks")
    await stage.press("ana", thread, "Continue")
    await _shows(stage, thread, "T-1 is ready to merge")
    await asyncio.sleep(SETTLED)
    await snap(Shot("walk-7-ready", at, TALL, to="T-1 is ready to merge"))
    await snap(Shot("console-phone-merge", at, PHONE, to="T-1 is ready to merge"))
    await snap(Shot("console-phone-task", "/task/T-1", PHONE, "dark"))
    for name, size in (("walk-8-diff", DESKTOP), ("console-diff-phone", PHONE)):
        await snap(Shot(name, "/task/T-1/kept/T-1.diff", size))
    await snap(Shot("console-diff-dark", "/task/T-1/kept/T-1.diff", scheme="dark"))
    await stage.press("ana", thread, "Merge it")
    await _shows(stage, thread, "T-1 is merged")
    await asyncio.sleep(SETTLED)
    await snap(Shot("walk-9-merged", at, to="T-1 is merged"))
    await snap(Shot("console-task-ended", "/task/T-1", TALL))


async def _shows(stage: ConsoleStage, thread: str, *words: str) -> None:
    async def look() -> bool:
        return any(all(word in message.text for word in words) for message in await stage.shown("ana", thread))

    await until(look, f"{words}", PATIENCE)


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
    if shot.until:
        await page.wait_for_function("words => new RegExp(words).test(document.body.innerText)", arg=shot.until)
    if shot.typed:
        await page.fill("#composer", shot.typed)
    if shot.to:
        await page.evaluate(BRING, shot.to)
    await page.screenshot(path=FOLDER / f"{shot.name}.png", animations="disabled")
    await context.close()


async def main(only: str) -> None:
    path = found()
    if path is None:
        sys.exit("No Chromium on this machine: sudo apt-get install chromium")
    FOLDER.mkdir(parents=True, exist_ok=True)
    async with chromium(path) as browser:
        for story in (a_morning, a_walk):
            with tempfile.TemporaryDirectory() as home:
                environ = {"OVERLORD_HOME": home, "OVERLORD_CONSOLE_PORT": "0"}
                settings = load_settings(environ, cwd=Path(home), user="ana")
                async with running(settings) as program:
                    await story(program, partial(_snap, browser, program.address, only))


async def _snap(browser: Browser, url: str, only: str, shot: Shot) -> None:
    if only in shot.name:
        await take(browser, url, shot)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
