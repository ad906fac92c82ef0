"""A thousand silent connections and four hundred slow ones at the console and at Slack's HTTP door: both answer on.

python -m tests.bench.crowded_doors            about a minute and a half; as root the crowd is another user's

The program runs as everybody starts it, with 1,024 files at most. Who is ended comes back after a second.
"""

import asyncio
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import quantiles

import httpx

from tests.bench.ack import _listens, program
from tests.bench.floor import folder
from tests.fakes.another_user import STRANGER
from tests.fakes.ports import free_port
from tests.fakes.slack import fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET, signed
from tests.fakes.slack.server import BOT_TOKEN

FILES = 1024
SILENT, SLOW = 1000, 400  # connections at each door
SECONDS = {"silent": 25, "slow": 45}
ANSWER, WORST = 1.0, 10.0  # seconds: nineteen answers in twenty, and the worst, while all of them come at once
LIFE = 45.0  # seconds that a slow request may live: its 30, and a slow machine's
LOG = 100_000  # bytes that the log may grow by

# Holds so many connections for so long, opens new ones for those that are ended, and prints the longest life of one.
CROWD = """
import asyncio, encodings.idna, os, resource, sys, time
port, count, seconds, slow, user = map(int, sys.argv[1:])
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
if os.geteuid() == 0 and user:
    os.setgroups([]), os.setresgid(user, user, user), os.setresuid(user, user, user)
longest, until = 0.0, time.monotonic() + seconds

async def one():
    global longest
    while time.monotonic() < until:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.2)
            continue
        began = time.monotonic()
        try:
            if slow:
                writer.write(b"POST /slack/events HTTP/1.1\\r\\nHost: localhost\\r\\nX-Slow: ")
            while time.monotonic() < until:
                if slow:
                    writer.write(b"x")
                    await writer.drain()
                try:
                    if not await asyncio.wait_for(reader.read(4096), 1):
                        break
                except asyncio.TimeoutError:
                    pass
        except OSError:
            pass
        longest = max(longest, time.monotonic() - began)
        writer.close()
        await asyncio.sleep(1)

async def main():
    await asyncio.gather(*(one() for _ in range(count)))

asyncio.run(main())
print(longest)
"""


async def crowd(port: int, kind: str, count: int) -> float:
    words = (str(port), str(count), str(SECONDS[kind]), str(int(kind == "slow")), str(STRANGER))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-S", "-c", CROWD, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-500:]
    return float(out)


async def asked(visit: Callable[[httpx.AsyncClient], Awaitable[bool]], until: float) -> list[float]:
    """How long each answer took, over a new connection each; an answer that did not come took a minute."""
    took = []
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            async with httpx.AsyncClient(timeout=10, verify=False) as client:
                good = await visit(client)
        except httpx.HTTPError:
            good = False
        took.append(time.monotonic() - began if good else 60.0)
        await asyncio.sleep(0.25)
    return took


async def held(home: Path) -> int:
    """How many of our promises broke."""
    console, slack, broken = free_port(), free_port(), 0
    async with fake_slack() as fake:
        tokens = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url, "SLACK_SIGNING_SECRET": SIGNING_SECRET}
        ports = {"OVERLORD_HTTP_PORT": str(slack), "OVERLORD_CONSOLE_PORT": str(console)}
        async with program(home, {**tokens, **ports}, partial(_listens, console)):
            log = home / "log"

            async def read(client: httpx.AsyncClient) -> bool:
                return (await client.get(f"http://127.0.0.1:{console}/needs")).status_code == 200

            async def send(client: httpx.AsyncClient) -> bool:
                body = b'{"type": "url_verification", "challenge": "x"}'
                headers = {**signed(body), "Content-Type": "application/json"}
                return (
                    await client.post(f"http://127.0.0.1:{slack}/slack/events", content=body, headers=headers)
                ).text == "x"

            for kind, count in (("silent", SILENT), ("slow", SLOW)):
                before, until = log.stat().st_size, time.monotonic() + SECONDS[kind]
                reads, sends, *lives = await asyncio.gather(
                    asked(read, until), asked(send, until), crowd(console, kind, count), crowd(slack, kind, count)
                )
                grown = log.stat().st_size - before
                p95 = [quantiles(each, n=20)[18] * 1e3 for each in (reads, sends)]
                worst = max(*reads, *sends)
                fine = max(p95) <= ANSWER * 1e3 and worst <= WORST and grown <= LOG and max(lives) <= LIFE
                broken += not fine
                said = (
                    f"p95 console {p95[0]:.0f} ms, Slack {p95[1]:.0f} ms, worst {worst:.1f} s, log {grown / 1e3:.0f} kB"
                )
                verdict = "held" if fine else "BROKEN"
                print(f"{kind}: {count} at each door, {said}, longest life {max(lives):.0f} s: {verdict}", flush=True)
    return broken


def main() -> int:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, most), most))
    print(f"the crowd is {'another user' if os.geteuid() == 0 else 'the same user: not root, so no other can be had'}")
    with folder() as home:
        return asyncio.run(held(home))


if __name__ == "__main__":
    sys.exit(main())
