"""Twenty drops of five kinds on Slack and on Discord, with the program's own times: heard again within 30 s (P13).

python -m tests.bench.drop_sockets             both, about five minutes
"""

import argparse
import asyncio
import random
import sys

from bot.platforms.discord.options import DiscordOptions
from bot.platforms.slack.options import SlackOptions
from tests.faults.sockets_trial import Deaf, drop_discord, drop_slack

HEARD_AGAIN = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    seed = parser.parse_args().seed
    print(f"seed {seed}")
    slack = asyncio.run(drop_slack(seed, **_defaults(SlackOptions, "ping", "deaf_after")))
    discord = asyncio.run(drop_discord(seed, **_defaults(DiscordOptions, "beat", "silence", "timeout")))
    return max(_told("slack", slack), _told("discord", discord))


def _defaults(options: type[SlackOptions] | type[DiscordOptions], *names: str) -> dict[str, object]:
    return {name: options.__dataclass_fields__[name].default for name in names}


def _told(name: str, deaf: Deaf) -> int:
    print(f"{name}: {deaf.drops} drops, {len(deaf.heard)} heard, worst {deaf.worst:.1f} s (≤ {HEARD_AGAIN:.0f} s)")
    for how, seconds in deaf.seconds.items():
        print(f"  {how}: " + ", ".join(f"{each:.1f}" for each in seconds))
    doubled = len(deaf.heard) != len(set(deaf.heard))
    return int(deaf.worst > HEARD_AGAIN or len(deaf.heard) != deaf.drops or doubled)


if __name__ == "__main__":
    sys.exit(main())
