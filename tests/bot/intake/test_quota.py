"""A busy minute: requests are counted for each person, and never a press, an answer or talk between people."""

from datetime import UTC, datetime, timedelta

import pytest

from agents.domain.limits import Limits
from bot.intake.access import OverQuota, Quota
from bot.intake.commands import is_free
from bot.intake.conversation import understand

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LIMITS = Limits(quota_per_person=3, quota_per_channel=5)


def take(quota: Quota, *keys: str, person: str = "ana", at: datetime = NOON) -> None:
    for key in keys:
        quota.take(key, person, "general", at)


def test_what_is_over_says_when_there_is_room_again_and_then_there_is() -> None:
    quota = Quota(LIMITS)
    take(quota, "a")
    take(quota, "b", "c", at=NOON + timedelta(seconds=20))
    with pytest.raises(OverQuota) as over:
        take(quota, "d", at=NOON + timedelta(seconds=30))
    assert over.value.until == NOON + timedelta(seconds=60)
    assert "at most 3 requests from one person in 60 seconds" in str(over.value)
    take(quota, "d", at=over.value.until)
    with pytest.raises(OverQuota):
        take(quota, "e", at=over.value.until)


def test_the_same_request_counts_once_and_one_person_leaves_room_for_others() -> None:
    quota = Quota(LIMITS)
    take(quota, "a", "a", "a", "b", "c")
    with pytest.raises(OverQuota):
        take(quota, "d")
    take(quota, "x", "y", person="bo")
    with pytest.raises(OverQuota, match="from one channel"):
        take(quota, "z", person="bo")


def test_what_was_said_long_ago_counts_at_its_own_time() -> None:
    quota = Quota(LIMITS)
    take(quota, "a", "b", "c")
    take(quota, "old 1", "old 2", at=NOON - timedelta(hours=1))
    take(quota, "later 1", at=NOON + timedelta(hours=1))


@pytest.mark.parametrize(
    "words", ["stop", "stop T-3", "resume", "cancel because it is late", "approve", "retry", "mute"]
)
def test_controls_in_words_are_always_heard(words: str) -> None:
    assert is_free(understand(words))


@pytest.mark.parametrize("words", ["status", "help", "add a login page", "thanks"])
def test_everything_else_counts(words: str) -> None:
    assert not is_free(understand(words))
