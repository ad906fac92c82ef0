"""P13: twenty drops of five kinds under one gateway; each time it hears again in time, and nothing twice.

Times are made shorter here: silence of 1.5 s and 1 s instead of 15 s and 12 s. The bench does the same with the
program's own times: python -m tests.bench.drop_sockets.
"""

import asyncio
import random

from tests.faults.sockets_trial import DROPS, Deaf, drop_discord, drop_slack

HEARD_AGAIN = 30.0


async def test_after_every_drop_it_hears_again() -> None:
    """Both platforms at once, for all they do is wait."""
    seed = random.SystemRandom().randrange(10**6)
    for deaf in await asyncio.gather(drop_slack(seed), drop_discord(seed)):
        check(deaf, seed)


def check(deaf: Deaf, seed: int) -> None:
    assert deaf.drops == DROPS
    assert len(deaf.seconds) == 5
    assert deaf.heard == [str(number) for number in range(DROPS)], f"seed {seed}"
    assert deaf.worst <= HEARD_AGAIN, f"seed {seed}: {deaf.seconds}"
