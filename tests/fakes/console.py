"""A real console on a loopback port with a scripted desk behind it, and a browser-like visitor."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from html import unescape
from itertools import count

import httpx

from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from tests.fakes.desk import ScriptedDesk

SECRET = b"a secret for tests only"


@dataclass
class Visit:
    """What a browser does, without scripts: cookies are kept, forms carry the page's token and their own number."""

    url: str
    client: httpx.AsyncClient
    desk: ScriptedDesk
    csrf: str = ""

    def __post_init__(self) -> None:
        self._numbers = count(1)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        response = await self.client.get(path, headers=headers)
        if token := re.search(r'data-csrf="(\w+)"', response.text):
            self.csrf = token[1]
        return response

    async def post(self, path: str, headers: Mapping[str, str] | None = None, /, **fields: str) -> httpx.Response:
        """Send a form; `csrf` and `nonce` are filled in as a page would unless given."""
        if not self.csrf:
            await self.get("/needs")
        whole = {"csrf": self.csrf, "nonce": f"number-{next(self._numbers):04}", **fields}
        return await self.client.post(path, data=whole, headers=headers)

    async def say(self, text: str, **fields: str) -> httpx.Response:
        return await self.post("/say", **{"channel": "general", "text": text, **fields})


@asynccontextmanager
async def console(desk: ScriptedDesk | None = None, **change: object) -> AsyncIterator[Visit]:
    desk = desk or ScriptedDesk()
    options = ConsoleOptions(port=0, login="ana", secret=SECRET, now=lambda: desk.clock)
    async with running(desk, replace(options, **change)) as url, visitor(url) as client:  # type: ignore[arg-type]
        yield Visit(url, client, desk)


@asynccontextmanager
async def visitor(url: str) -> AsyncIterator[httpx.AsyncClient]:
    # nothing here is encrypted, and reading the machine's certificates takes longer than most tests
    async with httpx.AsyncClient(base_url=url, headers={"Origin": url}, timeout=60, verify=False) as client:
        yield client


def text_of(html: str) -> str:
    """What a page says, roughly: without tags."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


def filled_in(html: str) -> dict[str, str]:
    """What stands in the fields that people fill in, by name."""
    inputs = dict(re.findall(r'<input type="text" id="[^"]*" name="([^"]*)" value="([^"]*)"', html))
    areas = dict(re.findall(r'<textarea id="[^"]*" name="([^"]*)"[^>]*>([^<]*)</textarea>', html))
    chosen = {
        name: re.findall(r"<option selected>([^<]*)", options)[0]
        for name, options in re.findall(r'<select id="[^"]*" name="([^"]*)"[^>]*>(.*?)</select>', html, re.DOTALL)
    }
    return {name: unescape(value) for name, value in (inputs | areas | chosen).items()}
