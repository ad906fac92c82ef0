"""At least 1,200 signed HTTP events while the bot is killed forty times: none that was acknowledged is lost (P1).

python -m tests.bench.kill_signed             a few minutes
"""

import argparse
import random
import sys

from tests.faults.signed_trial import Mail, run_mail

EVENTS = 1_200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--messages", type=int, default=Mail(seed=0).messages)
    parser.add_argument("--kills", type=int, default=Mail(seed=0).kills)
    asked = parser.parse_args()
    counted = run_mail(Mail(seed=asked.seed, messages=asked.messages, kills=asked.kills))
    for wrong in (*(f"lost: {key}" for key in counted.lost), *counted.wrongs):
        print(wrong)
    print(
        f"seed {asked.seed} | events {counted.events:,} in {counted.attempts:,} attempts | kills {counted.died} | "
        f"lost {len(counted.lost)} | wrong {len(counted.wrongs)} | {counted.took:.0f} s"
    )
    return 0 if counted.is_right and counted.events >= min(EVENTS, asked.messages) else 1


if __name__ == "__main__":
    sys.exit(main())
