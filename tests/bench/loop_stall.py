"""The longest the event loop is held up while 50 people are busy at once, and while nobody is (P11).

The whole program runs in this process. Fifty people open tasks, choose, remark and cancel through the desk; what they
do goes through inbox, readers, jobs and outbox into the console's threads. Meanwhile two pages are open: each holds a
stream of changes and reads its channel again whenever it hears of one, as a browser does. A heartbeat beside them
counts how late it is ever woken. The limit is absolute by nature; the idle loop of the same run is printed beside it.

`loop_stall` is the median of the rounds' worst, for the machine may be busy with other things. It would hide what
happens once, so `loop_stall_first` is the first round, where much is used for the first time, and `loop_stall_max` the
worst of all, which is what P11 is about. `loop_stall_litellm` is while litellm is loaded, once in a program's life,
when it first asks a model: single calls into C of that library let nobody else run.
"""

import asyncio
from pathlib import Path
from statistics import median

import httpx

from agents.llm.gateway import Gateway
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.fakes.ports import free_port
from tests.faults.console_trial import furnished
from tests.faults.soak import Busy, Soaked, beating

PEOPLE, PAGES, ROUNDS = 50, 2, 3
IDLE = 2.0  # seconds
MOST = 200.0  # milliseconds
PATIENCE = 60.0  # seconds for one round


def run(say: Say) -> list[Row]:
    with folder() as place:
        loading, worst = asyncio.run(_measure(place, say))
    usual = median(busy for busy, _ in worst), median(idle for _, idle in worst)
    return [
        _row("loop_stall", *usual, most=MOST),
        _row("loop_stall_first", *worst[0]),
        _row("loop_stall_max", *max(worst)),
        Row(name="loop_stall_litellm", ours=loading * 1e3, beside="once, when a model is first asked"),
    ]


def _row(name: str, busy: float, idle: float, most: float | None = None) -> Row:
    beside = "the same loop when idle"
    return Row(name=name, ours=busy * 1e3, theirs=idle * 1e3, ratio=busy / idle, beside=beside, most_ours=most)


async def _measure(place: Path, say: Say) -> tuple[float, list[tuple[float, float]]]:
    environ = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": str(free_port())}
    settings = load_settings(environ, cwd=furnished(place / "home"))
    worst: list[tuple[float, float]] = []
    async with running(settings) as program:
        await asyncio.sleep(IDLE)  # what is loaded after the start is loaded now
        loading = Soaked(0)
        async with beating(loading):
            await Gateway().warm()
        for number in range(ROUNDS):
            busy, idle = Soaked(PEOPLE), Soaked(0)
            async with beating(idle):
                await asyncio.sleep(IDLE)
            async with asyncio.timeout(PATIENCE), beating(busy):
                await _everybody_talks(program, number, busy)
            worst.append((busy.worst, idle.worst))
            say(
                f"round {number + 1}: busy {busy.worst * 1e3:.0f}, idle {idle.worst * 1e3:.0f} ms at worst; "
                f"{busy.pages} pages were read"
            )
    return loading.worst, worst


async def _everybody_talks(program: Program, number: int, busy: Soaked) -> None:
    async with httpx.AsyncClient(base_url=program.address, timeout=30) as browser:
        pages = [asyncio.create_task(_page(browser, busy)) for _ in range(PAGES)]
        async with asyncio.TaskGroup() as people:
            for person in range(PEOPLE):
                people.create_task(Busy(program, number * PEOPLE + person).talk())
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)


async def _page(browser: httpx.AsyncClient, busy: Soaked) -> None:
    async with browser.stream("GET", "/changes") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event:"):
                (await browser.get("/c/general")).raise_for_status()
                busy.pages += 1
