"""A console with a scripted desk as a process of its own user: says its address, and ends with its input."""

import asyncio
import sys

from tests.fakes.another_user import become
from tests.fakes.console import console


async def main(user: int) -> None:
    async with console() as visit:
        await visit.get("/needs")  # what it loads late is loaded now: its new user may not read the library's folder
        become(user)
        sys.stdout.write(f"{visit.url}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
