"""A conversation of 50 turns with answers of 2 KB: the last ten beside the first ten, through our gateway.

Every turn sends all that was said before, so the bytes on the wire grow; the time should hardly. It stays flat on the
routes that hand messages on as they are. Those that check the whole history anew at every turn, such as openai/, grow
whoever calls them: they are measured beside litellm itself. What counts is the processor's time in this process, as the
fake provider, in another, takes longer and longer to check what it is sent.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Any

from agents.domain.models.routing import Model
from agents.llm.gateway import Gateway, Request
from tests.bench.ask import MOST, provider
from tests.bench.rows import Row, Say, compared
from tests.fakes.model_server import KEY, LARGE, SMALL

TURNS, EDGE = 50, 10
ROUNDS = 4
TOOL = "a line of what a tool said, as long as lines usually are\n" * 36  # 2 KB
FLAT, GROWS = "hosted_vllm", "openai"
MOST_GROWTH = 1.5

Turn = Callable[[list[dict[str, Any]]], Awaitable[object]]


def run(say: Say) -> list[Row]:
    with provider() as url:
        return asyncio.run(_measure(url, say))


async def _measure(url: str, say: Say) -> list[Row]:
    gateway = Gateway()
    await gateway.warm()
    flat, _ = await _rounds(gateway, Model(name=f"{FLAT}/{LARGE}", base_url=url, api_key=KEY), say)
    ours, theirs = await _rounds(gateway, Model(name=f"{GROWS}/{LARGE}", base_url=url, api_key=KEY), say)
    ends, starts = ([median(turns[part]) for turns in flat] for part in (slice(-EDGE, None), slice(EDGE)))
    growth = compared(f"turns_{FLAT}", ends, starts, beside=f"its own first {EDGE} of {TURNS} turns", most=MOST_GROWTH)
    last = [[median(turns[-EDGE:]) for turns in side] for side in (ours, theirs)]
    beside = compared(f"turns_{GROWS}", last[0], last[1], beside=f"litellm.acompletion, last {EDGE} turns", most=MOST)
    return [growth, beside]


async def _rounds(gateway: Gateway, model: Model, say: Say) -> tuple[list[list[float]], list[list[float]]]:
    """The seconds of each turn, ours and litellm's own: a conversation of the one, then one of the other."""
    import litellm

    async def ask(messages: list[dict[str, Any]]) -> None:
        await gateway.ask(Request(model=model, messages=messages, timeout=60))

    async def bare(messages: list[dict[str, Any]]) -> None:
        await litellm.acompletion(
            model=model.name.replace(LARGE, SMALL), messages=messages, api_base=model.base_url, api_key=model.api_key,
            timeout=60, max_retries=0, num_retries=0,
        )  # fmt: skip

    ours, theirs = [], []
    for number in range(-1, ROUNDS):
        their, our = await _talk(bare), await _talk(ask)
        say(f"{model.name}, round {number}: turns of {_told(our)}, litellm {_told(their)} ms")
        if number >= 0:  # the first warms up
            ours.append(our)
            theirs.append(their)
    return ours, theirs


async def _talk(turn: Turn) -> list[float]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Find the fault."}]
    took = []
    for _ in range(TURNS):
        before = time.process_time()
        await turn(messages)
        took.append(time.process_time() - before)
        messages += [{"role": "assistant", "content": "Let me look."}, {"role": "user", "content": TOOL}]
    return took


def _told(turns: Sequence[float]) -> str:
    return f"{median(turns[:EDGE]) * 1e3:.1f} to {median(turns[-EDGE:]) * 1e3:.1f}"
