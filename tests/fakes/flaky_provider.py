"""A chat provider on loopback that takes a message and then resets, fails, dawdles or refuses; and our adapter for it.

It counts what *it* saw. It keeps two promises, as real ones do: what it answered 429 to it did not take, and what it
took it shows within LATEST seconds, whether or not the sender still lives.
"""

import asyncio
import json
import random
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

import httpx

from agents.domain.ids import Account, Thread
from bot.messages import Bounds, Card, Later, Platform, Refused, Unsure
from tests.faults.killing import Main, Ready

LATEST = 0.3  # real seconds
REFUSED = "refuse this"  # a card with these words is never taken


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Shares of posts that meet each fault."""

    reset_after_accept: float = 0.10
    error_after_accept: float = 0.05
    too_many: float = 0.10
    shown_late: float = 0.05

    def chosen(self, chance: random.Random) -> str:
        shares = (self.reset_after_accept, self.error_after_accept, self.too_many, self.shown_late)
        names = ("reset", "error", "429", "late", "")
        return chance.choices(names, (*shares, 1 - sum(shares)))[0]


NO_FAULTS = Faults(reset_after_accept=0, error_after_accept=0, too_many=0, shown_late=0)


@dataclass
class Provider:
    """What the provider remembers: each message of each thread, in the order it was shown."""

    faults: Faults
    chance: random.Random
    threads: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    number: int = 0

    async def answer(self, method: str, path: str, said: dict[str, str]) -> tuple[int, object] | None:
        """Status and body; None: the connection is reset."""
        if path == "/all":
            return 200, self.threads
        messages = self.threads.setdefault(unquote(path.removeprefix("/")), [])
        if method == "GET" and self.chance.random() < self.faults.too_many:
            return 429, {}
        if method == "GET":
            return 200, [m for m in messages if m["key"] == said["key"]]
        if method == "PUT" and REFUSED in said["text"]:
            return 400, {}
        if method == "PUT":
            found = [m for m in messages if m["id"] == said["id"]]
            for message in found:
                message["text"] = said["text"]
            return (200 if found else 404), {}
        return await self._post(messages, said)

    async def _post(self, messages: list[dict[str, str]], said: dict[str, str]) -> tuple[int, object] | None:
        if REFUSED in said["text"] and not said["key"].startswith("note:"):
            return 400, {}
        fault = self.faults.chosen(self.chance)
        if fault == "429":
            return 429, {}
        if fault == "late":
            await asyncio.sleep(self.chance.uniform(0.2, 1.0) * LATEST)
        self.number += 1
        messages.append({"id": f"m{self.number}", "key": said["key"], "text": said["text"]})
        return {"reset": None, "error": (500, {})}.get(fault, (200, {"id": f"m{self.number}"}))


def a_provider(faults: Faults, seed: int) -> Main:
    """A process of its own, so that it outlives the bot."""

    async def main(ready: Ready) -> None:
        provider = Provider(faults, random.Random(seed))

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # once it is read a request is carried out, also if whoever sent it is dead by then
            while request := await _request(reader):
                answer = await asyncio.shield(provider.answer(*request))
                if answer is None:
                    writer.transport.abort()
                    return
                body = json.dumps(answer[1]).encode()
                writer.write(b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s" % (answer[0], len(body), body))
            writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        ready(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await server.serve_forever()

    return main


async def _request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = head[0].split()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return method, path, json.loads(body or "{}")


class FlakyPlatform:
    """Implements bot.messages.Platform over HTTP, as an adapter for a real provider would."""

    name = "flaky"
    bounds = Bounds(title=300, text=3000, rows=10, lines=20, buttons=5, label=75, whole=12_000)
    settle = None

    def __init__(self, address: str) -> None:
        self._client = httpx.AsyncClient(base_url=address, verify=False, timeout=None)  # the outbox has the time-out

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        answer = await self._call("POST", thread, {"key": key, "text": card.fallback})
        return str(answer.json()["id"])

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        await self._call("PUT", thread, {"id": message, "text": card.fallback})

    async def find(self, thread: Thread, key: str) -> str | None:
        found = (await self._call("GET", thread, {"key": key})).json()
        return str(found[0]["id"]) if found else None

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        return Thread(f"{channel}:{key}")

    async def permalink(self, thread: Thread, message: str) -> str:
        return ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        await self._call("POST", thread, {"key": key, "text": card.fallback})

    async def mark_seen(self, thread: Thread, message: str) -> None:
        return

    async def _call(self, method: str, thread: Thread, said: dict[str, str]) -> httpx.Response:
        try:
            answer = await self._client.request(method, f"/{quote(thread, safe='')}", json=said)
        except httpx.ConnectError as problem:
            raise Later(1.0) from problem
        except httpx.TransportError as problem:
            raise Unsure(repr(problem)) from problem
        if answer.status_code == 429:
            raise Later(1.0)
        if answer.status_code >= 500:
            raise Unsure(f"status {answer.status_code}")
        if answer.status_code >= 400:
            raise Refused(f"status {answer.status_code}")
        return answer


_: type[Platform] = FlakyPlatform
