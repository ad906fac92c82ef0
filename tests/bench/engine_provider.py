"""The fake provider in a process of its own, for minions: it wants the same file read, turn after turn."""

import asyncio
import sys

from tests.fakes.model_server import ModelServer, Says


async def main() -> None:
    async with ModelServer() as server:
        server.answers("any", Says(calls=(("read_file", '{"path": "notes.txt"}'),), finish="tool_calls"))
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
