"""The bot is killed again and again in a conversation on Slack that fails meanwhile (P1, P3, P6, P12).

In Socket Mode and by signed HTTP. Everything is counted at the fake, which outlives every bot.
"""

import pytest

from tests.faults.chat_trial import kill_in_talks


@pytest.mark.timeout(240)
@pytest.mark.parametrize("surface", ["slack", "slack-http"])
def test_whenever_the_bot_is_killed_nothing_is_lost_doubled_or_out_of_order(surface: str) -> None:
    kill_in_talks(surface)
