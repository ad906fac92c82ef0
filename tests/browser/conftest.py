"""One browser and one page for all tests here, a console for each."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.chromium import chromium, found
from tests.browser.window import Window, new_page, opened

expect.set_options(timeout=60_000)  # machines are shared, and waiting costs only who fails


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chrome() -> AsyncIterator[Browser]:
    path = found()
    if path is None:
        pytest.skip("no Chromium on this machine, so the console was not tried in a browser (apt-get install chromium)")
    async with chromium(path) as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def blank(chrome: Browser) -> Page:
    return await new_page(chrome)


@pytest_asyncio.fixture(loop_scope="session")
async def window(blank: Page) -> AsyncIterator[Window]:
    async with opened(blank) as made:
        yield made
