"""Many conversations at once, and many signed events, while the bot is killed (P1, P3): samples of long searches."""

import random

import pytest

from tests.faults.signed_trial import Mail, run_mail
from tests.faults.throng_trial import Throng, run_throng


def a_seed() -> int:
    return random.SystemRandom().randrange(1, 10**6)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("surface", ["slack", "discord"])
def test_in_many_threads_at_once_nothing_is_lost_doubled_or_out_of_order(surface: str) -> None:
    counted = run_throng(Throng(surface=surface, seed=a_seed(), people=8, remarks=4, kills=3, longest=400))
    assert not counted.wrongs, f"{counted.throng}\n" + "\n".join(counted.wrongs)
    assert counted.died == 3
    assert counted.posts == 8 * (2 + 4)


@pytest.mark.timeout(240)
def test_no_signed_event_that_slack_saw_acknowledged_is_lost() -> None:
    counted = run_mail(Mail(seed=a_seed(), messages=60, people=10, kills=4))
    assert counted.is_right, f"{counted.mail}\n" + "\n".join([*counted.lost, *counted.wrongs])
    assert counted.died == 4
    assert counted.events >= 60
