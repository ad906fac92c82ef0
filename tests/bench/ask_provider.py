"""The fake provider in a process of its own: says its address, and ends when its input does."""

import asyncio
import sys

from tests.fakes.model_server import ModelServer


async def main() -> None:
    async with ModelServer() as server:
        server.answers("any", {"verdict": "ok", "issue": "none that the request does not cover"})
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
