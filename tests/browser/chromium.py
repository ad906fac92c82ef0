"""Finds and starts the machine's own Chromium; nothing is downloaded."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
)


def found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@asynccontextmanager
async def chromium(path: str) -> AsyncIterator[Browser]:
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*QUIET, *as_root])
        yield browser
        await browser.close()
