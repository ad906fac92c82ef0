"""Ten requests in one moment: everybody is answered, and the bot never runs into Discord's limits."""

import asyncio
from typing import Any

from tests.fakes.llm import ThinkingLlm
from tests.scenarios.conftest import ALL, TWO_PROJECTS, Given, Opened

STAGES = ALL
# What Discord is known to allow a channel: so many in so many seconds. A test waits a tenth of it.
LIMITS = {
    ("PUT", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): (2, 0.1),
    ("POST", "/channels/{channel_id}/messages/{message_id}/threads"): (5, 0.3),
    ("POST", "/channels/{channel_id}/messages"): (5, 0.3),
    ("PATCH", "/channels/{channel_id}/messages/{message_id}"): (5, 0.3),
}


async def test_ten_requests_at_once_are_answered_without_a_storm_of_429(opened: Opened) -> None:
    play = await opened(Given(config=TWO_PROJECTS, llm=ThinkingLlm()))
    fake: Any = getattr(play.stage, "fake", None)
    if play.stage.name == "discord":
        fake.buckets.limits.update(LIMITS)
    threads = await asyncio.gather(*(play.stage.say(f"p{n}", f"add page {n} in api", mention=True) for n in range(10)))
    for number, thread in enumerate(threads):
        await play.sees(f"p{number}", thread, f"add page {number}")
    for thread in threads:
        assert await play.stage.is_seen(thread) or await play.silence("p0", thread)
    assert play.stage.name != "discord" or fake.buckets.hits <= 1, "limits are known before they are met"
